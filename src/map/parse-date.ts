/**
 * `as: date`: dates by an explicit format, to ISO 8601 in UTC. A date that could be two is never guessed
 * (cli.md, "Mapping"): there is no default format, a format must fix the day, and a time of day that the zone's
 * clock showed twice or never is refused. Names of months are English, unless `locale` says otherwise (months.ts).
 *
 * Formats are luxon's tokens, or one of the words in {@link NAMED_FORMATS}.
 */
import { DateTime, FixedOffsetZone, IANAZone, type Zone } from 'luxon';
import { once } from '../lib/once.ts';
import { localTimeParser } from './local-time.ts';
import { type Locale, localesOf, withEnglishMonths } from './months.ts';
import { type Convert, OMITTED, TransformError, textOf } from './transform-error.ts';
import { type LocalToUtc, localToUtcIn } from './zone-offset.ts';

export interface DateSpec {
  readonly format: string;
  /** IANA name or `UTC+2`; the zone of dates that name none. Default UTC. */
  readonly zone?: string | undefined;
  /** The language of the names of months. Default English, and then only as luxon writes them: Nov, November. */
  readonly locale?: Locale | undefined;
  /** What becomes of a date that cannot be read: the row is invalid, or only the field is left out. */
  readonly invalid?: 'omit' | 'reject' | undefined;
}

/** Reads a wall-clock time in a zone; an offset in the text wins over the zone. Invalid where it cannot. */
type Parse = (text: string, zone: Zone) => DateTime;

/** The instant that a text of the usual form means, in milliseconds; NaN where `parse` must say. */
type FastParse = (text: string, clock: LocalToUtc) => number;

interface DateFormat {
  readonly parse: Parse;
  /** The same without luxon. Absent where the format has no usual form. */
  readonly parseFast?: FastParse | undefined;
  readonly expected: string;
}

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** Behind a date-time. */
const OFFSET = /([+-])([01]\d|2[0-3]):([0-5]\d)$/;
const LOCALE = { locale: 'en-US', numberingSystem: 'latn' } as const;
const UTC = FixedOffsetZone.utcInstance;
/** Any zone but UTC: what is the same instant in both has named its own. */
const OTHER = FixedOffsetZone.instance(60);
/** luxon asks the platform for its language with the first one, which takes longer than to load luxon. */
const unreadable = once(() => DateTime.invalid('unreadable'));
const ISO_DAY = /^(?:\d{4}-?\d{2}-?\d{2}|\d{4}-?W\d{2}-?\d|\d{4}-\d{3})(?:T|$)/;
const EPOCH = /^-?\d+(?:\.\d+)?$/;
const EPOCH_MS = /^-?\d+$/;
const SQL_DAY = /^\d{4}-\d{2}-\d{2}(?: |$)/;
/** Spreadsheets count 1900-02-29, which never was: their days are certain only behind it. */
const EXCEL_FIRST = 61;
/** Beyond these it depends on the zone whether a year has four digits. */
const QUICK_FIRST = Date.UTC(100, 0, 1);
const QUICK_END = Date.UTC(9999, 0, 1);
const EXCEL_EPOCH = Date.UTC(1899, 11, 30);

const NAMED_FORMATS: Readonly<Record<string, DateFormat>> = {
  iso: {
    expected: 'an ISO 8601 date or date-time such as 2026-11-20T09:15:00+01:00',
    parse: (text, zone) => (ISO_DAY.test(text) ? DateTime.fromISO(text, { zone }) : unreadable()),
    parseFast: standard("'T'"),
  },
  sql: {
    expected: 'a SQL date or date-time such as 2026-11-20 09:15:00',
    parse: (text, zone) => (SQL_DAY.test(text) ? DateTime.fromSQL(text, { zone }) : unreadable()),
    parseFast: standard(' '),
  },
  epoch: {
    expected: 'seconds since 1970-01-01, such as 1795165200',
    parse: (text) =>
      EPOCH.test(text) ? DateTime.fromMillis(Math.round(Number(text) * 1000), { zone: UTC }) : unreadable(),
    parseFast: (text) => (EPOCH.test(text) ? Math.round(Number(text) * 1000) : Number.NaN),
  },
  epoch_ms: {
    expected: 'milliseconds since 1970-01-01, such as 1795165200000',
    parse: (text) => (EPOCH_MS.test(text) ? DateTime.fromMillis(Number(text), { zone: UTC }) : unreadable()),
    parseFast: (text) => (EPOCH_MS.test(text) ? Number(text) : Number.NaN),
  },
  excel: {
    expected: 'a spreadsheet date number such as 46346 or 46346.5',
    parse: (text, zone) => {
      const wall = excelWall(text);
      return Number.isNaN(wall)
        ? unreadable()
        : DateTime.fromMillis(wall, { zone: UTC }).setZone(zone, { keepLocalTime: true });
    },
    parseFast: (text, clock) => clock(excelWall(text)),
  },
};

