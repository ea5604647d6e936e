/** The text of a cell's value: what Excel would show of a number, and dates as ISO 8601. */
import type { DateKind } from './styles.ts';

/** Digits that Excel shows. A double has up to 17, and the last two are the rounding of the binary number. */
const SHOWN_DIGITS = 15;

/** Longest run of zeros written for an exponent. */
const MAX_EXPONENT = 30;

const NUMBER = /^(-?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/;

/**
 * The text of a number: as stored, but without an exponent, and without digits that Excel does not show. A whole number
 * keeps all its digits: other programs store long ids, which a double cannot hold.
 */
export function numberText(stored: string): string {
  if (stored.length <= SHOWN_DIGITS && !/[eE]/.test(stored)) return stored;
  const match = NUMBER.exec(stored);
  if (match === null) return stored;
  const [, sign = '', whole = '', fraction = '', exponent] = match;
  if (fraction === '' && exponent === undefined) return stored;
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  if (digits.length <= SHOWN_DIGITS) return plainDecimal(stored, sign, whole, fraction, Number(exponent ?? 0));
  const rounded = Number(stored).toPrecision(SHOWN_DIGITS);
  const parts = NUMBER.exec(rounded);
  if (parts === null) return stored;
  return plainDecimal(stored, sign, parts[2] ?? '', parts[3] ?? '', Number(parts[4] ?? 0));
}

/** Moves the point by the exponent. */
function plainDecimal(stored: string, sign: string, whole: string, fraction: string, exponent: number): string {
  if (Math.abs(exponent) > MAX_EXPONENT) return stored;
  const point = whole.length + exponent;
  const digits = `${'0'.repeat(Math.max(0, -point))}${whole}${fraction}`.padEnd(point, '0');
  const at = Math.max(0, point);
  const before = digits.slice(0, at).replace(/^0+(?=\d)/, '');
  const after = digits.slice(at).replace(/0+$/, '');
  return `${sign}${before === '' ? '0' : before}${after === '' ? '' : `.${after}`}`;
}

const DAY_MS = 86_400_000;

/** 9999-12-31 in the 1900 system. */
const LAST_DAY = 2_958_465;

/** Days between the two systems. */
const DAYS_TO_1904 = 1462;

/** The day that Excel believes 1900 to have had: a bug of Lotus 1-2-3. */
const LEAP_DAY_BUG = 60;

/**
 * The date or time of a serial number, to the millisecond: `2026-11-20`, `2026-11-20T14:05:00`, `14:05:00`. The number
 * itself if it is no date: negative, or after the year 9999.
 */
export function dateText(stored: string, kind: DateKind, is1904: boolean): string {
  const serial = Number(stored);
  const total = Math.round((is1904 ? serial + DAYS_TO_1904 : serial) * DAY_MS);
  const day = Math.floor(total / DAY_MS);
  if (!(serial >= 0) || day > LAST_DAY) return numberText(stored);
  const ms = total - day * DAY_MS;
  const isFirstDay = day === (is1904 ? DAYS_TO_1904 : 0);
  if (kind === 'time' && isFirstDay) return timeText(ms);
  return ms === 0 && kind !== 'date-time' ? dayText(day) : `${dayText(day)}T${timeText(ms)}`;
}

function timeText(ms: number): string {
  return new Date(ms).toISOString().slice(11, ms % 1000 === 0 ? 19 : 23);
}

function dayText(day: number): string {
  // As Excel shows them. They are no dates, so a mapping refuses them.
  if (day === 0) return '1900-01-00';
  if (day === LEAP_DAY_BUG) return '1900-02-29';
  const sinceEpoch = Date.UTC(1899, 11, day < LEAP_DAY_BUG ? 31 : 30) + day * DAY_MS;
  return new Date(sinceEpoch).toISOString().slice(0, 10);
}

/** Resolves the escapes of characters that XML cannot hold: `_x000D_` is a carriage return. */
export function unescapeText(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(/_x([\da-fA-F]{4})_/g, (_match, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
