/**
 * Writes UTF-8 cells as JSON, as JSON.stringify does (ECMA-262, "QuoteJSONString"): escapes the quotation mark, the backslash
 * and control characters below U+0020, and copies all other bytes. Also trims cells.
 *
 * A JSON string with backslashes (RFC 8259, section 7) that JSON.stringify would write the same way is copied; others are
 * rewritten, in no more bytes than before.
 */
import { BACKSLASH, CR, copy, LETTER_U, QUOTE, SLASH, SPACE, TAB, ZERO } from './memory';
import { DOUBLED, seekSpecial } from './scan-cells';

/** Maximum bytes of JSON for one byte of a cell. */
export const MAX_EXPANSION: usize = 6;

/**
 * Writes a cell without quotation marks around it. May write {@link MAX_EXPANSION} times its length. Returns the address
 * after it.
 */
export function writeText(start: usize, end: usize, mark: u8, at: usize): usize {
  const isDoubled = (mark & DOUBLED) !== 0;
  let to = at;
  let i = start;
  while (i < end) {
    const copied = copyPlain(i, end, to);
    i += copied - to;
    to = copied;
    if (i === end) break;
    const byte = load<u8>(i);
    to = writeEscape(byte, to);
    // A doubled quote is written once.
    i += isDoubled && byte === QUOTE ? 2 : 1;
  }
  return to;
}

/** Copies the bytes before the next special one. Returns the address after them. */
function copyPlain(start: usize, end: usize, at: usize): usize {
  return copy(start, min(seekSpecial(start, end), end) - start, at);
}

/** Whether U+0000 was written since this was last set to false. */
export let hasNul: bool = false;

export function forgetNul(): void {
  hasNul = false;
}

export function writeEscape(byte: u8, at: usize): usize {
  if (byte === 0) hasNul = true;
  store<u8>(at, BACKSLASH);
  const letter = letterOf(byte);
  store<u8>(at, letter, 1);
  if (letter !== 0x75) return at + 2;
  store<u8>(at, ZERO, 2);
  store<u8>(at, ZERO, 3);
  store<u8>(at, hex(byte >> 4), 4);
  store<u8>(at, hex(byte & 15), 5);
  return at + 6;
}

/** The letter after the backslash; `u` if four hexadecimal digits follow. */
function letterOf(byte: u8): u8 {
  switch (byte) {
    case QUOTE:
    case BACKSLASH:
      return byte;
    case 0x08:
      return 0x62;
    case 0x09:
      return 0x74;
    case 0x0a:
      return 0x6e;
    case 0x0c:
      return 0x66;
    case 0x0d:
      return 0x72;
    default:
      return 0x75;
  }
}

function hex(digit: u8): u8 {
  return digit < 10 ? ZERO + digit : 0x61 + digit - 10;
}

/** Address of the first byte that is not ASCII white space, or `end`. */
export function trimmedStart(start: usize, end: usize): usize {
  let i = start;
  while (i < end && isSpace(load<u8>(i))) i += 1;
  return i;
}

/** Address after the last byte that is not ASCII white space, or `start`. */
export function trimmedEnd(start: usize, end: usize): usize {
  let i = end;
  while (i > start && isSpace(load<u8>(i - 1))) i -= 1;
  return i;
}

function isSpace(byte: u8): bool {
  return byte === SPACE || (byte >= TAB && byte <= CR);
}

/**
 * Whether a cell that is not empty may begin or end with white space beyond ASCII (map/column-values.ts, "trim"): U+0085,
 * U+00A0, U+1680, U+2000 to U+200A, U+2028, U+2029, U+202F, U+205F, U+3000, U+FEFF. May return true for others.
 */
export function mayNeedTrim(start: usize, end: usize): bool {
  if (startsSpace(load<u8>(start))) return true;
  if (load<u8>(end - 1) < 0x80) return false;
  // The last character has two or three bytes.
  return load<u8>(end - 2) === 0xc2 || startsSpace(load<u8>(end - 3));
}

function startsSpace(lead: u8): bool {
  return lead >= 0xc2 && (lead === 0xc2 || (lead >= 0xe1 && lead <= 0xe3) || lead === 0xef);
}

const FIRST_PRINTABLE: u32 = 0x20;

/** Length of an escape such as `\u00e9`. */
const UNICODE_BYTES: usize = 6;
/** First high surrogate, first low surrogate, and the code unit after the last one. */
const HIGH: u32 = 0xd800;
const LOW: u32 = 0xdc00;
const AFTER_LOW: u32 = 0xe000;

/** Whether JSON.stringify would write the last string of {@link stringEnd} the same way. */
export let isWritten: bool = false;

/**
 * Finds the end of a string whose first backslash is at `at`: the address of the closing quotation mark, or of an invalid
 * byte.
 */
export function stringEnd(at: usize, end: usize): usize {
  isWritten = true;
  let i = at;
  while (load<u8>(i) === BACKSLASH) {
    const letter = load<u8>(i, 1);
    if (letter === LETTER_U) {
      if (hexAt(i + 2) < 0) return i;
      isWritten = false;
      i += UNICODE_BYTES;
    } else if (!isEscape(letter)) return i;
    else {
      if (letter === SLASH) isWritten = false;
      i += 2;
    }
    i = seekSpecial(i, end);
  }
  return i;
}

