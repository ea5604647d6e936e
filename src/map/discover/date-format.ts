/**
 * Detects the date format of a column: the only one that every sampled value has. If two formats fit and give different days
 * (03/04/2026), the user must decide (docs/mapping.md, "The mapping file").
 */
import { dateTime } from '../../contract/value-kinds.ts';
import { type Locale, localesOf } from '../local-time.ts';
import { dateConverter } from '../parse-date.ts';
import type { ColumnProfile } from './column-facts.ts';

export type DateFormats =
  /** ISO 8601: sent unchanged. */
  | { readonly kind: 'iso' }
  | { readonly kind: 'format'; readonly format: string; readonly locale?: Locale }
  /** Several formats fit and give different days. */
  | { readonly kind: 'ambiguous'; readonly formats: readonly string[] }
  /** Some values are days, and the others have a time of day: one format for each. */
  | { readonly kind: 'formats'; readonly formats: readonly string[] }
  /** The only format of most values: of `readable`, one for each row. */
  | { readonly kind: 'mostly'; readonly format: string; readonly locale?: Locale; readonly readable: readonly string[] }
  /** No known format fits all values. `some`: whether any value is a date. */
  | { readonly kind: 'none'; readonly some: boolean };

/** Maximum distinct values that are tried with each format: parsing dates is slow. */
const TRIED = 60;

const DAYS = [
  'M/d/yyyy',
  'd/M/yyyy',
  'd.M.yyyy',
  'd. M. yyyy',
  'd-M-yyyy',
  'M-d-yyyy',
  'yyyy/M/d',
  'yyyy.M.d',
  'yyyy. M. d.',
  'yyyy-M-d',
  'yyyy年M月d日',
  'MMM d, yyyy',
  'MMMM d, yyyy',
  'd MMM yyyy',
  'd MMMM yyyy',
  'd MMM, yyyy',
  'd-MMM-yyyy',
  'd-MMM-yy',
  'ccc, MMM d, yyyy',
  'cccc, MMMM d, yyyy',
  'M/d/yy',
  'd/M/yy',
  'd.M.yy',
] as const;
const TIMES = ['', ' H:mm', ' H:mm:ss', ' h:mm a', ' h:mm:ss a', ' h:mma', ', h:mm a', ', H:mm', ' H:mm ZZZ'] as const;

const KOREAN = ['yyyy년 M월 d일', 'yyyy년 M월 d일 H:mm', 'yyyy년 M월 d일 H시 m분'] as const;
const HOURS = ['yyyy年M月d日 H時m分', 'yyyy年M月d日H時m分', 'yyyy年M月d日 H时m分'] as const;
const DAYS_AND_TIMES = TIMES.flatMap((time) => DAYS.map((day) => `${day}${time}`));

/** Of RSS and e-mails: Mon, 10 Mar 2025 06:12:48 +0000. */
const OF_FEEDS = ['ccc, d MMM yyyy H:mm:ss ZZZ', 'ccc, d MMM yyyy H:mm:ss z'] as const;

const FORMATS: readonly string[] = ['iso', 'sql', ...DAYS_AND_TIMES, ...HOURS, ...KOREAN, ...OF_FEEDS];

/** Formats with month names, which other languages use too. */
const IN_LETTERS: readonly string[] = [
  ...DAYS.filter((day) => day.includes('MMM') && !day.startsWith('c')),
  'd. MMMM yyyy',
  'd. MMM yyyy',
  "d 'de' MMMM 'de' yyyy",
  "d 'de' MMM 'de' yyyy",
].flatMap((day) => ['', ' H:mm', ' H:mm:ss', ', H:mm'].map((time) => `${day}${time}`));

/** Counts of days or seconds. They look like any number, so only columns with the header of a date come here. */
const COUNTED: readonly string[] = ['epoch', 'epoch_ms', 'excel', 'yyyyMMdd'];

/** Minimum share of readable dates in a column whose other values can be left out. */
const MOSTLY = 0.7;

