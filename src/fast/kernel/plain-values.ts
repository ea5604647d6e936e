/**
 * Detects numbers and date-times that the reference path would write as the bytes of the cell. If unsure, these functions
 * return false, and the host evaluates the cell.
 */
import { COLON, LETTER_E, LETTER_T, LETTER_Z, MINUS, PLUS, POINT, VECTOR, ZERO } from './memory';

/** A decimal number with this many digits is preserved by a double and formatted with the same digits. */
const EXACT_DIGITS: usize = 15;
/** With this many zeros after the decimal point, JavaScript writes an exponent. */
const EXPONENT_ZEROS: usize = 6;

/**
 * Whether a cell that is not empty is a number as JavaScript formats it: no plus, no leading or trailing zeros, no exponent,
 * at most 15 digits, not -0.
 */
export function isCanonicalNumber(start: usize, end: usize): bool {
  const whole = load<u8>(start) === MINUS ? start + 1 : start;
  if (whole >= end || end - whole > EXACT_DIGITS + 1) return false;
  const first = load<u8>(whole);
  let i = digitsEnd(whole, end);
  if (i === whole || (first === ZERO && i - whole > 1)) return false;
  if (i === end) return i - whole <= EXACT_DIGITS && !(first === ZERO && whole > start);
  if (load<u8>(i) !== POINT) return false;
  const fraction = i + 1;
  i = digitsEnd(fraction, end);
  if (i !== end || fraction === end || load<u8>(end - 1) === ZERO) return false;
  if (end - whole - 1 > EXACT_DIGITS) return false;
  if (first !== ZERO) return true;
  let zeros: usize = 0;
  while (load<u8>(fraction + zeros) === ZERO) zeros += 1;
  return zeros < EXPONENT_ZEROS;
}

/** Whether a cell that is not empty may be a number as JavaScript formats it. */
export function mayBeNumber(start: usize): bool {
  const first = load<u8>(start);
  return isDigit(first) || first === MINUS;
}

/** The address after the JSON number (RFC 8259, section 6) at `at`, or 0. Another byte must follow the number. */
export function numberEnd(at: usize): usize {
  const whole = load<u8>(at) === MINUS ? at + 1 : at;
  if (!isDigit(load<u8>(whole))) return 0;
  let i = load<u8>(whole) === ZERO ? whole + 1 : skipDigits(whole);
  if (load<u8>(i) === POINT) {
    if (!isDigit(load<u8>(i, 1))) return 0;
    i = skipDigits(i + 1);
  }
  if ((load<u8>(i) | 0x20) !== LETTER_E) return i;
  const sign = load<u8>(i, 1);
  const exponent = sign === PLUS || sign === MINUS ? i + 2 : i + 1;
  return isDigit(load<u8>(exponent)) ? skipDigits(exponent) : 0;
}

function skipDigits(at: usize): usize {
  let i = at;
  while (isDigit(load<u8>(i))) i += 1;
  return i;
}

/** The address after the digits from `from` on, at most `end` and at most one vector after `from`. */
function digitsEnd(from: usize, end: usize): usize {
  const digits = i8x16.sub(v128.load(from), i8x16.splat(ZERO));
  const others = i8x16.bitmask(i8x16.gt_u(digits, i8x16.splat(9))) | (1 << (<i32>VECTOR));
  return min(from + <usize>ctz(others), end);
}

function isDigit(byte: u8): bool {
  return <u8>(byte - ZERO) <= 9;
}

/** Results of {@link dateTimeForm}. */
export const UNKNOWN: i32 = 0;
const WITH_OFFSET: i32 = 1;
export const WITHOUT_OFFSET: i32 = 2;

/** Lengths of `yyyy-mm-ddThh:mm:ss` and of `+hh:mm`. */
const LOCAL_LENGTH: usize = 19;
const OFFSET_LENGTH: usize = 6;
const FEBRUARY: i32 = 2;

/** Knows `2026-11-20T09:15:00`, optionally followed by `Z` or `+01:00`. Does not know 29 February. */
export function dateTimeForm(start: usize, end: usize): i32 {
  const length = end - start;
  if (length < LOCAL_LENGTH || load<u8>(start, 4) !== MINUS || load<u8>(start, 7) !== MINUS) return UNKNOWN;
  if (load<u8>(start, 10) !== LETTER_T || load<u8>(start, 13) !== COLON) return UNKNOWN;
  if (load<u8>(start, 16) !== COLON || two(start) < 0 || two(start + 2) < 0) return UNKNOWN;
  const month = two(start + 5);
  const day = two(start + 8);
  if (month < 1 || month > 12 || day < 1 || day > lastDay(month)) return UNKNOWN;
  if (!isClock(start + 11) || !isSixtieth(two(start + 17))) return UNKNOWN;
  if (length === LOCAL_LENGTH) return WITHOUT_OFFSET;
  const at = start + LOCAL_LENGTH;
  const sign = load<u8>(at);
  if (length === LOCAL_LENGTH + 1) return sign === LETTER_Z ? WITH_OFFSET : UNKNOWN;
  if (length !== LOCAL_LENGTH + OFFSET_LENGTH) return UNKNOWN;
  if ((sign !== PLUS && sign !== MINUS) || load<u8>(at, 3) !== COLON) return UNKNOWN;
  return isClock(at + 1) ? WITH_OFFSET : UNKNOWN;
}

/** Last day of a month in any year. Up to July the odd months have 31 days, from August the even ones. */
function lastDay(month: i32): i32 {
  return month === FEBRUARY ? 28 : 30 + ((month + (month >> 3)) & 1);
}

/** Whether `at` has hours, any byte and minutes. */
function isClock(at: usize): bool {
  const hour = two(at);
  return hour >= 0 && hour < 24 && isSixtieth(two(at + 3));
}

function isSixtieth(value: i32): bool {
  return value >= 0 && value < 60;
}

/** The value of two digits, or -1. */
function two(at: usize): i32 {
  const tens = load<u8>(at);
  const ones = load<u8>(at, 1);
  return isDigit(tens) && isDigit(ones) ? <i32>(tens - ZERO) * 10 + <i32>(ones - ZERO) : -1;
}
