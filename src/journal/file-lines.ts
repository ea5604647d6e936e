/** Reads the lines of an append-only file. Text after the last line feed is an incomplete line of a killed process. */
import { createReadStream } from 'node:fs';
import { isMissing } from './file-system.ts';

export interface Line {
  /** Without its line feed. */
  readonly text: string;
  /** False for a last line without a line feed. */
  readonly whole: boolean;
}

/** A line ends at a line feed only: JSON may contain every other separator unescaped. */
export async function* linesOf(file: string): AsyncGenerator<Line> {
  yield* linesIn(createReadStream(file));
}

/** None if there is no such file. */
export async function* linesIfExists(file: string): AsyncGenerator<Line> {
  try {
    yield* linesOf(file);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

const LINE_FEED = 0x0a;

/** Splits UTF-8 bytes into lines. */
export async function* linesIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const next = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const bytes: Buffer = rest.length === 0 ? next : Buffer.concat([rest, next]);
    let from = 0;
    for (let feed = bytes.indexOf(LINE_FEED); feed >= 0; feed = bytes.indexOf(LINE_FEED, from)) {
      yield { text: bytes.toString('utf8', from, feed), whole: true };
      from = feed + 1;
    }
    // A copy, because the reader may reuse the memory of the chunk.
    rest = Buffer.from(bytes.subarray(from));
  }
  if (rest.length > 0) yield { text: rest.toString('utf8'), whole: false };
}
