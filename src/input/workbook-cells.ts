/**
 * The text of a cell's value: what Excel would show of a number, and dates as ISO 8601. Excel stores dates as numbers; only the
 * style of the cell tells.
 */
import { type Attributes, attribute, readWholeXml } from './xml.ts';

/** `time`: of a day, without a date. `date-time`: always both. */
export type DateKind = 'date' | 'time' | 'date-time';

/** By the index of a cell's style. Undefined if the style does not show a date. */
export type CellStyles = readonly (DateKind | undefined)[];

/** A workbook has at most 65,490 styles. */
const MAX_STYLES = 2 ** 20;

/**
 * The formats that have no code in the file (ECMA-376-1, 18.8.30). What 27 to 36 and 50 to 58 show depends on the
 * language, but they are always dates and times.
 */
function builtIn(id: number): DateKind | undefined {
  if ((id >= 14 && id <= 17) || (id >= 27 && id <= 31) || id === 36 || (id >= 50 && id <= 58)) return 'date';
  if ((id >= 18 && id <= 21) || (id >= 32 && id <= 35) || id === 45 || id === 47) return 'time';
  return id === 22 ? 'date-time' : undefined;
}

export async function readStyles(bytes: AsyncIterable<Buffer>): Promise<CellStyles> {
  const formats = new Map<number, DateKind | undefined>();
  const styles: (DateKind | undefined)[] = [];
  let isInCellFormats = false;
  await readWholeXml(bytes, {
    open(name, attributes) {
      if (name === 'cellXfs') isInCellFormats = true;
      else if (name === 'numFmt') {
        formats.set(formatId(attributes), kindOfFormat(attribute(attributes, 'formatCode') ?? ''));
      } else if (name === 'xf' && isInCellFormats && styles.length < MAX_STYLES) {
        const id = formatId(attributes);
        styles.push(formats.has(id) ? formats.get(id) : builtIn(id));
      }
    },
    close(name) {
      if (name === 'cellXfs') isInCellFormats = false;
    },
  });
  return styles;
}

function formatId(attributes: Attributes): number {
  return Number(attribute(attributes, 'numFmtId') ?? 0);
}

/** What a format code says literally: quoted text, escaped characters, padding, fill, and the words for no format. */
const LITERALS = /"[^"]*"|[\\_*].|General|Standard/gi;

/**
 * What a number format shows: `yyyy-mm-dd` a date, `h:mm` a time. Elapsed time (`[h]:mm`) is a number of days, not a time
 * of a day.
 */
export function kindOfFormat(code: string): DateKind | undefined {
  const [first = ''] = code.replace(LITERALS, '').split(';');
  if (/\[(?:h+|m+|s+)\]/i.test(first)) return undefined;
  // In brackets: colours, conditions, languages, currencies. After E: an exponent.
  const letters = first.replace(/\[[^\]]*\]|E[+-]/gi, '').toLowerCase();
  const hasTime = /[hs]|a\/p|am\/pm/.test(letters);
  const hasDate = /[ydgeb]|mmm/.test(letters) || (!hasTime && letters.includes('m'));
  if (hasDate) return hasTime ? 'date-time' : 'date';
  return hasTime ? 'time' : undefined;
}

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
  if (digits.length <= SHOWN_DIGITS) return plainDecimal(stored, sign, [whole, fraction], Number(exponent ?? 0));
  const rounded = Number(stored).toPrecision(SHOWN_DIGITS);
  const parts = NUMBER.exec(rounded);
  if (parts === null) return stored;
  return plainDecimal(stored, sign, [parts[2] ?? '', parts[3] ?? ''], Number(parts[4] ?? 0));
}

/** Moves the point by the exponent. */
function plainDecimal(
  stored: string,
  sign: string,
  [whole, fraction]: readonly [string, string],
  exponent: number,
): string {
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