/** Words that may stand for a format. */
const NAMED_FORMAT_NAMES = Object.keys(NAMED_FORMATS) as readonly string[];

/** A sentence that says what is wrong with a mapping's format or zone; undefined where nothing is. */
export function dateSpecError(spec: DateSpec): string | undefined {
  return zoneError(spec.zone) ?? formatError(spec);
}

/** Call {@link dateSpecError} first. The text comes out as `2026-11-20T09:15:00Z`, with milliseconds where there are any. */
export function dateConverter(spec: DateSpec): Convert {
  const named = namedOf(spec);
  const { parseFast: quick } = named;
  const slow = luxonDateConverter(spec, named);
  if (quick === undefined) return slow;
  const clock = localToUtcIn(zoneOf(spec.zone) ?? UTC);
  return (value) => {
    const text = textOf(value);
    const instant = text === undefined ? Number.NaN : quick(text, clock);
    return instant >= QUICK_FIRST && instant < QUICK_END ? toIsoUtc(instant) : slow(value);
  };
}

/** The same by luxon alone, which takes ten times as long and says what is right. */
export function luxonDateConverter(spec: DateSpec, { parse, expected } = namedOf(spec)): Convert {
  const zone = zoneOf(spec.zone) ?? UTC;
  const omit = spec.invalid === 'omit';
  return (value) => {
    const text = textOf(value);
    if (text === undefined) return omit ? OMITTED : new TransformError('type', value, expected);
    const instant = zone.isUniversal ? parse(text, zone) : inClock(text, zone, parse);
    if (typeof instant !== 'string' && instant.isValid && instant.year >= 0 && instant.year <= 9999) {
      return toIsoUtc(instant.toMillis());
    }
    if (omit) return OMITTED;
    return new TransformError('date', value, expected, typeof instant === 'string' ? instant : inLanguage(text, spec));
  };
}

function namedOf(spec: DateSpec): DateFormat {
  return (Object.hasOwn(NAMED_FORMATS, spec.format) ? NAMED_FORMATS[spec.format] : undefined) ?? byTokens(spec);
}

function byTokens({ format, locale }: DateSpec): DateFormat {
  const parser = DateTime.buildFormatParser(format, LOCALE);
  const form = monthsOf(format);
  const wall = localTimeParser(format);
  const read = (text: string): string =>
    locale === undefined || form === undefined ? text : withEnglishMonths(text, locale, form);
  return {
    expected: `a date in the format ${format}${locale === undefined ? '' : `, with month names in "${locale}"`}`,
    parse: (text, zone) => DateTime.fromFormatParser(read(text), parser, { ...LOCALE, zone }),
    parseFast:
      wall &&
      ((given, clock) => {
        const text = read(given);
        return clock(wall(text, text.length));
      }),
  };
}

/** ISO 8601 and SQL in their usual forms: a day, and behind it a time, and behind that an offset. */
function standard(between: string): FastParse {
  const day = 'yyyy-MM-dd';
  const minute = `${day}${between}HH:mm`;
  const forms = [day, minute, `${minute}:ss`, `${minute}:ss.SSS`];
  const readers = once(
    () => new Map(forms.map((form) => [form.replaceAll("'", '').length, localTimeParser(form)] as const)),
  );
  const wall = (text: string, end: number): number => readers().get(end)?.(text, end) ?? Number.NaN;
  // A day alone has no offset.
  const timed = (text: string, end: number): number => (end > day.length ? wall(text, end) : Number.NaN);
  return (text, clock) => {
    const { length } = text;
    if (text.charCodeAt(length - 1) === 0x5a) return timed(text, length - 1);
    const offset = length > day.length ? OFFSET.exec(text) : null;
    if (offset === null) return clock(wall(text, length));
    const minutes = Number(offset[2]) * 60 + Number(offset[3]);
    return timed(text, offset.index) - (offset[1] === '-' ? -minutes : minutes) * MINUTE_MS;
  };
}

