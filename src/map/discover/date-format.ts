/**
 * Detects the date formats of a column: one for all sampled values, or a list that reads all that can be read. If two formats fit
 * and give different days (03/04/2026), the user must decide (docs/mapping.md, "The mapping file").
 */
import { dateTime } from '../../contract/value-kinds.ts';
import { once } from '../../lib/resources.ts';
import { type Locale, localesOf } from '../local-time.ts';
import { dateConverter } from '../parse-date.ts';
import type { ColumnProfile } from './column.ts';
import lists from './words.json' with { type: 'json' };

/** How the dates of a column can be read. */
export interface DateReadings {
  /** Each reads all that can be read. Several if the order of day and month is open, none if no value is a date. */
  readonly ways: readonly DateWay[];
  /** The texts that they do not read, one for each row. */
  readonly unread: readonly string[];
}

/** Formats of which one reads each date; `iso` alone is sent unchanged. */
export interface DateWay {
  readonly formats: readonly string[];
  readonly locale?: Locale | undefined;
}

interface DateFormat {
  readonly format: string;
  readonly locale?: Locale | undefined;
}

/** Maximum distinct values that are tried with each format: parsing dates is slow. */
const TRIED = 60;

/** Shapes of dates in one column. */
const SHAPES = 12;

/** Characters of a date. */
const LONGEST = 60;

const { dates } = lists;

const FORMATS: readonly string[] = [
  'iso',
  'sql',
  ...dates.times.flatMap((time) => dates.days.map((day) => `${day}${time}`)),
  ...dates.others,
];

/** Formats with month names, which other languages use too. */
const IN_LETTERS = [
  ...dates.days.filter((day) => day.includes('MMM') && !day.startsWith('c')),
  ...dates.in_letters,
].flatMap((day) => ['', ' H:mm', ' H:mm:ss', ', H:mm'].map((time) => `${day}${time}`));

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

/**
 * One format for each shape, such as 9/9/2026, with all that can be read.
 *
 * @param stated decides between formats that give different days
 * @param isNamed the column has the name of the field: only the order of its first clear dates, because `fix` offers the others
 */
export function detectDates(
  { texts, distinct }: Pick<ColumnProfile, 'texts' | 'distinct'>,
  stated?: DateOrder,
  isNamed = false,
): DateReadings {
  const values = distinct.slice(0, TRIED);
  const shapes = shapesOf(values.filter((value) => /\d/u.test(value) && value.length < LONGEST));
  const found = shapes.slice(0, SHAPES).map((shape) => mostOf(shape, stated));
  const numeric = found.filter(
    ([only, ...others]) => others.length === 0 && /^[dM]{1,2}[^dM]/u.test(only?.format ?? ''),
  );
  const orders = new Set(numeric.flatMap((formats) => formats.map(dayOrder)));
  const [known] = orders.size === 1 ? orders : [];
  const isOpen = (formats: readonly DateFormat[]): boolean =>
    formats.length > 1 && !formats.some((each) => dayOrder(each) === known);
  const clear = found.filter((formats) => formats.length > 0 && !isOpen(formats)).flatMap(([first]) => first ?? []);
  const main = clear.find(({ format }) => format !== 'iso') ?? clear[0];
  const isAlike = ([first]: readonly DateFormat[]): boolean =>
    first?.format === 'iso' ||
    (main !== undefined && first !== undefined && orderOf(first.format) === orderOf(main.format));
  const used = isNamed && main !== undefined ? found.filter((formats) => !isOpen(formats) && isAlike(formats)) : found;
  const open = used.find(isOpen);
  // One answer for all shapes that are open: day first, or month first.
  const ways = (open === undefined ? [known] : [...new Set(open.map(dayOrder))]).flatMap(
    (order): readonly DateWay[] => {
      const chosen = used.flatMap((formats) => formats.find((each) => dayOrder(each) === order) ?? formats[0] ?? []);
      const locale = chosen.find((each) => each.locale !== undefined)?.locale;
      const fitting = chosen.filter((each) => each.locale === undefined || each.locale === locale);
      return chosen.length === 0 ? [] : [{ formats: [...new Set(fitting.map(({ format }) => format))], locale }];
    },
  );
  return { ways, unread: unreadBy(ways[0], texts) };
}

