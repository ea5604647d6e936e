/**
 * Dates without luxon: common formats of numbers, English month names, AM and PM; local times on days around which the zone
 * keeps one offset; and month names of other languages. Ten times as fast as luxon, with the same result
 * (test/map/dates.test.ts).
 *
 * Times are in milliseconds, as if in UTC. NaN means that luxon must decide: the text has another form or is not a date. Pure.
 */
import { Settings, type Zone } from 'luxon';
import monthNames from './month-names.json' with { type: 'json' };

/** Languages of month names. Node's own tables differ between versions, but the same input must give the same records everywhere. */
export const LOCALES = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'sv', 'da', 'no', 'pl', 'cs', 'tr', 'ru'] as const;

export type Locale = (typeof LOCALES)[number];

/** From January to December; slashes separate the forms of a month. In lower case, as {@link plain} leaves them: й is и. */
const NAMES: Readonly<Record<Locale, string>> = monthNames;

const ENGLISH_MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);

/** The month's index, from 0, by name. */
const INDEXES: ReadonlyMap<Locale, ReadonlyMap<string, number>> = new Map(
  LOCALES.map((locale) => [
    locale,
    new Map(NAMES[locale].split(' ').flatMap((forms, month) => forms.split('/').map((form) => [form, month] as const))),
  ]),
);

/** A word, with the full stop of an abbreviation. */
const WORD = /\p{L}{3,}\.?/gu;

/** Translates the month names of a text to English, whole (`MMMM`) or as three letters (`MMM`). Keeps other words. */
export function withEnglishMonths(text: string, locale: Locale, form: 'whole' | 'short'): string {
  return text.replace(WORD, (word) => {
    const month = INDEXES.get(locale)?.get(plain(word));
    const name = month === undefined ? undefined : ENGLISH_MONTHS[month];
    return name === undefined ? word : form === 'whole' ? name : name.slice(0, 3);
  });
}

/** The languages in which every text contains a month name; English first. */
export function localesOf(texts: readonly string[]): readonly Locale[] {
  return LOCALES.filter((locale) =>
    texts.every((text) => (text.match(WORD) ?? []).some((word) => INDEXES.get(locale)?.has(plain(word)))),
  );
}

function plain(word: string): string {
  return word
    .normalize('NFD')
    .replace(/\p{M}|\./gu, '')
    .toLowerCase();
}

/** Parses the first `end` characters of a text. */
export type LocalTimeParser = (text: string, end: number) => number;

/** `Date.UTC` maps earlier years to the 20th century. */
const FIRST_YEAR = 100;

/** Indexes of the parts of a date. HALF is 0 for AM, 1 for PM. */
const [YEAR, MONTH, DAY, HOUR, MINUTE, SECOND, MILLISECOND, HALF] = [0, 1, 2, 3, 4, 5, 6, 7] as const;

interface Token {
  readonly part: number;
  /** Numbers of digits; of a name, both are 0. */
  readonly least: number;
  readonly most: number;
  /** Values by name in lower case. */
  readonly names?: ReadonlyMap<string, number>;
}

const digits = (part: number, least: number, most = least): Token => ({ part, least, most });
const names = (part: number, list: readonly string[], first: number): Token => ({
  ...digits(part, 0),
  names: new Map(list.map((name, index) => [name.toLowerCase(), index + first])),
});
const SHORT_MONTHS = ENGLISH_MONTHS.map((name) => name.slice(0, 3));
/** luxon's settings decide the century. */
const SHORT_YEAR = digits(YEAR, 2, 4);

/** The supported tokens of luxon. */
const TOKENS: Readonly<Record<string, Token>> = {
  yyyy: digits(YEAR, 4),
  yy: SHORT_YEAR,
  M: digits(MONTH, 1, 2),
  MM: digits(MONTH, 2),
  MMM: names(MONTH, SHORT_MONTHS, 1),
  MMMM: names(MONTH, ENGLISH_MONTHS, 1),
  d: digits(DAY, 1, 2),
  dd: digits(DAY, 2),
  H: digits(HOUR, 1, 2),
  HH: digits(HOUR, 2),
  h: digits(HOUR, 1, 2),
  hh: digits(HOUR, 2),
  m: digits(MINUTE, 1, 2),
  mm: digits(MINUTE, 2),
  s: digits(SECOND, 1, 2),
  ss: digits(SECOND, 2),
  S: digits(MILLISECOND, 1, 3),
  SSS: digits(MILLISECOND, 3),
  a: names(HALF, ['AM', 'PM'], 0),
};

/** A run of one letter, a text in quotes, or one other character. luxon decides about an unmatched quote. */
const FORMAT_PIECE = /([a-zA-Z])\1*|'([^']+)'|[^a-zA-Z']/gy;

