/**
 * How the dates of a column are written: the one format that every sampled value fits. Where two formats fit and
 * mean different days (03/04/2026), there is no answer here: somebody has to say it (cli.md, "Mapping").
 */
import { dateTime } from '../../contract/value-kinds.ts';
import { type Locale, localesOf } from '../months.ts';
import { dateConverter } from '../parse-date.ts';
import type { ColumnProfile } from './column-facts.ts';

export type DateFormats =
  /** Taken as they are: ISO 8601. */
  | { readonly kind: 'iso' }
  | { readonly kind: 'format'; readonly format: string; readonly locale?: Locale }
  /** Several formats fit, and give different days. */
  | { readonly kind: 'ambiguous'; readonly formats: readonly string[] }
  /** No known format fits all of them. `some`: whether there is a date among them at all. */
  | { readonly kind: 'none'; readonly some: boolean };

/** Distinct values that are tried with each format: reading dates is slow, and so many settle it. */
const TRIED = 60;

const DAYS = [
  'M/d/yyyy',
  'd/M/yyyy',
  'd.M.yyyy',
  'd-M-yyyy',
  'M-d-yyyy',
  'yyyy/M/d',
  'yyyy.M.d',
  'yyyy-M-d',
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

const FORMATS: readonly string[] = ['iso', 'sql', ...TIMES.flatMap((time) => DAYS.map((day) => `${day}${time}`))];

/** Formats with the month in letters, as other languages have them too. */
const IN_LETTERS: readonly string[] = [
  ...DAYS.filter((day) => day.includes('MMM') && !day.startsWith('c')),
  'd. MMMM yyyy',
  'd. MMM yyyy',
  "d 'de' MMMM 'de' yyyy",
  "d 'de' MMM 'de' yyyy",
].flatMap((day) => ['', ' H:mm', ' H:mm:ss', ', H:mm'].map((time) => `${day}${time}`));

/** Counts of days and seconds look like any number: they are tried only where the header speaks of a date. */
const COUNTED: readonly string[] = ['epoch', 'epoch_ms', 'excel'];

export function detectDateFormat({ distinct }: ColumnProfile): DateFormats {
  const values = distinct.slice(0, TRIED);
  if (values.length === 0) return { kind: 'none', some: false };
  if (values.every((value) => dateTime.value.safeParse(value).success)) return { kind: 'iso' };
  const counted = values.every((value) => /^\d+(?:\.\d+)?$/u.test(value));
  const fitting = new Map<string, string>();
  for (const format of counted ? COUNTED : FORMATS) {
    const read = allRead(values, format);
    // A format that reads the very same moments as one before it is no rival of it.
    if (read !== undefined && !fitting.has(read)) fitting.set(read, format);
  }
  const formats = [...fitting.values()];
  const [only] = formats;
  if (only === undefined && !counted) {
    const named = inLanguage(values);
    if (named !== undefined) return named;
  }
  if (only === undefined) return { kind: 'none', some: !counted && someDate(values) };
  return formats.length === 1 ? { kind: 'format', format: only } : { kind: 'ambiguous', formats };
}

/** Months in letters of another language, or of another form than luxon's: Sept, Nov. */
function inLanguage(values: readonly string[]): DateFormats | undefined {
  const readings = new Map<string, { readonly format: string; readonly locale: Locale }>();
  for (const locale of localesOf(values)) {
    for (const format of IN_LETTERS) {
      const read = allRead(values, format, locale);
      if (read !== undefined && !readings.has(read)) readings.set(read, { format, locale });
    }
  }
  // "mar" is March, and Tuesday somewhere else: two readings are no answer.
  const [only] = readings.values();
  return only === undefined || readings.size > 1 ? undefined : { kind: 'format', ...only };
}

/** What all of them come to, in one text; undefined where one does not fit, or lies beyond living memory. */
function allRead(values: readonly string[], format: string, locale?: Locale): string | undefined {
  const read = dateConverter({ format, ...(locale === undefined ? {} : { locale }) });
  const moments: string[] = [];
  for (const value of values) {
    const moment = read(value);
    if (typeof moment !== 'string' || moment < '1990' || moment > '2100') return undefined;
    moments.push(moment);
  }
  return moments.join(' ');
}

function someDate(values: readonly string[]): boolean {
  return values.some((value) => /\d{4}|\d{1,2}[./-]\d{1,2}|\bago\b|\bvor\b|\bil y a\b|\bhace\b/iu.test(value));
}
