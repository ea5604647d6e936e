/** What the ways to make a field do to the sampled rows: a value before and after, and how many cannot be used. */
import type { Field } from '../contract/index.ts';
import { printable } from '../lib/printable.ts';
import { count, plural } from '../lib/units.ts';
import { type FieldMapping, type FieldTrial, type SampledRows, tryField } from '../map/index.ts';
import type { Consequence } from './question.ts';

const VALUE_LIMIT = 40;
const TEXT_LIMIT = 120;
export const COLUMN_LIMIT = 40;
const SAMPLE_LIMIT = 24;
const SAMPLES = 3;
/** The same in all URLs of a column. */
const URL_START = /^https?:\/\/(?:www\.)?/iu;

const MIDNIGHT = /^\d{4}-\d{2}-\d{2}T00:00:00Z$/;

/** `Company   Northwind · Brightleaf · Oak & Ember`. */
export function columnLabel(column: string, values: readonly string[]): string {
  const samples = values.slice(0, SAMPLES).map((value) => printable(value.replace(URL_START, ''), SAMPLE_LIMIT));
  return `${printable(column, COLUMN_LIMIT)}   ${samples.length === 0 ? '(empty)' : samples.join(' · ')}`;
}

/** The example is of a row in which the ways differ, if there is one. */
export function consequencesOf<W extends { readonly mapping: FieldMapping }>(
  ways: readonly W[],
  field: Field,
  rows: SampledRows,
  isRequired: boolean,
): readonly { readonly way: W; readonly consequence: Consequence }[] {
  const trials = ways.map((way) => ({ way, trial: tryField(way.mapping, field, rows) }));
  const sent = trials.map(({ trial }) => new Map(trial.values.map((value) => [value.row, value.sent])));
  const different = trials[0]?.trial.values.find(
    ({ row }) => sent.every((each) => each.has(row)) && new Set(sent.map((each) => each.get(row))).size > 1,
  )?.row;
  return trials.map(({ way, trial }) => {
    const why = whyInvalid(trial, rows.contents.length, isRequired);
    return { way, consequence: { ...exampleOf(way.mapping, trial, different), why } };
  });
}

function whyInvalid(trial: FieldTrial, rows: number, isRequired: boolean): string {
  const empty = rows - trial.values.length - trial.invalid.length;
  const whyEmpty = `${plural(empty, 'row')} of ${count(rows)} ${empty === 1 ? 'has' : 'have'} none`;
  return [unfitValues(trial), isRequired && empty > 0 ? whyEmpty : ''].filter(Boolean).join(', ');
}

function exampleOf(
  way: FieldMapping,
  { values }: FieldTrial,
  row: number | undefined,
): Pick<Consequence, 'before' | 'after'> {
  const value = values.find((each) => each.row === row) ?? values[0];
  if (value === undefined || 'value' in way) return { before: undefined, after: '' };
  if ('column' in way && !('as' in way) && !('values' in way)) {
    const different = [...new Set(values.map(({ sent }) => String(sent)))];
    const shown = different.slice(0, SAMPLES).map((each) => printable(each, SAMPLE_LIMIT));
    return { before: undefined, after: shown.join(' · ') };
  }
  const after = readable(value.sent);
  return { before: 'template' in way ? '' : printable(value.found, VALUE_LIMIT), after };
}

/** `cannot use 3 of 100 values, such as "Q3"`; empty if all can be used. */
function unfitValues({ values, invalid }: FieldTrial): string {
  const [first] = invalid;
  if (first === undefined) return '';
  const all = values.length + invalid.length;
  const example = `${invalid.length === 1 ? ':' : ', such as'} "${printable(first.found, VALUE_LIMIT)}"`;
  return `cannot use ${count(invalid.length)} of ${plural(all, 'value')}${example}`;
}

/** A date without a time as people write it: `3 April 2026`. */
export function readable(value: string | number): string {
  if (!MIDNIGHT.test(String(value))) return printable(String(value), TEXT_LIMIT);
  return new Date(value).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
}