/** Rewrites a string that {@link stringEnd} has found valid. Returns the address after the result. */
export function rewrite(start: usize, end: usize, at: usize): usize {
  let to = at;
  let i = start;
  while (i < end) {
    const copied = copyPlain(i, end, to);
    i += copied - to;
    to = copied;
    if (i === end) break;
    const special = i;
    const letter = load<u8>(i, 1);
    i += 2;
    if (letter === SLASH) {
      store<u8>(to, SLASH);
      to += 1;
    } else if (letter !== LETTER_U) {
      store<u8>(to, BACKSLASH);
      store<u8>(to, letter, 1);
      to += 2;
    } else {
      const unit = <u32>hexAt(i);
      i = special + UNICODE_BYTES;
      const next = isHigh(unit) ? lowAt(i) : 0;
      if (next === 0) to = writeUnit(unit, special, to);
      else {
        to = writeSupplementary(0x10000 + ((unit - HIGH) << 10) + (next - LOW), to);
        i += UNICODE_BYTES;
      }
    }
  }
  return to;
}

/** Writes the UTF-16 code unit of the escape at `source`. */
function writeUnit(unit: u32, source: usize, at: usize): usize {
  if (unit < FIRST_PRINTABLE || unit === <u32>QUOTE || unit === <u32>BACKSLASH) {
    return writeEscape(<u8>unit, at);
  }
  if (unit < 0x80) {
    store<u8>(at, <u8>unit);
    return at + 1;
  }
  if (unit < 0x800) {
    store<u8>(at, <u8>(0xc0 | (unit >> 6)));
    store<u8>(at, <u8>(0x80 | (unit & 0x3f)), 1);
    return at + 2;
  }
  if (unit >= HIGH && unit < AFTER_LOW) return writeSurrogate(source, at);
  store<u8>(at, <u8>(0xe0 | (unit >> 12)));
  store<u8>(at, <u8>(0x80 | ((unit >> 6) & 0x3f)), 1);
  store<u8>(at, <u8>(0x80 | (unit & 0x3f)), 2);
  return at + 3;
}

/** Writes a lone surrogate as an escape with lower-case digits. */
function writeSurrogate(source: usize, at: usize): usize {
  for (let index: usize = 0; index < UNICODE_BYTES; index += 1) {
    const byte = load<u8>(source + index);
    store<u8>(at + index, byte >= 0x41 && byte <= 0x46 ? byte + 0x20 : byte);
  }
  return at + UNICODE_BYTES;
}

/** Writes a character above U+FFFF. */
function writeSupplementary(point: u32, at: usize): usize {
  store<u8>(at, <u8>(0xf0 | (point >> 18)));
  store<u8>(at, <u8>(0x80 | ((point >> 12) & 0x3f)), 1);
  store<u8>(at, <u8>(0x80 | ((point >> 6) & 0x3f)), 2);
  store<u8>(at, <u8>(0x80 | (point & 0x3f)), 3);
  return at + 4;
}

function isHigh(unit: u32): bool {
  return unit >= HIGH && unit < LOW;
}

/** The low surrogate whose escape is at `at`, or 0. */
function lowAt(at: usize): u32 {
  if (load<u8>(at) !== BACKSLASH || load<u8>(at, 1) !== LETTER_U) return 0;
  const unit = <u32>hexAt(at + 2);
  return unit >= LOW && unit < AFTER_LOW ? unit : 0;
}

/** The value of four hexadecimal digits, or -1. */
function hexAt(at: usize): i32 {
  let value: i32 = 0;
  for (let index: usize = 0; index < 4; index += 1) {
    const byte = load<u8>(at + index);
    const small: u8 = byte | 0x20;
    if (<u8>(byte - 0x30) <= 9) value = (value << 4) | <i32>(byte - 0x30);
    else if (small >= 0x61 && small <= 0x66) value = (value << 4) | <i32>(small - 0x57);
    else return -1;
  }
  return value;
}

/** `"`, `\`, `/`, `b`, `f`, `n`, `r`, `t`. */
function isEscape(letter: u8): bool {
  switch (letter) {
    case QUOTE:
    case BACKSLASH:
    case SLASH:
    case 0x62:
    case 0x66:
    case 0x6e:
    case 0x72:
    case 0x74:
      return true;
    default:
      return false;
  }
}

/**
 * Whether a string that is not empty may begin or end with an escape of white space. May return true for others.
 */
export function mayEscapeSpace(start: usize, end: usize): bool {
  if (load<u8>(start) === BACKSLASH && !isSign(load<u8>(start, 1))) return true;
  const size = end - start;
  if (size >= 2 && load<u8>(end - 2) === BACKSLASH && !isSign(load<u8>(end - 1))) return true;
  return size >= UNICODE_BYTES && load<u8>(end - UNICODE_BYTES) === BACKSLASH && load<u8>(end - 5) === LETTER_U;
}

function isSign(letter: u8): bool {
  return letter === QUOTE || letter === BACKSLASH;
}
