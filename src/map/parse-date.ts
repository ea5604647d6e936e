/**
 * `as: date`: parses dates by an explicit format and writes ISO 8601 in UTC. An ambiguous date is never guessed
 * (docs/mapping.md, "The mapping file"): there is no default format, a format must determine the day, and a local time that occurred
 * twice or never is invalid. Formats are luxon's tokens or a name in {@link NAMED_FORMATS}.
 */
import { DateTime, FixedOffsetZone, IANAZone, type Zone } from 'luxon';
import { scalarText } from '../lib/exact-number.ts';
import { once } from '../lib/resources.ts';
import { messageOf } from '../lib/text.ts';
import { DAY_MS } from '../lib/units.ts';
import { type Convert, TransformError } from './column-values.ts';
import type { FieldMapping } from './document-schema.ts';
import { datePattern, localToUtcIn, parseByPattern, withEnglishMonths } from './local-time.ts';

type DateMapping = Omit<Extract<FieldMapping, { as: 'date' }>, 'column' | 'as'>;

export type DateSpec = Omit<DateMapping, 'format'> & { readonly format: string };

type Parse = (text: string, zone: Zone) => DateTime;

interface DateFormat {
  readonly parse: Parse;
  readonly pattern?: RegExp | undefined;
  readonly expected: string;
}

const DAY = /(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)/.source;
const TIME = /(?<hour>\d\d):(?<minute>\d\d)(?::(?<second>\d\d)(?:\.(?<milli>\d{3}))?)?/.source;
const OFFSET = /(?<offset>Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)/.source;
const LOCALE = { locale: 'en-US', numberingSystem: 'latn' } as const;
const UTC = FixedOffsetZone.utcInstance;
/** Any zone other than UTC: a text that is the same instant in both has an offset. */
const OTHER = FixedOffsetZone.instance(60);
/** Lazy: with the first DateTime, luxon asks the platform for its language, which is slow. */
const unreadable = once(() => DateTime.invalid('unreadable'));
const ISO_DAY = /^(?:\d{4}-?\d{2}-?\d{2}|\d{4}-?W\d{2}-?\d|\d{4}-\d{3})(?:T|$)/;
const EPOCH = /^-?\d+(?:\.\d+)?$/;
const EPOCH_MS = /^-?\d+$/;
const SQL_DAY = /^\d{4}-\d{2}-\d{2}(?: |$)/;
/** Spreadsheets count 1900-02-29, which did not exist: only later days are unambiguous. */
const EXCEL_FIRST = 61;
/** From here on, the zone decides whether a year has four digits. */
const FAST_END = Date.UTC(9999, 0, 1);
const EXCEL_EPOCH = Date.UTC(1899, 11, 30);

const NAMED_FORMATS: Readonly<Record<string, DateFormat>> = {
  iso: {
    expected: 'an ISO 8601 date or date-time such as 2026-11-20T09:15:00+01:00',
    parse: (text, zone) => (ISO_DAY.test(text) ? DateTime.fromISO(text, { zone }) : unreadable()),
    pattern: new RegExp(`^${DAY}(?:T${TIME}${OFFSET}?)?$`),
  },
  sql: {
    expected: 'a SQL date or date-time such as 2026-11-20 09:15:00',
    parse: (text, zone) => (SQL_DAY.test(text) ? DateTime.fromSQL(text, { zone }) : unreadable()),
    pattern: new RegExp(`^${DAY}(?: ${TIME}${OFFSET}?)?$`),
  },
  epoch: {
    expected: 'seconds since 1970-01-01, such as 1795165200',
    parse: (text) => ofMillis(EPOCH.test(text) ? Math.round(Number(text) * 1000) : Number.NaN),
  },
  epoch_ms: {
    expected: 'milliseconds since 1970-01-01, such as 1795165200000',
    parse: (text) => ofMillis(EPOCH_MS.test(text) ? Number(text) : Number.NaN),
  },
  excel: {
    expected: 'a spreadsheet date number such as 46346 or 46346.5',
    parse: (text, zone) => ofMillis(excelTime(text)).setZone(zone, { keepLocalTime: true }),
  },
};

function ofMillis(time: number): DateTime {
  return DateTime.fromMillis(time, { zone: UTC });
}

export function dateSpecError(mapping: DateMapping): string | undefined {
  if (zoneOf(mapping.zone) === undefined) {
    return `unknown time zone "${mapping.zone}"; expected a name such as UTC, Europe/Berlin or UTC+2`;
  }
  return specsOf(mapping)
    .map(formatError)
    .find((error) => error !== undefined);
}

export function dateConverter(mapping: DateMapping): Convert {
  const specs = specsOf(mapping);
  const [only] = specs;
  if (only !== undefined && specs.length === 1) return singleDateConverter(only);
  const converters = specs.map(singleDateConverter);
  const expected = `a date in one of the formats ${specs.map(({ format }) => format).join(', ')}`;
  return (value) => {
    const read = converters.map((convert) => convert(value)).filter((moment) => typeof moment === 'string');
    const [first, ...others] = new Set(read);
    if (first !== undefined && others.length === 0) return first;
    const hint = first === undefined ? undefined : `the formats read it as ${[first, ...others].join(' or ')}`;
    return new TransformError(scalarText(value) === undefined ? 'type' : 'date', value, expected, hint);
  };
}

