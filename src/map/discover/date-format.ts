/**
 * Detects the date formats of a column: one for all sampled values, or a list that reads all that can be read. If the order of day
 * and month is open (03/04/2026), the user must decide (docs/mapping.md, "The mapping file").
 */
import { dateTime } from '../../contract/value-kinds.ts';
import { once } from '../../lib/resources.ts';
import { type Locale, localesOf } from '../local-time.ts';
import { dateConverter } from '../parse-date.ts';
import lists from './words.json' with { type: 'json' };

/** How the dates of a column can be read. */
export interface DateReadings {
  /** Each reads all that can be read. Two if the order of day and month is open, none if no value is a date. */
  readonly ways: readonly DateWay[];
  /** The texts that they do not read, one for each row. */
  readonly unread: readonly string[];
}

/** Formats of which one reads each date; `iso` alone is sent unchanged. */
export interface DateWay {
  readonly formats: readonly string[];
  readonly locale?: Locale | undefined;
}

/** Maximum distinct values that are tried: parsing dates is slow. */
const TRIED = 60;

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

/** Formats for the same texts as others with day and month exchanged. */
const EXCHANGEABLE = /^(?:d([/-])M|M([/-])d)[/-]/u;

/** Day and month in headers, in this order: D/M/Y, TT.MM.JJJJ (German), JJ/MM/AAAA (French), GG.AA.YYYY (Turkish). */
const DAY_FIRST = /(?<!\p{L})[dtjg]{1,2}([./-])(?:m{1,2}|aa)\1/iu;
const MONTH_FIRST = /(?<!\p{L})m{1,2}([./-])[dtjg]{1,2}\1/iu;

/** `d` or `M`: which of them comes first, as the header states. */
export function statedOrder(header: string): string | undefined {
  return DAY_FIRST.test(header) ? 'd' : MONTH_FIRST.test(header) ? 'M' : undefined;
}

/** The order of day, month and year, as `dMy`. */
export function orderOf(format: string): string {
  return format.replace(/[^dMy]/g, '').replace(/(.)\1+/g, '$1');
}

/** @param stated decides between the orders that both read all values */
export function detectDates(
  { texts, distinct }: { readonly texts: readonly string[]; readonly distinct: readonly string[] },
  stated?: string,
): DateReadings {
  const values = distinct.filter((value) => /\d/u.test(value) && value.length < LONGEST).slice(0, TRIED);
  const shapes = byShape(values);
  const counted = values.every((value) => /^\d+(?:\.\d+)?$/u.test(value));
  const tried = (counted ? dates.counted : FORMATS).map((format) => tryFormat(format, shapes));
  const reading = (order: string): Covering =>
    cover(tried.filter(({ format }) => !EXCHANGEABLE.test(format) || format.startsWith(order)));
  const [month, day] = [reading('M'), reading('d')];
  const isMonth = values.some((value) => month.moments.has(value) && !day.moments.has(value));
  const isDay = values.some((value) => day.moments.has(value) && !month.moments.has(value));
  const isSame = values.every((value) => month.moments.get(value) === day.moments.get(value));
  const order = isMonth || isSame ? 'M' : isDay ? 'd' : stated;
  // Dates of both orders in one column cannot be told apart.
  const fitting = isMonth && isDay ? [] : order === 'M' ? [month] : order === 'd' ? [day] : [month, day];
  const ways = fitting.map((way) => withNames(way, values)).filter(({ formats }) => formats.length > 0);
  return { ways, unread: unreadBy(ways[0], texts) };
}

function unreadBy(way: DateWay | undefined, texts: readonly string[]): readonly string[] {
  const read = way && dateConverter({ format: [...way.formats], locale: way.locale });
  return texts.filter((text) => typeof read?.(text) !== 'string');
}

/** A format, and the moments of the values that have it. */
interface Tried {
  readonly format: string;
  readonly moments: ReadonlyMap<string, string>;
}

