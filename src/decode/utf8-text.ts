/** Bytes to text without inventing characters: bytes that are not UTF-8 are reported, and shown byte by byte. */

import { isUtf8 } from 'node:buffer';
import { FOUND_LIMIT } from '../lib/excerpt.ts';
import { cut } from '../lib/text.ts';
import { type Issue, RAW_LIMIT } from '../model/row.ts';
import { encodingTitle } from './encoding-labels.ts';
import { PLACEHOLDER_BYTES, undecodableByteAt } from './undecodable-bytes.ts';

const EXCERPT_BYTES = 3 * RAW_LIMIT;

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

/** The issue of a row with undecodable bytes. `start`: the row's offset in the decoded text. `encoding`: a WHATWG name. */
export function undecodableIssue(row: Buffer, start: number, encoding: string): Issue {
  const index = firstBadByte(row);
  const undecodable = encoding === 'utf-8' ? undefined : undecodableByteAt(row, index);
  const { byte, offset } = undecodable ?? { byte: row[index] ?? 0, offset: start + index };
  return {
    code: 'encoding',
    found: `byte 0x${byte.toString(16).toUpperCase().padStart(2, '0')} at offset ${offset}`,
    expected: `${encodingTitle(encoding)} text`,
    hint:
      encoding === 'utf-8'
        ? 'The row is probably Windows-1252. If the whole file is, use `--encoding windows-1252`.'
        : 'Perhaps the file has another encoding: pass it with `--encoding`.',
  };
}

/**
 * A broken row as in the input, without its line end, cut at RAW_LIMIT characters. A byte that is not UTF-8 becomes the
 * character of the same number (ISO 8859-1): every byte of a UTF-8 input, only the undecodable ones of another.
 */
export function rawText(row: Buffer): string {
  return cut(decoded(withoutLineEnd(row).subarray(0, EXCERPT_BYTES)), RAW_LIMIT, '');
}

/** A short excerpt for an issue, cut at FOUND_LIMIT characters with `…`. */
export function excerpt(bytes: Buffer): string {
  return excerptOf(decoded(withoutLineEnd(bytes.subarray(0, 4 * FOUND_LIMIT + 2))));
}

/** As {@link excerpt}, for text. */
export function excerptOf(text: string): string {
  return cut(text, FOUND_LIMIT);
}

/** `1 line`, `2,000 lines`. `number`: an integer. */
export function count(number: number, word: string): string {
  return `${String(number).replace(/\B(?=(?:\d{3})+$)/g, ',')} ${word}${number === 1 ? '' : 's'}`;
}

function withoutLineEnd(bytes: Buffer): Buffer {
  const end = bytes.at(-1) === 0x0a ? bytes.length - 1 : bytes.length;
  return bytes.subarray(0, bytes[end - 1] === 0x0d ? end - 1 : end);
}

function decoded(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  // The excerpt may end inside a character.
  const bad = firstBadByte(bytes);
  if (undecodableByteAt(bytes, bad) !== undefined) return withPlaceholders(bytes);
  const isCut = bytes.length - bad < 4 && (bytes[bad] ?? 0) >= 0xc2 && startsCharacter(bytes.subarray(bad));
  return isCut ? bytes.toString('utf8', 0, bad) : bytes.toString('latin1');
}

/** Decodes text with placeholders: each becomes the character of its byte's number. Drops a placeholder that is cut. */
function withPlaceholders(bytes: Buffer): string {
  let text = '';
  for (let start = 0; start < bytes.length; ) {
    const index = firstBadByte(bytes.subarray(start));
    const good = index < 0 ? bytes.length : start + index;
    text += bytes.toString('utf8', start, good);
    const undecodable = undecodableByteAt(bytes, good);
    if (undecodable === undefined) break;
    text += String.fromCharCode(undecodable.byte);
    start = good + PLACEHOLDER_BYTES;
  }
  return text;
}

function startsCharacter(bytes: Buffer): boolean {
  const lead = bytes[0] ?? 0;
  const length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  return bytes.length < length && bytes.subarray(1).every((byte) => byte >= 0x80 && byte < 0xc0);
}
