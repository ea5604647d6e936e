/**
 * Detects the date formats of a column: one for all sampled values, or a list that reads all that can be read. If the order of day
 * and month is open (03/04/2026), the user must decide (docs/mapping.md, "The mapping file").
 */
import { dateTime } from '../../contract/value-kinds.ts';
import { type Locale, localesOf } from '../local-time.ts';
import { dateConverter, dateSpecError } from '../parse-date.ts';

/** How the dates of a column can be read. */
export interface DateReadings {
  /** Each reads all that can be read. Two if the order of day and month is open, none if no value is a date. */
  readonly ways: readonly DateWay[];
  /** The texts that they do not read, one for each row. */
  readonly unread: readonly string[];
}

/** Formats of which one reads each date; `iso` alone is sent unchanged. */
interface DateWay {
  readonly formats: readonly string[];
  readonly locale?: Locale | undefined;
}

/** Maximum distinct values that are tried: parsing dates is slow. */
const TRIED = 60;

/** Characters of a date. */
const LONGEST = 60;

/** Formats for the same texts as others with day and month exchanged. */
const EXCHANGEABLE = /^(?:d[/-]M|M[/-]d)[/-]/u;

/** The order of day, month and year, as `dMy`. */
export function orderOf(format: string): string {
  return format.replace(/[^dMy]/g, '').replace(/(.)\1+/g, '$1');
}

export function detectDates(texts: readonly string[]): DateReadings {
  const values = [...new Set(texts)].filter((value) => /\d/u.test(value) && value.length < LONGEST).slice(0, TRIED);
  const isCounted = values.every((value) => /^\d+(?:\.\d+)?$/u.test(value));
  const iso = tryFormats(values, () => ['iso']);
  const isRead = iso[0]?.moments.size === values.length;
  const others = isRead ? [] : tryFormats(values, isCounted ? () => COUNTED : (value) => ['sql', ...formatsOf(value)]);
  const tried = [...iso, ...others];
  const reading = (order: string): Covering =>
    cover(tried.filter(({ format }) => !EXCHANGEABLE.test(format) || format.startsWith(order)));
  const [month, day] = [reading('M'), reading('d')];
  const isMonth = values.some((value) => month.moments.has(value) && !day.moments.has(value));
  const isDay = values.some((value) => day.moments.has(value) && !month.moments.has(value));
  const isSame = values.every((value) => month.moments.get(value) === day.moments.get(value));
  const order = isMonth || isSame ? 'M' : isDay ? 'd' : undefined;
  // Dates of both orders in one column cannot be told apart.
  const fitting = isMonth && isDay ? [] : order === 'M' ? [month] : order === 'd' ? [day] : [month, day];
  const ways = fitting.map((way) => withNames(way, values)).filter(({ formats }) => formats.length > 0);
  const [way] = ways;
  const read = way && dateConverter({ format: [...way.formats], locale: way.locale });
  return { ways, unread: texts.filter((text) => typeof read?.(text) !== 'string') };
}

/** Formats of numbers. */
const COUNTED = ['epoch', 'epoch_ms', 'excel', 'yyyyMMdd'];

const PARTS =
  /(?<clock>\d{1,2}:\d\d)(?<seconds>:\d\d)?(?:(?<space> ?)(?<half>[ap]m)\b)?|(?<offset>(?<= )[+-]\d{4})|(?<year>\d{4})|\d{1,2}(?!\d)|(?<word>(?:\p{Lu}|\p{Ll}|\p{M})+\.?)/giu;

/** The formats that a text can have, by its shape: `3/4/2026 9:15` is `M/d/yyyy H:mm` or `d/M/yyyy H:mm`. */
function formatsOf(text: string): readonly string[] {
  const dayFirst = ['d', 'M', 'yy'];
  if (localesOf([text]).length > 0) return ['MMM', 'MMMM'].map((name) => formatOf(text, ['d', 'yy'], name));
  if (!/\d.*\d/u.test(text)) return [];
  if (/^\d{4}/u.test(text)) return [formatOf(text, ['M', 'd', 'H', 'm', 's'], '')];
  const orders = /^\d{1,2}[/-]/u.test(text) ? [['M', 'd', 'yy'], dayFirst] : [dayFirst];
  return orders.map((order) => formatOf(text, order, ''));
}

/** @param order of the numbers that are no year and no time */
function formatOf(text: string, order: readonly string[], name: string): string {
  let numbers = 0;
  return text.replace(PARTS, (part: string, ...more: unknown[]) => {
    const { clock, seconds, space = '', half, offset, year, word } = more.at(-1) as Record<string, string | undefined>;
    if (clock !== undefined) return `${half ? 'h' : 'H'}:mm${seconds ? ':ss' : ''}${half ? `${space}a` : ''}`;
    if (offset !== undefined) return 'ZZZ';
    if (year !== undefined) return 'yyyy';
    if (word === undefined) return order[numbers++] ?? part;
    if (name !== '' && localesOf([word]).length > 0) return name;
    if (text.startsWith(word)) return word.length > 3 ? 'cccc' : 'ccc';
    return /^(?:GMT|UTC)$/u.test(word) ? 'z' : `'${word}'`;
  });
}

/** A format, and the moments of the values that have it. */
interface Tried {
  readonly format: string;
  readonly moments: ReadonlyMap<string, string>;
}

/** Tries each format on the values of its shape: parsing is slow. */
function tryFormats(
  values: readonly string[],
  formats: (value: string) => readonly string[],
  locale?: Locale,
): readonly Tried[] {
  const shaped = values.flatMap((value) => formats(value).map((format) => [format, value] as const));
  return [...new Set(shaped.map(([format]) => format))].flatMap((format) => {
    if (format !== 'iso' && dateSpecError({ format, locale }) !== undefined) return [];
    const read = format === 'iso' ? dateTime.read : dateConverter({ format, locale });
    const moments = shaped.flatMap(([own, value]) => {
      const moment = own === format ? read(value) : undefined;
      return isOfOurTime(moment) ? [[value, moment] as const] : [];
    });
    return [{ format, moments: new Map(moments) }];
  });
}

/** Whether a text is a date-time that is sent as it is. */
export function isIsoDate(text: string): boolean {
  return isOfOurTime(dateTime.read(text));
}

function isOfOurTime(moment: unknown): moment is string {
  return typeof moment === 'string' && moment >= '1990' && moment <= '2100';
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
  const rest = values.filter((value) => !moments.has(value) && localesOf([value]).length > 0);
  const found = localesOf(rest)
    .map((locale) => ({ locale, ...cover(tryFormats(rest, (value) => formatsOf(value).slice(0, 1), locale)) }))
    .sort((one, other) => other.moments.size - one.moments.size);
  const keys = found.map((each) => JSON.stringify([...each.moments]));
  // Two readings are ambiguous: "mar" is March in some languages and Tuesday in others.
  const isOpen = found.some((each, at) => each.moments.size === found[0]?.moments.size && keys[at] !== keys[0]);
  const [first] = isOpen ? [] : found;
  if (first === undefined || first.formats.length === 0) return { formats };
  return { formats: [...formats, ...first.formats], locale: first.locale };
}

/** Perhaps a date: 14 Mar, 3/2026. */
export const SOME_DATE = /\d{4}|\d{1,2}[./-]\d{1,2}|^\p{Lu}?\p{Ll}{2,8}[. ]+\d{1,2}$|^\d{1,2}[. ]+\p{L}{3,9}$/iu;
