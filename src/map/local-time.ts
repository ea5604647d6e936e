/**
 * Dates without luxon, ten times as fast and with the same result (test/map/dates.test.ts): common formats, and local times on
 * days around which the zone keeps one offset. Also month names of other languages. Pure.
 */
import type { Zone } from 'luxon';
import { DAY_MS } from '../lib/units.ts';
import monthNames from './month-names.json' with { type: 'json' };

/** Languages of month names. Node's own tables differ between versions, but the same input must give the same records everywhere. */
export const LOCALES = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'sv', 'da', 'no', 'pl', 'cs', 'tr', 'ru'] as const;

export type Locale = (typeof LOCALES)[number];

/** From January to December; slashes separate the forms of a month. In lower case, as {@link plain} leaves them: й is и. */
const NAMES: Readonly<Record<Locale, string>> = monthNames;

const ENGLISH_MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);

const INDEXES: ReadonlyMap<Locale, ReadonlyMap<string, number>> = new Map(
  LOCALES.map((locale) => [
    locale,
    new Map(NAMES[locale].split(' ').flatMap((forms, month) => forms.split('/').map((form) => [form, month] as const))),
  ]),
);

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

const PARTS = { M: 'month', d: 'day', H: 'hour', h: 'twelve', m: 'minute', s: 'second' };

/** Luxon's tokens, as patterns. Formats with other tokens are left to luxon. */
const TOKENS: ReadonlyMap<string, string> = new Map([
  ...Object.entries(PARTS).flatMap(([letter, part]): readonly [string, string][] => [
    [letter, `(?<${part}>\\d{1,2})`],
    [letter.repeat(2), `(?<${part}>\\d{2})`],
  ]),
  ['yyyy', '(?<year>\\d{4})'],
  ['SSS', '(?<milli>\\d{3})'],
  ['MMM', `(?<name>${ENGLISH_MONTHS.map((name) => name.slice(0, 3)).join('|')})`],
  ['MMMM', `(?<name>${ENGLISH_MONTHS.join('|')})`],
  ['a', '(?<half>AM|PM)'],
]);

/** The texts of a format. Undefined if it has other tokens or quotes, a part twice, or no year, month or day. */
export function datePattern(format: string): RegExp | undefined {
  const pieces = (format.match(/([a-zA-Z])\1*|[^a-zA-Z]/g) ?? []).map((piece) =>
    /[a-zA-Z']/.test(piece) ? TOKENS.get(piece) : `\\u${piece.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const parts = pieces.flatMap((piece) => /<(\w+)>/.exec(piece ?? '')?.[1] ?? []);
  const has = (part: string): boolean => parts.includes(part);
  const isWhole = has('year') && has('day') && has('month') !== has('name') && has('half') === has('twelve');
  const isOnce = new Set(parts).size === parts.length && !(has('hour') && has('twelve'));
  return isWhole && isOnce && !pieces.includes(undefined) ? new RegExp(`^${pieces.join('')}$`, 'i') : undefined;
}

const FIRST_YEAR = 100;

/**
 * Parses a date to the instant, in milliseconds. NaN if the text does not match, is not a date, or luxon must decide.
 *
 * @param pattern with the groups of {@link datePattern}, and perhaps `offset`
 */
export function parseByPattern(text: string, pattern: RegExp, toUtc: LocalToUtc): number {
  const parts = pattern.exec(text)?.groups;
  if (parts === undefined) return Number.NaN;
  const { name, half, offset } = parts;
  const number = (part: string): number => Number(parts[part] ?? 0);
  const [year, day, minute, second] = [number('year'), number('day'), number('minute'), number('second')];
  const month = name === undefined ? number('month') - 1 : (INDEXES.get('en')?.get(name.toLowerCase()) ?? -1);
  const twelve = number('twelve');
  const hour = half === undefined ? number('hour') : (twelve % 12) + (/^p/i.test(half) ? 12 : 0);
  const isTime = minute < 60 && second < 60 && (half === undefined || (twelve > 0 && twelve < 13));
  if (year < FIRST_YEAR || month < 0 || month > 11 || !isTime) return Number.NaN;
  const local = Date.UTC(year, month, day, hour, minute, second, number('milli'));
  // Date.UTC reads 31 February as a day in March, and 24:00 as the next day.
  if (new Date(local).getUTCDate() !== day) return Number.NaN;
  if (offset === undefined) return toUtc(local);
  const shift = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4));
  return local - (offset.startsWith('-') ? -shift : shift) * MINUTE_MS;
}

/** Converts a local time, in milliseconds as if in UTC, to the instant. NaN if luxon must decide, and for NaN. */
export type LocalToUtc = (localTime: number) => number;

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
