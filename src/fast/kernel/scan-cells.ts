/**
 * Finds where the cells of one CSV row begin and end, in one pass. It follows the rules of input/line-scanner.ts for plain
 * rows: no quotes or carriage returns inside unquoted cells, no text after closing quotes. Any other row is
 * {@link UNSURE}.
 */
import { allocate, BACKSLASH, CR, LINE_FEED, QUOTE, VECTOR } from './memory';

/** Marks of a cell. */
export const PLAIN: u8 = 0;
/** Has bytes that JSON escapes: quotes, backslashes, control characters. */
export const ESCAPED: u8 = 1;
/** Has doubled quotes. */
export const DOUBLED: u8 = 2;
/** NDJSON: a number as JavaScript formats it. */
export const NUMBER: u8 = 8;
/** NDJSON: another number, true, false, or a string with other escapes and its quotation marks. */
export const TOKEN: u8 = 16;
/** NDJSON: null or missing. */
export const ABSENT: u8 = 32;
/** NDJSON: a string with escapes as JSON.stringify writes them, with its quotation marks. */
export const STRING: u8 = 64;

/** The row does not end within the bytes. */
export const SHORT: usize = 0;
/** The row is for the reference path. */
export const UNSURE: usize = 1;

const FIRST_PRINTABLE: u8 = 0x20;

/** Cell n, without quotes, begins at the address `load<u32>(starts + 4 * n)`. */
export let starts: usize = 0;
export let ends: usize = 0;
export let marks: usize = 0;
/** Line feeds inside the row scanned last. */
export let inner: u32 = 0;

let width: u32 = 0;
let delimiter: u8 = 0;
let isQuoted: bool = false;

/** @param quoted whether `"` quotes; if not, it is a character like any other */
export function setDialect(ofCells: u8, quoted: bool, columns: u32): void {
  delimiter = ofCells;
  isQuoted = quoted;
  width = columns;
  starts = allocate(4 * columns);
  ends = allocate(4 * columns);
  marks = allocate(columns);
}

/** The next byte in an unquoted cell that is not plain text, or an address from `end` on. */
function seek(from: usize, end: usize): usize {
  const delimiters = i8x16.splat(delimiter);
  for (let i = from; i < end; i += VECTOR) {
    const bytes = v128.load(i);
    const found = v128.or(v128.or(special(bytes), i8x16.eq(bytes, i8x16.splat(QUOTE))), i8x16.eq(bytes, delimiters));
    const bits = i8x16.bitmask(found);
    if (bits !== 0) return i + ctz(bits);
  }
  return end;
}

/** The next quote, backslash or control character, or an address from `end` on. */
export function seekSpecial(from: usize, end: usize): usize {
  for (let i = from; i < end; i += VECTOR) {
    const bytes = v128.load(i);
    const bits = i8x16.bitmask(v128.or(special(bytes), i8x16.eq(bytes, i8x16.splat(QUOTE))));
    if (bits !== 0) return i + ctz(bits);
  }
  return end;
}

/** Backslashes and control characters. */
function special(bytes: v128): v128 {
  return v128.or(i8x16.lt_u(bytes, i8x16.splat(FIRST_PRINTABLE)), i8x16.eq(bytes, i8x16.splat(BACKSLASH)));
}

/**
 * Scans the row at `from`, which is not a blank line.
 * @returns the address after its line end, or {@link SHORT} or {@link UNSURE}
 */
export function scan(from: usize, end: usize): usize {
  inner = 0;
  let i = from;
  const last = width - 1;
  for (let cell: u32 = 0; cell <= last; cell += 1) {
    if (i >= end) return SHORT;
    let mark = PLAIN;
    if (isQuoted && load<u8>(i) === QUOTE) {
      store<u32>(starts + 4 * cell, <u32>(i + 1));
      i = seekSpecial(i + 1, end);
      for (;;) {
        // The next byte distinguishes a closing quote from a doubled one.
        if (i + 1 >= end) return SHORT;
        const byte = load<u8>(i);
        if (byte === QUOTE) {
          if (load<u8>(i + 1) !== QUOTE) break;
          mark |= DOUBLED;
          i += 2;
        } else {
          mark |= ESCAPED;
          if (byte === LINE_FEED) inner += 1;
          i += 1;
        }
        i = seekSpecial(i, end);
      }
      store<u32>(ends + 4 * cell, <u32>i);
      i += 1;
    } else {
      store<u32>(starts + 4 * cell, <u32>i);
      for (i = seek(i, end); i < end; i = seek(i + 1, end)) {
        const byte = load<u8>(i);
        if (byte === delimiter || byte === LINE_FEED || byte === CR || (isQuoted && byte === QUOTE)) break;
        mark |= ESCAPED;
      }
      if (i >= end) return SHORT;
      store<u32>(ends + 4 * cell, <u32>i);
    }
    store<u8>(marks + cell, mark);
    let byte = load<u8>(i);
    if (byte === delimiter) {
      i += 1;
      continue;
    }
    if (byte === CR) {
      i += 1;
      if (i >= end) return SHORT;
      byte = load<u8>(i);
    }
    return byte === LINE_FEED && cell === last ? i + 1 : UNSURE;
  }
  return UNSURE;
}

/** The address after a line that is only a line end; otherwise the same address. */
export function skipBlankLine(at: usize, end: usize): usize {
  const byte = load<u8>(at);
  if (byte === LINE_FEED) return at + 1;
  return byte === CR && at + 1 < end && load<u8>(at + 1) === LINE_FEED ? at + 2 : at;
}