interface Covering {
  /** The one that reads the most values comes first. */
  readonly formats: readonly string[];
  readonly moments: ReadonlyMap<string, string>;
}

/** The fewest formats that together read all that can be read. */
function cover(tried: readonly Tried[]): Covering {
  const formats: string[] = [];
  const moments = new Map<string, string>();
  for (;;) {
    const gains = tried.map((each) => [...each.moments.keys()].filter((value) => !moments.has(value)).length);
    const most = Math.max(0, ...gains);
    const best = tried[gains.indexOf(most)];
    if (best === undefined || most === 0) return { formats, moments };
    formats.push(best.format);
    for (const [value, moment] of best.moments) moments.set(value, moment);
  }
}

/** Adds formats for month names in another language, or in another form than luxon's: Sept, Nov. */
function withNames({ formats, moments }: Covering, values: readonly string[]): DateWay {
  const inLetters = new Set(IN_LETTERS.map((format) => shapeOfFormat().get(format)));
  const rest = values.filter((value) => !moments.has(value) && inLetters.has(shapeOf(value)));
  const shapes = byShape(rest);
  const found = (rest.length === 0 ? [] : localesOf(rest)).map((locale) => {
    const named = cover(IN_LETTERS.map((format) => tryFormat(format, shapes, locale)));
    return { locale, named, key: JSON.stringify([...named.moments]) };
  });
  const most = Math.max(1, ...found.map(({ named }) => named.moments.size));
  const best = found.filter(({ named }) => named.moments.size === most);
  const [first] = best;
  // Two readings are ambiguous: "mar" is March in some languages and Tuesday in others.
  if (first === undefined || best.some(({ key }) => key !== first.key)) return { formats };
  return { formats: [...formats, ...first.named.formats], locale: first.locale };
}

/** Values that are equal but for their digits and letters: only formats of the same form can read them. */
type Shapes = ReadonlyMap<string, readonly string[]>;

function shapeOf(text: string): string {
  return text
    .replace(/[+-]\d{4}(?!\d)/u, 'Z')
    .replace(/\d{4,}/gu, 'Y')
    .replace(/\d+/gu, '9')
    .replace(/[\p{L}\p{M}]+\.?/gu, 'a');
}

function byShape(values: readonly string[]): Shapes {
  const shapes = new Map<string, string[]>();
  for (const value of values) shapes.set(shapeOf(value), [...(shapes.get(shapeOf(value)) ?? []), value]);
  return shapes;
}

/** Of each format with tokens, that of its dates. */
const shapeOfFormat = once(
  () =>
    new Map(
      [...FORMATS, ...IN_LETTERS].map((format) => {
        const example = format
          .replace(/'\p{L}+'/gu, '年')
          .replace('yyyy', '2026')
          .replace('ZZZ', '+0000')
          .replace(/(?<!M)M{1,2}(?!M)|[dHhyms]{1,2}/gu, '9');
        return [format, /[Hy]|d/u.test(format) ? shapeOf(example) : undefined] as const;
      }),
    ),
);

function tryFormat(format: string, shapes: Shapes, locale?: Locale): Tried {
  const shape = shapeOfFormat().get(format);
  const values = shape === undefined ? [...shapes.values()].flat() : (shapes.get(shape) ?? []);
  const read = once(() => (format === 'iso' ? dateTime.read : dateConverter({ format, locale })));
  const moments = values.flatMap((value) => {
    const moment = read()(value);
    const isDate = typeof moment === 'string' && moment >= '1990' && moment <= '2100';
    return isDate ? [[value, moment] as const] : [];
  });
  return { format, moments: new Map(moments) };
}

/** Whether some value is perhaps a date: 14 Mar, 3/2026. */
export function someDate(values: readonly string[]): boolean {
  return values.some((value) => SOME_DATE.test(value));
}

const SOME_DATE = /\d{4}|\d{1,2}[./-]\d{1,2}|^\p{Lu}?\p{Ll}{2,8}[. ]+\d{1,2}$|^\d{1,2}[. ]+\p{L}{3,9}$/iu;
