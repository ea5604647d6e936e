/**
 * Cells that are numbers or date-times of a form that is certain. Each function says whether the reference path would
 * write the cell's own bytes; where it says no, that path decides.
 */

const ZERO = 0x30;
const NINE = 0x39;
const MINUS = 0x2d;
const POINT = 0x2e;

/** A double holds every decimal number of so many digits, and JavaScript writes those digits again. */
const CERTAIN_DIGITS = 15;
/** From so many zeros behind the point on JavaScript writes an exponent. */
const EXPONENT_ZEROS = 6;

/**
 * Whether the cell is a number exactly as JavaScript writes it: no plus, no zeros in front or behind, no exponent, at
 * most 15 digits, and not -0.
 */
export function isCanonicalNumber(bytes: Buffer, start: number, end: number): boolean {
  let i = start;
  if (bytes[i] === MINUS) i += 1;
  if (i >= end || end - i > CERTAIN_DIGITS + 1) return false;
  const first = bytes[i] ?? 0;
  if (first < ZERO || first > NINE) return false;
  const whole = i;
  while (i < end && isDigit(bytes[i] ?? 0)) i += 1;
  if (first === ZERO && i - whole > 1) return false;
  if (i === end) return i - whole <= CERTAIN_DIGITS && !(first === ZERO && whole > start);
  if (bytes[i] !== POINT) return false;
  i += 1;
  const fraction = i;
  while (i < end && isDigit(bytes[i] ?? 0)) i += 1;
  if (i !== end || fraction === end || bytes[end - 1] === ZERO) return false;
  if (end - whole - 1 > CERTAIN_DIGITS) return false;
  if (first !== ZERO) return true;
  let zeros = 0;
  while (bytes[fraction + zeros] === ZERO) zeros += 1;
  return zeros < EXPONENT_ZEROS;
}

/** Whether a cell that is not empty begins as a number may: only then can writing a number give it back. */
export function mayBeNumber(bytes: Buffer, start: number): boolean {
  const first = bytes[start] ?? 0;
  return isDigit(first) || first === MINUS;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}

/** What {@link dateTimeForm} knows. */
export const UNKNOWN = 0;
const WITH_OFFSET = 1;
export const WITHOUT_OFFSET = 2;

const LOCAL_LENGTH = 'yyyy-mm-ddThh:mm:ss'.length;
const LAST_CERTAIN_DAY = 28;

/** Of `2026-11-20T09:15:00`, alone or with `Z` or `+01:00` behind it, up to the 28th day of a month. */
export function dateTimeForm(bytes: Buffer, start: number, end: number): number {
  const length = end - start;
  if (length < LOCAL_LENGTH || bytes[start + 4] !== MINUS || bytes[start + 7] !== MINUS) return UNKNOWN;
  if (bytes[start + 10] !== 0x54 || bytes[start + 13] !== 0x3a || bytes[start + 16] !== 0x3a) return UNKNOWN;
  if (two(bytes, start) < 0 || two(bytes, start + 2) < 0) return UNKNOWN;
  const month = two(bytes, start + 5);
  const day = two(bytes, start + 8);
  if (month < 1 || month > 12 || day < 1 || day > LAST_CERTAIN_DAY) return UNKNOWN;
  if (!isClock(bytes, start + 11) || !isSixtieth(two(bytes, start + 17))) return UNKNOWN;
  if (length === LOCAL_LENGTH) return WITHOUT_OFFSET;
  const at = start + LOCAL_LENGTH;
  if (length === LOCAL_LENGTH + 1) return bytes[at] === 0x5a ? WITH_OFFSET : UNKNOWN;
  if (length !== LOCAL_LENGTH + '+hh:mm'.length) return UNKNOWN;
  if ((bytes[at] !== 0x2b && bytes[at] !== MINUS) || bytes[at + 3] !== 0x3a) return UNKNOWN;
  return isClock(bytes, at + 1) ? WITH_OFFSET : UNKNOWN;
}

/** Hours and minutes, with a byte between them. */
function isClock(bytes: Buffer, at: number): boolean {
  const hour = two(bytes, at);
  return hour >= 0 && hour < 24 && isSixtieth(two(bytes, at + 3));
}

function isSixtieth(value: number): boolean {
  return value >= 0 && value < 60;
}

/** The number that two digits make; negative where they are none. */
function two(bytes: Buffer, at: number): number {
  const tens = bytes[at] ?? 0;
  const ones = bytes[at + 1] ?? 0;
  return isDigit(tens) && isDigit(ones) ? (tens - ZERO) * 10 + ones - ZERO : -1;
}