/** The time that a spreadsheet shows, as if in UTC. To the second: a fraction of a day is never exact. */
function excelWall(text: string): number {
  const days = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : 0;
  return days < EXCEL_FIRST ? Number.NaN : EXCEL_EPOCH + Math.round((days * DAY_MS) / 1000) * 1000;
}

/** How the format writes months, where it writes them in letters. */
function monthsOf(format: string): 'whole' | 'short' | undefined {
  const tokens = withoutLiterals(format);
  if (/(?<!M)MMMM(?!M)|(?<!L)LLLL(?!L)/.test(tokens)) return 'whole';
  return /(?<!M)MMM(?!M)|(?<!L)LLL(?!L)/.test(tokens) ? 'short' : undefined;
}

/** What to do about a month that another language has. */
function inLanguage(text: string, { format, locale }: DateSpec): string | undefined {
  if (locale !== undefined || monthsOf(format) === undefined) return undefined;
  const [first, ...others] = localesOf([text]);
  return first === undefined
    ? undefined
    : `the month name is in another language or form: add \`locale: ${[first, ...others].join('` or `locale: ')}\` to the mapping`;
}

/** `2026-11-20T09:15:00Z`, with milliseconds unless they are zero. */
function toIsoUtc(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}

/** In a zone whose clock is put forward and back. A sentence where it showed that time never or twice. */
function inClock(text: string, zone: Zone, parse: Parse): DateTime | string {
  const wall = parse(text, UTC);
  if (!wall.isValid || parse(text, OTHER).toMillis() === wall.toMillis()) return wall;
  const local = wall.setZone(zone, { keepLocalTime: true });
  if (local.hour !== wall.hour || local.minute !== wall.minute) {
    return `this local time does not exist in ${zone.name}: the clocks skipped it`;
  }
  if (local.getPossibleOffsets().length > 1) {
    return `this local time occurred twice in ${zone.name}, when the clocks were set back: the input must include the UTC offset`;
  }
  return local;
}

function zoneOf(name: string | undefined): Zone | undefined {
  if (name === undefined || /^utc$/i.test(name)) return UTC;
  if (IANAZone.isValidZone(name)) return IANAZone.create(name);
  return FixedOffsetZone.parseSpecifier(name) ?? undefined;
}

function zoneError(name: string | undefined): string | undefined {
  return zoneOf(name) === undefined
    ? `unknown time zone "${name}"; expected a name such as UTC, Europe/Berlin or UTC+2`
    : undefined;
}

/** Writes a moment with the format and reads it again: what does not come back is not fixed by the format. */
function formatError({ format, locale }: DateSpec): string | undefined {
  if (Object.hasOwn(NAMED_FORMATS, format)) {
    return locale === undefined
      ? undefined
      : `the format "${format}" has no month names, so \`locale: ${locale}\` has no effect`;
  }
  const expected = `expected Luxon tokens such as M/d/yyyy or dd.MM.yyyy HH:mm, or one of ${NAMED_FORMAT_NAMES.join(', ')}`;
  const moment = DateTime.utc(2003, 11, 24, 18, 45, 36, LOCALE);
  if (/(?:^|[^a-zA-Z])(?:D{1,4}|[tT]{1,4}|[fF]{1,4})(?:$|[^a-zA-Z])/.test(withoutLiterals(format))) {
    return `the format "${format}" differs from country to country; ${expected}`;
  }
  if (locale !== undefined && monthsOf(format) === undefined) {
    return `the format "${format}" has no month names (MMM or MMMM), so \`locale: ${locale}\` has no effect`;
  }
  const { parse } = byTokens({ format });
  const back = parse(moment.toFormat(format, LOCALE), UTC);
  if (!back.isValid || back.toISODate() !== moment.toISODate()) {
    return `the format "${format}" does not determine year, month and day; ${expected}`;
  }
  if (back.hour !== 0 && back.hour !== moment.hour) {
    return `the format "${format}" has 12-hour time (h) without AM/PM (a); ${expected}`;
  }
  return undefined;
}

function withoutLiterals(format: string): string {
  return format.replace(/'[^']*'/g, ' ');
}
