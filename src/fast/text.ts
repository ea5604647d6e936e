/**
 * Cells of UTF-8 to JSON, as JSON.stringify writes them (ECMA-262, "QuoteJSONString"): what is valid UTF-8 stays as
 * it is, but for the quotation mark, the backslash and the control characters below U+0020.
 */
import { DOUBLED, QUOTE } from './scan.ts';

const BACKSLASH = 0x5c;
const SPACE = 0x20;
const TAB = 0x09;
const CR = 0x0d;
const ZERO = 0x30;
const LETTER_U = 0x75;
const HEX = Buffer.from('0123456789abcdef');

/** For each byte that JSON escapes: the letter behind the backslash, `u` where its number follows. */
const LETTERS = escapes();

/** Most bytes that one byte of a cell can become. */
export const WIDEST = 6;

function escapes(): Uint8Array {
  const table = new Uint8Array(256);
  table.fill(LETTER_U, 0, SPACE);
  for (const [byte, letter] of [
    [0x08, 'b'],
    [0x09, 't'],
    [0x0a, 'n'],
    [0x0c, 'f'],
    [0x0d, 'r'],
  ] as const) {
    table[byte] = letter.charCodeAt(0);
  }
  table[QUOTE] = QUOTE;
  table[BACKSLASH] = BACKSLASH;
  return table;
}

/**
 * Writes the cell between `start` and `end`, without quotation marks around it. There must be room for
 * {@link WIDEST} times its length. Returns the index behind it.
 */
export function writeText(
  bytes: Buffer,
  start: number,
  end: number,
  mark: number,
  out: Buffer,
  at: number,
): number {
  const doubled = (mark & DOUBLED) !== 0;
  let o = at;
  for (let i = start; i < end; i += 1) {
    const byte = bytes[i] ?? 0;
    // Of two quotes the second is passed over.
    if (doubled && byte === QUOTE) i += 1;
    const letter = LETTERS[byte] ?? 0;
    if (letter === 0) {
      out[o] = byte;
      o += 1;
      continue;
    }
    out[o] = BACKSLASH;
    out[o + 1] = letter;
    o += 2;
    if (letter !== LETTER_U) continue;
    out[o] = ZERO;
    out[o + 1] = ZERO;
    out[o + 2] = HEX[byte >> 4] ?? 0;
    out[o + 3] = HEX[byte & 15] ?? 0;
    o += 4;
  }
  return o;
}

/** Index of the first byte that is not white space of ASCII, or `end`. */
export function trimmedStart(bytes: Buffer, start: number, end: number): number {
  let i = start;
  while (i < end && isSpace(bytes[i] ?? 0)) i += 1;
  return i;
}

/** Index behind the last such byte, or `start`. */
export function trimmedEnd(bytes: Buffer, start: number, end: number): number {
  let i = end;
  while (i > start && isSpace(bytes[i - 1] ?? 0)) i -= 1;
  return i;
}

function isSpace(byte: number): boolean {
  return byte === SPACE || (byte >= TAB && byte <= CR);
}

/**
 * Whether a cell that is not empty may begin or end with white space beyond ASCII (map/cells.ts, "trim"): U+0085,
 * U+00A0, U+1680, U+2000 to U+200A, U+2028, U+2029, U+202F, U+205F, U+3000, U+FEFF. Says yes for some others too.
 */
export function mayNeedTrim(bytes: Buffer, start: number, end: number): boolean {
  if (startsSpace(bytes[start] ?? 0)) return true;
  if ((bytes[end - 1] ?? 0) < 0x80) return false;
  // The lead of the last character: behind it there is one byte, or there are two.
  return bytes[end - 2] === 0xc2 || startsSpace(bytes[end - 3] ?? 0);
}

function startsSpace(lead: number): boolean {
  return lead >= 0xc2 && (lead === 0xc2 || (lead >= 0xe1 && lead <= 0xe3) || lead === 0xef);
}

/** The text of a cell, with its doubled quotes made one. */
export function textOf(bytes: Buffer, start: number, end: number, mark: number): string {
  const text = bytes.toString('utf8', start, end);
  return (mark & DOUBLED) === 0 ? text : text.replaceAll('""', '"');
}
