/** Bytes to text without ever inventing a character: what is not UTF-8 is told, and shown byte by byte. */
import { isUtf8 } from 'node:buffer';
import { FOUND_LIMIT, type Issue, RAW_LIMIT } from '../model/row.ts';

const EXCERPT_BYTES = 3 * RAW_LIMIT;

/** Index of the first byte that is not part of a UTF-8 character (RFC 3629), or -1. */
export function firstBadByte(bytes: Buffer): number {
  let index = 0;
  for (;;) {
    const lead = bytes[index];
    if (lead === undefined) return -1;
    const length =
      lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
    if (length === 0 || !isUtf8(bytes.subarray(index, index + length))) return index;
    index += length;
  }
}

/** The fault of a row that is not UTF-8. `start`: the row's offset in the input. */
export function encodingIssue(row: Buffer, start: number): Issue {
  const index = firstBadByte(row);
  const value = (row[index] ?? 0).toString(16).toUpperCase().padStart(2, '0');
  return {
    code: 'encoding',
    found: `byte 0x${value} at offset ${start + index}`,
    expected: 'UTF-8 text',
    hint: 'The file is probably in Windows-1252: save it as CSV UTF-8.',
  };
}

/**
 * A broken row as it stands in the input, without its line end, cut at RAW_LIMIT characters. Where it is not
 * UTF-8, each byte becomes the character of the same number (ISO 8859-1).
 */
export function rawText(row: Buffer): string {
  const text = decoded(withoutLineEnd(row).subarray(0, EXCERPT_BYTES));
  return text.length > RAW_LIMIT ? cut(text, RAW_LIMIT) : text;
}

/** A short excerpt for an issue, cut at FOUND_LIMIT characters, with `…` where something is missing. */
export function excerpt(bytes: Buffer): string {
  return excerptOf(decoded(withoutLineEnd(bytes.subarray(0, 4 * FOUND_LIMIT + 2))));
}

/** As {@link excerpt}, of text. */
export function excerptOf(text: string): string {
  return text.length > FOUND_LIMIT ? `${cut(text, FOUND_LIMIT - 1)}…` : text;
}

export function count(number: number, word: string): string {
  return `${number.toLocaleString('en-US')} ${word}${number === 1 ? '' : 's'}`;
}

function withoutLineEnd(bytes: Buffer): Buffer {
  const end = bytes.at(-1) === 0x0a ? bytes.length - 1 : bytes.length;
  return bytes.subarray(0, bytes[end - 1] === 0x0d ? end - 1 : end);
}

function decoded(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  // A cut may have left a part of the last character.
  const bad = firstBadByte(bytes);
  const torn = bytes.length - bad < 4 && (bytes[bad] ?? 0) >= 0xc2 && startsCharacter(bytes.subarray(bad));
  return torn ? bytes.toString('utf8', 0, bad) : bytes.toString('latin1');
}

function startsCharacter(bytes: Buffer): boolean {
  const lead = bytes[0] ?? 0;
  const length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  return bytes.length < length && bytes.subarray(1).every((byte) => byte >= 0x80 && byte < 0xc0);
}

/** The first `limit` characters, or one fewer where that would halve a surrogate pair. */
function cut(text: string, limit: number): string {
  const last = text.charCodeAt(limit - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? limit - 1 : limit);
}
