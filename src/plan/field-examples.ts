/** Words and examples for the ways in which a field can be made, as a user sees them in a question. All are printable. */
import type { Field } from '../contract/index.ts';
import { printable } from '../lib/printable.ts';
import { count } from '../lib/units.ts';
import { describeField, type FieldMapping, type FieldTrial, type SampledRows, tryField } from '../map/index.ts';

const VALUE_LIMIT = 40;
const TEXT_LIMIT = 120;
const COLUMN_LIMIT = 40;
const SAMPLE_LIMIT = 24;
const SAMPLES = 3;
/** The same in all URLs of a column. */
const URL_START = /^https?:\/\/(?:www\.)?/iu;

const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const MIDNIGHT = /^(\d{4})-(\d{2})-(\d{2})T00:00:00Z$/;

/** `Company   Northwind · Brightleaf · Oak & Ember`. */
export function columnLabel(column: string, values: readonly string[], use?: string): string {
  const samples = values.slice(0, SAMPLES).map((value) => printable(value.replace(URL_START, ''), SAMPLE_LIMIT));
  const name = `${printable(column, COLUMN_LIMIT)}${use === undefined ? '' : ` (${use})`}`;
  return `${name}   ${samples.length === 0 ? '(empty)' : samples.join(' · ')}`;
}

/**
 * The ways in words, each with an example: `the date in "Announced", day first: 03/04/2026 -> 3 April 2026`. The example is
 * of a row in which the ways differ, if there is one.
 */
export function wayLabels(ways: readonly FieldMapping[], field: Field, rows: SampledRows): readonly string[] {
  const trials = ways.map((way) => tryField(way, field, rows));
  const lengths = new Set(trials.map(({ values }) => values.length));
  const [first] = trials;
  const different =
    lengths.size > 1
      ? -1
      : (first?.values ?? []).findIndex((_, row) => new Set(trials.map(({ values }) => values[row]?.sent)).size > 1);
  return ways.map((way, index) => {
    const trial = trials[index];
    const words = printable(describeField(way), TEXT_LIMIT);
    const example = trial === undefined ? '' : exampleOf(way, trial, Math.max(0, different));
    const unfit = trial === undefined ? '' : unfitValues(trial);
    const arrow = 'template' in way ? ' -> ' : ': ';
    return `${words}${example === '' ? '' : `${arrow}${example}`}${unfit === '' ? '' : ` (${unfit})`}`;
  });
}

/** What a row becomes; some values of a column that is not changed. */
function exampleOf(way: FieldMapping, { values }: FieldTrial, row: number): string {
  const value = values[row];
  if (value === undefined || 'value' in way) return '';
  if ('column' in way && !('as' in way) && !('values' in way)) {
    const different = [...new Set(values.map(({ sent }) => String(sent)))];
    return different
      .slice(0, SAMPLES)
      .map((each) => printable(each, SAMPLE_LIMIT))
      .join(' · ');
  }
  const sent = readable(value.sent);
  return 'template' in way || printable(value.found, VALUE_LIMIT) === sent
    ? sent
    : `${printable(value.found, VALUE_LIMIT)} -> ${sent}`;
}

/** `3 of 100 values do not fit, such as "Q3"`; empty if all fit. */
export function unfitValues({ values, invalid }: FieldTrial): string {
  const [first] = invalid;
  if (first === undefined) return '';
  const all = values.length + invalid.length;
  return `${count(invalid.length)} of ${count(all)} values ${invalid.length === 1 ? 'does' : 'do'} not fit, such as "${printable(first.found, VALUE_LIMIT)}"`;
}

/** A date without a time as people write it: `3 April 2026`. */
export function readable(value: string | number): string {
  const [, year = '', month = '', day = ''] = MIDNIGHT.exec(String(value)) ?? [];
  const name = MONTHS[Number(month) - 1];
  return name === undefined ? printable(String(value), TEXT_LIMIT) : `${Number(day)} ${name} ${year}`;
}
