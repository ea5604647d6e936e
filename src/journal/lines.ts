/** The lines of a file of lines that is appended to: what stands behind the last line feed was torn by a crash. */
import { createReadStream } from 'node:fs';

export interface Line {
  /** Without its line feed. */
  readonly text: string;
  /** False for a last one that has no line feed. */
  readonly whole: boolean;
}

/** Ends at a line feed and nowhere else: JSON may hold every other separator unescaped. */
export async function* linesOf(file: string): AsyncGenerator<Line> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(file)) {
    const bytes: Buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let from = 0;
    for (let feed = bytes.indexOf(0x0a); feed >= 0; feed = bytes.indexOf(0x0a, from)) {
      yield { text: bytes.toString('utf8', from, feed), whole: true };
      from = feed + 1;
    }
    rest = bytes.subarray(from);
  }
  if (rest.length > 0) yield { text: rest.toString('utf8'), whole: false };
}