/** Undefined if the format has other tokens, a token twice, or no year, month or day. */
export function localTimeParser(format: string): LocalTimeParser | undefined {
  const pieces = piecesOf(format);
  const parts = pieces?.flatMap((piece) => (typeof piece === 'number' ? [] : [piece.part])) ?? [];
  const once = new Set(parts);
  const twelve = /h/.test(format.replace(/'[^']*'/g, ''));
  const isWhole = once.has(YEAR) && once.has(MONTH) && once.has(DAY) && once.has(HALF) === twelve;
  if (pieces === undefined || once.size !== parts.length || !isWhole) return undefined;
  const found = new Int32Array(8);

  return (text, end) => {
    found.fill(0);
    let at = 0;
    for (const piece of pieces) {
      if (typeof piece === 'number') {
        if (text.charCodeAt(at) !== piece) return Number.NaN;
        at += 1;
        continue;
      }
      const from = at;
      let value = 0;
      if (piece.names !== undefined) {
        while (isLetter(text.charCodeAt(at))) at += 1;
        value = piece.names.get(text.slice(from, at).toLowerCase()) ?? Number.NaN;
        if (Number.isNaN(value)) return value;
      }
      // As many digits as possible, like luxon's regular expression.
      for (; at - from < piece.most; at += 1) {
        const digit = text.charCodeAt(at) - 0x30;
        if (!(digit >= 0 && digit <= 9)) break;
        value = value * 10 + digit;
      }
      if (at - from < piece.least) return Number.NaN;
      if (piece === SHORT_YEAR && at - from < 4) {
        if (at - from !== 2) return Number.NaN;
        value += value > Settings.twoDigitCutoffYear ? 1900 : 2000;
      }
      found[piece.part] = value;
    }
    return at === end ? toLocalTime(found, twelve) : Number.NaN;
  };
}

/** Tokens, and the codes of the characters between them. */
function piecesOf(format: string): readonly (Token | number)[] | undefined {
  const pieces: (Token | number)[] = [];
  let end = 0;
  for (const [whole, letter, quoted] of format.matchAll(FORMAT_PIECE)) {
    end += whole.length;
    const token = Object.hasOwn(TOKENS, whole) ? TOKENS[whole] : undefined;
    if (letter === undefined) for (const char of (quoted ?? whole).split('')) pieces.push(char.charCodeAt(0));
    else if (token === undefined) return undefined;
    else pieces.push(token);
  }
  return end === format.length ? pieces : undefined;
}

function toLocalTime(found: Int32Array, twelve: boolean): number {
  const part = (index: number): number => found[index] ?? 0;
  const [year, month, day, hours] = [part(YEAR), part(MONTH), part(DAY), part(HOUR)];
  if (year < FIRST_YEAR || month < 1 || month > 12 || day < 1 || part(MINUTE) > 59 || part(SECOND) > 59)
    return Number.NaN;
  if (twelve ? hours < 1 || hours > 12 : hours > 23) return Number.NaN;
  const hour = twelve ? (hours % 12) + 12 * part(HALF) : hours;
  const time = Date.UTC(year, month - 1, day, hour, part(MINUTE), part(SECOND), part(MILLISECOND));
  // Date.UTC reads 31 February as a day in March.
  return day > 28 && new Date(time).getUTCDate() !== day ? Number.NaN : time;
}

function isLetter(code: number): boolean {
  return (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
}

/** Converts a local time, in milliseconds as if in UTC, to the instant. NaN if luxon must decide, and for NaN. */
export type LocalToUtc = (localTime: number) => number;

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/**
 * luxon asks the platform's calendar several times for each date; {@link localToUtcIn} asks once for each day. Offsets are looked
 * up at midnight UTC, so two changes between midnights would be missed. From March 1972 to 2100, the time zone database has none:
 * the shortest time between two changes is a week (America/Recife in October 2000).
 */
const FIRST_DAY = Date.UTC(1972, 3, 1) / DAY_MS;
const LAST_DAY = Date.UTC(2100, 0, 1) / DAY_MS;
/** Offsets are below 15 hours, and luxon looks one day further in both directions. */
const DAYS_BEFORE = 2;
const DAYS_AFTER = 3;

export function localToUtcIn(zone: Pick<Zone, 'isUniversal' | 'offset'>): LocalToUtc {
  if (zone.isUniversal) {
    const shift = zone.offset(0) * MINUTE_MS;
    return (localTime) => localTime - shift;
  }
  /** By day since 1970-01-01: the offset in milliseconds; NaN if it changes around that day. */
  const shifts = new Map<number, number>();
  const shiftAround = (day: number): number => {
    const offset = zone.offset(day * DAY_MS);
    for (let other = day - DAYS_BEFORE; other <= day + DAYS_AFTER; other += 1) {
      if (zone.offset(other * DAY_MS) !== offset) return Number.NaN;
    }
    return offset * MINUTE_MS;
  };

  return (localTime) => {
    const day = Math.floor(localTime / DAY_MS);
    if (!(day >= FIRST_DAY && day < LAST_DAY)) return Number.NaN;
    let shift = shifts.get(day);
    if (shift === undefined) {
      shift = shiftAround(day);
      shifts.set(day, shift);
    }
    return localTime - shift;
  };
}