/** One for each format. A locale is for the formats that have month names. */
function specsOf({ format, locale, ...rest }: DateMapping): readonly DateSpec[] {
  const formats = [format].flat();
  const needsLocale = formats.some((each) => monthForm(each) !== undefined);
  return formats.map((each) => ({
    ...rest,
    format: each,
    locale: needsLocale && monthForm(each) === undefined ? undefined : locale,
  }));
}

function singleDateConverter(spec: DateSpec): Convert {
  const format = formatOf(spec);
  const { pattern } = format;
  const slow = luxonDateConverter(spec, format);
  if (pattern === undefined) return slow;
  const toUtc = localToUtcIn(zoneOf(spec.zone) ?? UTC);
  const read = monthReader(spec);
  return (value) => {
    const instant = typeof value === 'string' ? parseByPattern(read(value), pattern, toUtc) : Number.NaN;
    return instant < FAST_END ? toIsoUtc(instant) : slow(value);
  };
}

/** The reference: the same with luxon alone, ten times as slow. */
export function luxonDateConverter(spec: DateSpec, { parse, expected } = formatOf(spec)): Convert {
  const zone = zoneOf(spec.zone) ?? UTC;
  return (value) => {
    const text = scalarText(value);
    if (text === undefined) return new TransformError('type', value, expected);
    const instant = zone.isUniversal ? parse(text, zone) : parseInZone(text, zone, parse);
    if (typeof instant !== 'string' && instant.year >= 0 && instant.year <= 9999) {
      return toIsoUtc(instant.toMillis());
    }
    return new TransformError('date', value, expected, typeof instant === 'string' ? instant : undefined);
  };
}

function formatOf(spec: DateSpec): DateFormat {
  return NAMED_FORMATS[spec.format] ?? tokenFormat(spec);
}

function tokenFormat(spec: DateSpec): DateFormat {
  const { format, locale } = spec;
  const parser = DateTime.buildFormatParser(format, LOCALE);
  const read = monthReader(spec);
  return {
    expected: `a date in the format ${format}${locale === undefined ? '' : `, with month names in "${locale}"`}`,
    parse: (text, zone) => DateTime.fromFormatParser(read(text), parser, { ...LOCALE, zone }),
    pattern: datePattern(format),
  };
}

function monthReader({ format, locale }: DateSpec): (text: string) => string {
  const form = monthForm(format);
  return locale === undefined || form === undefined ? (text) => text : (text) => withEnglishMonths(text, locale, form);
}

/** The time that a spreadsheet shows, as if in UTC. Rounded to the second, because fractions of a day are inexact. */
function excelTime(text: string): number {
  const days = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : 0;
  return days < EXCEL_FIRST ? Number.NaN : EXCEL_EPOCH + Math.round((days * DAY_MS) / 1000) * 1000;
}

function monthForm(format: string): 'whole' | 'short' | undefined {
  const tokens = withoutLiterals(format);
  if (/(?<!M)MMMM(?!M)|(?<!L)LLLL(?!L)/.test(tokens)) return 'whole';
  return /(?<!M)MMM(?!M)|(?<!L)LLL(?!L)/.test(tokens) ? 'short' : undefined;
}

/** `2026-11-20T09:15:00Z`, with milliseconds unless they are zero. */
function toIsoUtc(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}

/** For a zone with clock changes. Returns a string with the reason if a local time occurs twice or never. */
function parseInZone(text: string, zone: Zone, parse: Parse): DateTime | string {
  const inUtc = parse(text, UTC);
  if (!inUtc.isValid || parse(text, OTHER).toMillis() === inUtc.toMillis()) return inUtc;
  const local = inUtc.setZone(zone, { keepLocalTime: true });
  if (local.hour !== inUtc.hour || local.minute !== inUtc.minute) {
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

/** Formats a moment and parses the result: parts that differ are not determined by the format. */
function formatError({ format, locale }: DateSpec): string | undefined {
  if (locale !== undefined && monthForm(format) === undefined) {
    return `the format "${format}" has no month names (MMM or MMMM), so \`locale: ${locale}\` has no effect`;
  }
  if (Object.hasOwn(NAMED_FORMATS, format)) return undefined;
  const expected = `expected Luxon tokens such as M/d/yyyy or dd.MM.yyyy HH:mm, or one of ${Object.keys(NAMED_FORMATS).join(', ')}`;
  if (/(?:^|[^a-zA-Z])(?:D{1,4}|[tT]{1,4}|[fF]{1,4})(?:$|[^a-zA-Z])/.test(withoutLiterals(format))) {
    return `the format "${format}" differs from country to country; ${expected}`;
  }
  const { parse } = tokenFormat({ format });
  const moment = DateTime.utc(2003, 11, 24, 18, 45, 36, LOCALE);
  let back: DateTime;
  try {
    back = parse(moment.toFormat(format, LOCALE), UTC);
  } catch (error) {
    // Luxon throws if tokens contradict each other, such as HH and a.
    return `the format "${format}" is invalid (${messageOf(error)}); ${expected}`;
  }
  if (back.toISODate() !== moment.toISODate()) {
    return `the format "${format}" does not determine year, month and day; ${expected}`;
  }
  if (back.hour !== 0 && back.hour !== moment.hour) {
    return `the format "${format}" has 12-hour time (h) without AM/PM (a); ${expected}`;
  }
  return undefined;
}

export function withoutLiterals(format: string): string {
  return format.replace(/'[^']*'/g, ' ');
}
