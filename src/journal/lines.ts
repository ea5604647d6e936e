/**
 * Lines of the journal and of other append-only files: an object as JSON, which ends with a CRC-32 of everything before it. Text
 * after the last line feed is an incomplete line of a killed process.
 */
import { createReadStream } from 'node:fs';
import { crc32 } from 'node:zlib';
import { LINE_FEED, parseJson } from '../lib/text.ts';
import { isMissing } from './file-system.ts';

const TAIL_LENGTH = tailOf('').length;

/** @param object with at least one key */
export function encodeLine(object: object): string {
  const body = JSON.stringify(object).slice(0, -1);
  return `${body}${tailOf(body)}\n`;
}

/** Undefined if the checksum is missing or wrong. The caller validates the shape: the file may be from another person. */
export function decodeLine(line: string): unknown {
  return isIntact(line) ? parseJson(`${line.slice(0, -TAIL_LENGTH)}}`) : undefined;
}

/** Whether the checksum of a line is right. */
export function isIntact(line: string): boolean {
  return line.endsWith(tailOf(line.slice(0, -TAIL_LENGTH)));
}

/** Whether there is a byte after the checksum: an incomplete write leaves none, so the line feed was damaged later. */
export function hasDamagedLineFeed(rest: string): boolean {
  return /,"crc":"[0-9a-f]{8}"\}./su.test(rest);
}

function tailOf(body: string): string {
  return `,"crc":"${crc32(body).toString(16).padStart(8, '0')}"}`;
}

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

export async function* linesIfExists(file: string): AsyncGenerator<Line> {
  try {
    yield* linesOf(file);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

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
