/**
 * Formats counts, sizes and durations in English. Does not use Intl: loading its tables takes longer than sending a
 * hundred rows.
 */

export const UNKNOWN = '—';

export const DAY_MS = 86_400_000;

export function count(value: number): string {
  return Number.isFinite(value) ? grouped(value) : UNKNOWN;
}

/** `1 row`, `2,000 rows`, `0 batches`. */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** `12.5%`; 0% only for none and 100% only for all. */
export function percentage(part: number, whole: number): string {
  const share = (part / whole) * 100;
  if (part === 0 || part === whole) return part === 0 ? '0%' : '100%';
  if (share < 0.1) return '< 0.1%';
  return share > 99.9 ? '> 99.9%' : `${share.toFixed(1)}%`;
}

const SIZES = ['kB', 'MB', 'GB', 'TB', 'PB'];

/** Bytes in decimal units, as file managers show them: `999 B`, `1.2 kB`, `30.0 MB`. */
export function humanBytes(bytes: number): string {
  if (!Number.isFinite(bytes) || bytes < 0) return UNKNOWN;
  if (bytes < 1000) return `${grouped(bytes)} B`;
  let value = bytes;
  let unit = '';
  for (const size of SIZES) {
    value /= 1000;
    unit = size;
    // 999.95 would be formatted as 1,000.0.
    if (value < 999.95) break;
  }
  return `${oneDecimal(value)} ${unit}`;
}

/** Milliseconds in at most two units: `0.4 s`, `42 s`, `2 min 5 s`, `3 h 12 min`, `2 d 3 h`. */
export function humanDuration(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return UNKNOWN;
  if (ms < 9_950) return `${oneDecimal(ms / 1000)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return pair(seconds, [60, 'min'], [1, 's']);
  if (seconds < 86_370) return pair(Math.round(seconds / 60) * 60, [3600, 'h'], [60, 'min']);
  return pair(Math.round(seconds / 3600) * 3600, [86_400, 'd'], [3600, 'h']);
}

type Unit = readonly [seconds: number, name: string];

function pair(seconds: number, [big, bigName]: Unit, [small, smallName]: Unit): string {
  const rest = Math.floor((seconds % big) / small);
  const first = `${grouped(Math.floor(seconds / big))} ${bigName}`;
  return rest === 0 ? first : `${first} ${rest} ${smallName}`;
}

function grouped(value: number): string {
  const digits = Math.round(Math.abs(value)).toFixed(0);
  return `${value < 0 ? '-' : ''}${digits.replace(/\B(?=(?:\d{3})+$)/g, ',')}`;
}

/** One decimal, for numbers of at least 0. Rounds the decimal text half up, not its binary value. */
function oneDecimal(value: number): string {
  const written = String(value);
  const tenths = Math.round(written.includes('e') ? value * 10 : Number(`${written}e1`));
  return `${grouped(Math.floor(tenths / 10))}.${tenths % 10}`;
}