function unreadBy(way: DateWay | undefined, texts: readonly string[]): readonly string[] {
  const read = way && dateConverter({ format: [...way.formats], locale: way.locale });
  return texts.filter((text) => typeof read?.(text) !== 'string');
}

/** Which of day and month comes first. */
function dayOrder({ format }: DateFormat): string {
  return orderOf(format).slice(0, 2);
}

/** Texts by shape, the most frequent first: runs of digits and of letters are equal, except for years. */
function shapesOf(texts: readonly string[]): readonly (readonly string[])[] {
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

/** The formats of a shape, without values such as 31 February; none if another format reads these. */
function mostOf(shape: readonly string[], stated: DateOrder | undefined): readonly DateFormat[] {
  const all = formatsOf(shape, shape.length, stated);
  const formats = all.length > 0 ? all : formatsOf(shape, Math.ceil(shape.length / 2), stated);
  const [first] = formats;
  if (first === undefined || first.format === 'iso') return formats;
  const read = dateConverter(first);
  const others = shape.filter((text) => typeof read(text) !== 'string');
  return others.length > 0 && formatsOf(others, 1, stated).length > 0 ? [] : formats;
}

/** The formats that read the most values, at least so many; of those that agree about the moments, the first. */
function formatsOf(values: readonly string[], least: number, stated: DateOrder | undefined): readonly DateFormat[] {
  if (values.length === 0) return [];
  if (values.every((value) => dateTime.read(value) !== undefined)) return [{ format: 'iso' }];
  const counted = values.every((value) => /^\d+(?:\.\d+)?$/u.test(value));
  const found = readingsOf(values, least, counted ? dates.counted : FORMATS);
  const agreeing = found.filter(({ format }) => orderOf(format) === stated);
  if (found.length > 0) return agreeing.length === 1 ? agreeing : found;
  // Month names in another language, or in another form than luxon's: Sept, Nov.
  const named = counted ? [] : readingsOf(values, least, IN_LETTERS, localesOf(values));
  // Two readings are ambiguous: "mar" is March in some languages and Tuesday in others.
  return named.length === 1 ? named : [];
}

function readingsOf(
  values: readonly string[],
  least: number,
  formats: readonly string[],
  locales: readonly (Locale | undefined)[] = [undefined],
): readonly DateFormat[] {
  let most = least;
  const found = new Map<string, DateFormat & { readonly count: number }>();
  for (const locale of locales) {
    for (const format of formats) {
      const moments = momentsOf(values, most, { format, locale });
      const key = moments?.join(' ');
      if (moments === undefined || key === undefined || found.has(key)) continue;
      const count = moments.filter((moment) => moment !== '').length;
      most = Math.max(most, count);
      found.set(key, { format, ...(locale && { locale }), count });
    }
  }
  return [...found.values()].filter(({ count }) => count === most).map(({ count: _, ...format }) => format);
}

/** "" for a value without the format, or not between 1990 and 2100. Undefined if less than so many have it. */
function momentsOf(
  values: readonly string[],
  least: number,
  { format, locale }: DateFormat,
): readonly string[] | undefined {
  const marks = marksOf(format);
  const read = once(() => dateConverter({ format, locale }));
  const moments: string[] = [];
  let failed = 0;
  for (const value of values) {
    const moment = marks.every((mark) => value.includes(mark)) ? read()(value) : undefined;
    const isDate = typeof moment === 'string' && moment >= '1990' && moment <= '2100';
    if (!isDate) failed += 1;
    if (failed > values.length - least) return undefined;
    moments.push(isDate ? moment : '');
  }
  return moments;
}

/** A value without the punctuation of a format does not have it. Parsing would say the same, slowly. */
function marksOf(format: string): readonly string[] {
  return format.replace(/'[^']*'/gu, '').match(/[.,/:年月日년]|-(?=[Md])/gu) ?? [];
}

/** Whether some value is perhaps a date: 14 Mar, 3/2026. */
export function someDate(values: readonly string[]): boolean {
  return values.some((value) => SOME_DATE.test(value));
}

const SOME_DATE = /\d{4}|\d{1,2}[./-]\d{1,2}|^\p{Lu}?\p{Ll}{2,8}[. ]+\d{1,2}$|^\d{1,2}[. ]+\p{L}{3,9}$/iu;
