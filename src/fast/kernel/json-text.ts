/**
 * Writes UTF-8 cells as JSON, as JSON.stringify does (ECMA-262, "QuoteJSONString"): escapes the quotation mark, the backslash
 * and control characters below U+0020, and copies all other bytes. Also trims cells.
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

function writeEscape(byte: u8, at: usize): usize {
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

/** Length of an escape such as `\u00e9`. */
const UNICODE_BYTES: usize = 6;

/** Whether JSON.stringify would write the last string of {@link stringEnd} in the same way. */
export let isWritten: bool = false;

/**
 * Finds the end of a JSON string (RFC 8259, section 7) whose first backslash is at `at`: the address of the closing quotation
 * mark, or of an invalid byte.
 */
export function stringEnd(at: usize, end: usize): usize {
  isWritten = true;
  let i = at;
  while (load<u8>(i) === BACKSLASH) {
    const letter = load<u8>(i, 1);
    if (letter === LETTER_U || letter === SLASH) isWritten = false;
    if (letter === LETTER_U) {
      for (let digit: usize = 2; digit < UNICODE_BYTES; digit += 1) {
        if (!isHex(load<u8>(i + digit))) return i;
      }
      i += UNICODE_BYTES;
    } else if (isEscape(letter)) i += 2;
    else return i;
    i = seekSpecial(i, end);
  }
  return i;
}

function isHex(byte: u8): bool {
  return <u8>(byte - ZERO) <= 9 || <u8>((byte | 0x20) - 0x61) <= 5;
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