/** The same in a column with the name of the field, whose other values make rows invalid. */
const HALF = 0.5;

/** The order of day, month and year, as `dMy`. */
export type DateOrder = string;

/** Letters of day, month and year in headers: DD.MM.YYYY, TT.MM.JJJJ (German), JJ/MM/AAAA (French), GG.AA.YYYY (Turkish). */
const STATED = /(?<![\p{L}])(\p{L}{1,4})([./-])(\p{L}{1,4})\2(\p{L}{1,4})(?![\p{L}])/u;

/** The order that a header states: "Announced (M/D/Y)". */
export function statedOrder(header: string): DateOrder | undefined {
  const found = STATED.exec(header)
    ?.slice(1)
    .filter((_, index) => index !== 1);
  const parts = found?.map((part) => part.toLowerCase());
  if (parts?.every((part) => /^([a-z])\1*$/.test(part)) !== true) return undefined;
  const year = parts.findIndex((part) => part.length === 4 || part === 'y' || part === 'yy');
  const month = parts.findIndex((part, index) => index !== year && part.startsWith('m'));
  const byLetter = month === -1 ? parts.findIndex((part, index) => index !== year && part === 'aa') : month;
  if (year === -1 || byLetter === -1) return undefined;
  return parts.map((_, index) => (index === year ? 'y' : index === byLetter ? 'M' : 'd')).join('');
}

export function orderOf(format: string): DateOrder {
  return format.replace(/[^dMy]/g, '').replace(/(.)\1+/g, '$1');
}

/** @param stated decides between formats that give different days */
export function detectDateFormat({ texts, distinct }: ColumnProfile, stated?: DateOrder): DateFormats {
  const values = distinct.slice(0, TRIED);
  if (values.length === 0) return { kind: 'none', some: false };
  const whole = formatOfAll(values, stated);
  if (whole.kind !== 'none' || !whole.some) return whole;
  const formats = [/^(?!.*\d:\d)/u, /\d:\d/u].flatMap((form) => {
    const those = values.filter((value) => form.test(value));
    const found = formatOfAll(those, stated);
    return found.kind === 'format' && found.locale === undefined ? [found.format] : [];
  });
  if (formats.length === 2 && new Set(formats.map(orderOf)).size === 1) return { kind: 'formats', formats };
  // "30+ days ago" between dates: the format of the others.
  const dated = values.filter((value) => /\d/.test(value) && !RELATIVE.test(value));
  return dated.length === values.length ? whole : (formatOfSome(dated, texts, MOSTLY, { stated }) ?? whole);
}

/**
 * For a column with the name of the field: the format of the values with the most frequent shape, such as 9/9/2026, if it and
 * ISO 8601 read at least half of all values.
 */
export function mostFrequentFormat({ texts, distinct }: ColumnProfile, stated?: DateOrder): DateFormats | undefined {
  const [shape = []] = shapesOf(distinct);
  return formatOfSome(shape.slice(0, TRIED), texts, HALF, { stated, others: ['iso'] });
}

/** The format of `some`, if it and `others` read the share `least` of all texts. */
function formatOfSome(
  some: readonly string[],
  texts: readonly string[],
  least: number,
  { stated, others = [] }: { readonly stated: DateOrder | undefined; readonly others?: readonly string[] },
): DateFormats | undefined {
  const found = formatOfAll(some, stated);
  if (found.kind !== 'iso' && found.kind !== 'format') return undefined;
  const read = found.kind === 'iso' ? undefined : dateConverter({ ...found, format: [...others, found.format] });
  const readable = texts.filter((text) =>
    read === undefined ? dateTime.read(text) !== undefined : typeof read(text) === 'string',
  );
  const format = found.kind === 'iso' ? { format: 'iso' } : found;
  return readable.length < least * texts.length ? undefined : { ...format, kind: 'mostly', readable };
}

