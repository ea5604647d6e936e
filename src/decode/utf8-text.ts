/** Bytes to text without ever inventing a character: what is not UTF-8 is told, and shown byte by byte. */

import { isUtf8 } from 'node:buffer';
import { FOUND_LIMIT } from '../lib/excerpt.ts';
import { cut } from '../lib/text.ts';
import { type Issue, RAW_LIMIT } from '../model/row.ts';
import { encodingTitle } from './encoding-labels.ts';
import { PLACEHOLDER_BYTES, undecodableByteAt } from './undecodable-bytes.ts';

const EXCERPT_BYTES = 3 * RAW_LIMIT;

/** Index of the first byte that is not part of a UTF-8 character (RFC 3629), or -1. `from`: where to begin. */
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

/**
 * The fault of a row with bytes that do not decode. `start`: the row's offset in the decoded text. `encoding`: the
 * input's, by the standard's name.
 */
export function undecodableIssue(row: Buffer, start: number, encoding: string): Issue {
  const index = firstBadByte(row);
  const mark = encoding === 'utf-8' ? undefined : undecodableByteAt(row, index);
  const { byte, offset } = mark ?? { byte: row[index] ?? 0, offset: start + index };
  return {
    code: 'encoding',
    found: `byte 0x${byte.toString(16).toUpperCase().padStart(2, '0')} at offset ${offset}`,
    expected: `${encodingTitle(encoding)} text`,
    hint:
      encoding === 'utf-8'
        ? 'The row is probably in Windows-1252: where the whole file is, give `--encoding windows-1252`.'
        : 'Perhaps the file is in another encoding: name that with `--encoding`.',
  };
}

/**
 * A broken row as it stands in the input, without its line end, cut at RAW_LIMIT characters. Where it is not
 * UTF-8, each byte becomes the character of the same number (ISO 8859-1); where it came from another encoding,
 * only the bytes that did not decode.
 */
export function rawText(row: Buffer): string {
  return cut(decoded(withoutLineEnd(row).subarray(0, EXCERPT_BYTES)), RAW_LIMIT, '');
}

/** A short excerpt for an issue, cut at FOUND_LIMIT characters, with `…` where something is missing. */
export function excerpt(bytes: Buffer): string {
  return excerptOf(decoded(withoutLineEnd(bytes.subarray(0, 4 * FOUND_LIMIT + 2))));
}

/** As {@link excerpt}, of text. */
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
  // A cut may have left a part of the last character.
  const bad = firstBadByte(bytes);
  if (undecodableByteAt(bytes, bad) !== undefined) return withPlaceholders(bytes);
  const torn = bytes.length - bad < 4 && (bytes[bad] ?? 0) >= 0xc2 && startsCharacter(bytes.subarray(bad));
  return torn ? bytes.toString('utf8', 0, bad) : bytes.toString('latin1');
}

/** Text between marks, and for each mark the character of its byte's number. A torn end is left away. */
function withPlaceholders(bytes: Buffer): string {
  let text = '';
  for (let start = 0; start < bytes.length; ) {
    const index = firstBadByte(bytes.subarray(start));
    const good = index < 0 ? bytes.length : start + index;
    text += bytes.toString('utf8', start, good);
    const mark = undecodableByteAt(bytes, good);
    if (mark === undefined) break;
    text += String.fromCharCode(mark.byte);
    start = good + PLACEHOLDER_BYTES;
  }
  return text;
}

function startsCharacter(bytes: Buffer): boolean {
  const lead = bytes[0] ?? 0;
  const length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  return bytes.length < length && bytes.subarray(1).every((byte) => byte >= 0x80 && byte < 0xc0);
}
