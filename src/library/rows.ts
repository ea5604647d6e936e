/** Rows and bytes of the caller as a stream of bytes, which is read like a pipe. */
import { Readable } from 'node:stream';

/** One row, by column: values as in JSON. A `Date` becomes ISO 8601 text. */
export type SourceRow = Readonly<Record<string, unknown>>;

/** Bytes of rows in one chunk: a chunk of its own for each row would take longer than the row. */
const CHUNK_LENGTH = 64 * 1024;

export function streamOf(rows: Iterable<unknown> | AsyncIterable<unknown>): Readable {
  return Readable.from(chunksOf(rows), { objectMode: false, highWaterMark: CHUNK_LENGTH });
}

/** Bytes unchanged, and each row as a line of JSON. */
async function* chunksOf(rows: Iterable<unknown> | AsyncIterable<unknown>): AsyncGenerator<Buffer> {
  let lines = '';
  for await (const row of rows) {
    const isBytes = row instanceof Uint8Array;
    if (!isBytes) lines += `${JSON.stringify(row)}\n`;
    if (lines !== '' && (isBytes || lines.length >= CHUNK_LENGTH)) {
      yield Buffer.from(lines);
      lines = '';
    }
    if (isBytes) yield Buffer.from(row.buffer, row.byteOffset, row.byteLength);
  }
  if (lines !== '') yield Buffer.from(lines);
}