/** Texts by shape, the most frequent first: runs of digits and of letters are equal, except for years. */
export function shapesOf(texts: readonly string[]): readonly (readonly string[])[] {
  const shapes = new Map<string, string[]>();
  for (const text of texts) {
    const shape = text
      .replace(/\d{4,}/gu, 'Y')
      .replace(/\d+/gu, '9')
      .replace(/\p{L}+/gu, 'a');
    shapes.set(shape, [...(shapes.get(shape) ?? []), text]);
  }
  return [...shapes.values()].sort((one, other) => other.length - one.length);
}

const RELATIVE = /\p{L}{4}|\bago\b|\+/iu;

function formatOfAll(values: readonly string[], stated: DateOrder | undefined): DateFormats {
  if (values.length === 0) return { kind: 'none', some: false };
  if (values.every((value) => dateTime.read(value) !== undefined)) return { kind: 'iso' };
  const counted = values.every((value) => /^\d+(?:\.\d+)?$/u.test(value));
  const found = readingsOf(values, counted ? COUNTED : FORMATS);
  const agreeing = found.filter(({ format }) => orderOf(format) === stated);
  const readings = agreeing.length === 1 ? agreeing : found;
  const [only] = readings;
  if (readings.length > 1) return { kind: 'ambiguous', formats: readings.map(({ format }) => format) };
  if (only !== undefined) return { kind: 'format', ...only };
  // Month names in another language, or in another form than luxon's: Sept, Nov.
  const [named, ...others] = counted ? [] : readingsOf(values, IN_LETTERS, localesOf(values));
  // Two readings are ambiguous: "mar" is March in some languages and Tuesday in others.
  if (named !== undefined && others.length === 0) return { kind: 'format', ...named };
  return { kind: 'none', some: !counted && someDate(values) };
}

/** The formats that read all values. One that gives the same moments as an earlier one is no rival. */
function readingsOf(
  values: readonly string[],
  formats: readonly string[],
  locales: readonly (Locale | undefined)[] = [undefined],
): readonly { readonly format: string; readonly locale?: Locale }[] {
  const found = new Map<string, { readonly format: string; readonly locale?: Locale }>();
  for (const locale of locales) {
    for (const format of formats) {
      const read = allRead(values, format, locale);
      if (read !== undefined && !found.has(read)) found.set(read, { format, ...(locale && { locale }) });
    }
  }
  return [...found.values()];
}

/** All moments as one text. Undefined if a value does not have the format, or is not between 1990 and 2100. */
function allRead(values: readonly string[], format: string, locale?: Locale): string | undefined {
  const [first = ''] = values;
  if (!marksOf(format).every((mark) => first.includes(mark))) return undefined;
  const read = dateConverter({ format, locale });
  const moments: string[] = [];
  for (const value of values) {
    const moment = read(value);
    if (typeof moment !== 'string' || moment < '1990' || moment > '2100') return undefined;
    moments.push(moment);
  }
  return moments.join(' ');
}

/** A value without the punctuation of a format does not have it. Parsing would say the same, slowly. */
function marksOf(format: string): readonly string[] {
  return format.replace(/'[^']*'/gu, '').match(/[.,/:年月日년]|-(?=[Md])/gu) ?? [];
}

function someDate(values: readonly string[]): boolean {
  return values.some((value) =>
    /\d{4}|\d{1,2}[./-]\d{1,2}|^\p{Lu}?\p{Ll}{2,8}[. ]+\d{1,2}$|^\d{1,2}[. ]+\p{L}{3,9}$|\bago\b|\bvor\b|\bil y a\b|\bhace\b|\bfa$|\bhá\b|geleden|sedan|siden|temu|önce|назад|前|전$|today|yesterday|heute|gestern|vandaag|gisteren|aujourd|hier|hoy|ayer|oggi|ieri|hoje|ontem|idag|igår|dzisiaj|wczoraj|bugün|dün|今日|昨日|今天|昨天|오늘|어제/iu.test(
      value,
    ),
  );
}
