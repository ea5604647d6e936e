/** Bytes to text without inventing characters: bytes that are not UTF-8 are reported, and shown byte by byte. */

import { isUtf8 } from 'node:buffer';
import { FOUND_LIMIT } from '../lib/excerpt.ts';
import { cut } from '../lib/text.ts';
import { type Issue, RAW_LIMIT } from '../model/row.ts';
import { encodingTitle } from './encoding-labels.ts';
import { PLACEHOLDER_BYTES, undecodableByteAt } from './transcode.ts';

/** Bytes of an excerpt for {@link RAW_LIMIT} characters: a UTF-16 unit has at most three bytes in UTF-8. */
export const EXCERPT_BYTES = 3 * RAW_LIMIT;

/** Index, from `from` on, of the first byte that is not part of a UTF-8 character (RFC 3629), or -1. */
export function firstBadByte(bytes: Buffer, from = 0): number {
  let index = from;
  for (;;) {
    const lead = bytes[index];
    if (lead === undefined) return -1;
    if (lead < 0x80) {
      index += 1;
      continue;
    }
    const length = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
    if (length === 0 || !isUtf8(bytes.subarray(index, index + length))) return index;
    index += length;
  }
}

/** The bytes without an incomplete last character. */
export function withoutCutCharacter(bytes: Buffer): Buffer {
  const last = bytes.subarray(-3);
  const lead = last.findLastIndex((byte) => byte >= 0xc0);
  return lead < 0 || isUtf8(last.subarray(lead)) ? bytes : bytes.subarray(0, lead - last.length);
}

/** The issue of a row with undecodable bytes. `encoding`: a WHATWG name. */
export function undecodableIssue(row: Buffer, encoding: string): Issue {
  const index = firstBadByte(row);
  const isForeign = encoding !== 'utf-8';
  const byte = (isForeign ? undecodableByteAt(row, index) : undefined) ?? row[index] ?? 0;
  const hex = byte.toString(16).toUpperCase().padStart(2, '0');
  return {
    code: 'encoding',
    found: `byte 0x${hex} at character ${row.toString('utf8', 0, index).length + 1}`,
    expected: `${encodingTitle(encoding)} text`,
    hint: isForeign
      ? 'If the file has another encoding, pass it with `--encoding`.'
      : 'This row is probably in Windows-1252. If the whole file is, use `--encoding windows-1252`.',
  };
}

/**
 * A broken row as in the input, without its line end, cut at RAW_LIMIT characters. A byte that is not UTF-8 becomes the
 * character of the same number (ISO 8859-1): every byte of a UTF-8 input, only the undecodable ones of another.
 */
export function rawText(row: Buffer): string {
  return cut(decodeFirst(row, EXCERPT_BYTES), RAW_LIMIT, '');
}

/** A short excerpt for an issue, cut at FOUND_LIMIT characters with `…`. */
export function excerptOfBytes(bytes: Buffer): string {
  return cut(decodeFirst(bytes, 4 * FOUND_LIMIT), FOUND_LIMIT);
}

/** The text of the first `limit` bytes, without the line end. */
function decodeFirst(row: Buffer, limit: number): string {
  const lineFeed = row.at(-1) === 0x0a ? 1 : 0;
  const carriageReturn = row[row.length - lineFeed - 1] === 0x0d ? 1 : 0;
  const line = row.subarray(0, row.length - lineFeed - carriageReturn);
  const bytes = line.length < limit ? line : withoutCutCharacter(line.subarray(0, limit));
  if (isUtf8(bytes)) return bytes.toString();
  let text = '';
  for (let start = 0; ; start += PLACEHOLDER_BYTES) {
    const bad = firstBadByte(bytes, start);
    if (bad < 0) return text + bytes.toString('utf8', start);
    const byte = undecodableByteAt(bytes, bad);
    if (byte === undefined) return bytes.toString('latin1');
    text += bytes.toString('utf8', start, bad) + String.fromCharCode(byte);
    start = bad;
  }
}
