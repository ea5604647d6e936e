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

/** Tried where `iso` does not read every value. */
const FORMATS: readonly string[] = [
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

/** The order of day, month and year, as `dMy`. */
export function orderOf(format: string): string {
  return format.replace(/[^dMy]/g, '').replace(/(.)\1+/g, '$1');
}

export function detectDates(texts: readonly string[]): DateReadings {
  const values = [...new Set(texts)].filter((value) => /\d/u.test(value) && value.length < LONGEST).slice(0, TRIED);
  const counted = values.every((value) => /^\d+(?:\.\d+)?$/u.test(value));
  const iso = tryFormat('iso', values);
  const others = iso.moments.size === values.length ? [] : counted ? dates.counted : FORMATS;
  const tried = [iso, ...others.map((format) => tryFormat(format, values))];
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
  const rest = values.filter((value) => !moments.has(value) && IN_LETTERS.some((format) => isLike(format, value)));
  const found = (rest.length === 0 ? [] : localesOf(rest)).map((locale) => {
    const named = cover(IN_LETTERS.map((format) => tryFormat(format, rest, locale)));
    return { locale, named, key: JSON.stringify([...named.moments]) };
  });
  const most = Math.max(1, ...found.map(({ named }) => named.moments.size));
  const best = found.filter(({ named }) => named.moments.size === most);
  const [first] = best;
  // Two readings are ambiguous: "mar" is March in some languages and Tuesday in others.
  if (first === undefined || best.some(({ key }) => key !== first.key)) return { formats };
  return { formats: [...formats, ...first.named.formats], locale: first.locale };
}

const LETTERS = '[\\p{L}\\p{M}]+\\.?';

/** What the tokens that are no numbers of one or two digits read. */
const TOKENS: Readonly<Record<string, string>> = {
  ...{ yyyy: '\\d{4}', MMM: LETTERS, MMMM: LETTERS, ccc: LETTERS, cccc: LETTERS, a: LETTERS, ZZZ: '\\S+', z: '\\S+' },
  '.': '\\.',
};

/** What texts of a format look like: parsing them is slow. */
const patterns = new Map<string, RegExp>();

function patternOf(format: string): RegExp {
  const pattern = format.replace(
    /'([^']+)'|([a-z])\2*|\./giu,
    (token, literal?: string) => literal ?? TOKENS[token] ?? '\\d{1,2}',
  );
  const made = new RegExp(`^${pattern}$`, 'u');
  patterns.set(format, made);
  return made;
}

/** Whether the text is perhaps a date of the format. The name of a format, such as `sql`, has no tokens. */
function isLike(format: string, text: string): boolean {
  return !format.includes('y') || (patterns.get(format) ?? patternOf(format)).test(text);
}

function tryFormat(format: string, values: readonly string[], locale?: Locale): Tried {
  const read = once(() => (format === 'iso' ? dateTime.read : dateConverter({ format, locale })));
  const moments = values
    .filter((value) => isLike(format, value))
    .flatMap((value) => {
      const moment = read()(value);
      const isDate = typeof moment === 'string' && moment >= '1990' && moment <= '2100';
      return isDate ? [[value, moment] as const] : [];
    });
  return { format, moments: new Map(moments) };
}

const SOME_DATE = /\d{4}|\d{1,2}[./-]\d{1,2}|^\p{Lu}?\p{Ll}{2,8}[. ]+\d{1,2}$|^\d{1,2}[. ]+\p{L}{3,9}$/iu;

/** Whether some value is perhaps a date: 14 Mar, 3/2026. */
export function someDate(values: readonly string[]): boolean {
  return values.some((value) => SOME_DATE.test(value));
}
