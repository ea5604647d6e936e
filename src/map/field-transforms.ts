/**
 * The transforms of a mapping (docs/mapping.md, "The mapping file"): compile a field's mapping to a function of the row.
 * What else a new one needs is said in document-schema.ts.
 */
import type { Field } from '../contract/index.ts';
import { numericCell } from '../lib/exact-number.ts';
import { excerpt, formatList } from '../lib/text.ts';
import type { Content } from '../model/row.ts';
import {
  type Convert,
  columnReader,
  Filled,
  FreeMail,
  type Read,
  type ReadColumns,
  type RowForm,
  TransformError,
} from './column-values.ts';
import type { FieldMapping } from './document-schema.ts';
import { toDomain } from './domain.ts';
import { dateConverter, dateSpecError } from './parse-date.ts';
import { numberConverter } from './parse-number.ts';
import { isTemplate, parseTemplate, templateColumns, templateReader } from './template.ts';

/** The columns that a field is made from, as the mapping names them. Templates must be valid. */
export function columnsOf(mapping: FieldMapping): readonly string[] {
  if ('column' in mapping) return [mapping.column];
  if ('first' in mapping) return mapping.first.flatMap((each) => (isTemplate(each) ? templateColumns(each) : [each]));
  return 'value' in mapping ? [] : templateColumns(mapping.template);
}

/** A problem that does not depend on the input, and its key: an invalid template, format or zone. */
export function transformProblem(mapping: FieldMapping): { key: string; message: string } | undefined {
  const texts = 'first' in mapping ? mapping.first.filter(isTemplate) : 'template' in mapping ? [mapping.template] : [];
  const problem = texts.map(parseTemplate).find((template) => typeof template === 'string');
  if (problem !== undefined) {
    return { key: 'first' in mapping ? 'first' : 'template', message: `the template has ${problem}` };
  }
  const message = 'format' in mapping ? dateSpecError(mapping) : undefined;
  return message === undefined ? undefined : { key: 'format', message };
}

export function omitsInvalid(mapping: FieldMapping): boolean {
  return 'invalid' in mapping && mapping.invalid === 'omit';
}

export function isPlain(mapping: FieldMapping): boolean {
  return 'column' in mapping && !('as' in mapping) && !('values' in mapping);
}

/** Makes a value, a {@link Filled}, undefined if there is none, or a {@link TransformError}. `read` reads an existing column. */
export function compileTransform(
  mapping: FieldMapping,
  field: Field,
  rowForm: RowForm,
  read: (column: string) => Read,
): Read {
  const isNumeric = rowForm !== 'ndjson' && field.kind.numericCells === true;
  const direct = (value: unknown): unknown => (isNumeric && typeof value === 'string' ? numericCell(value) : value);
  if ('value' in mapping) return () => mapping.value;
  if ('template' in mapping) return templateReader(mapping.template, read);
  if ('first' in mapping) {
    const convert = mapping.as === 'domain' ? toDomain : direct;
    const sources = mapping.first.map((each) => (isTemplate(each) ? templateReader(each, read) : read(each)));
    return firstOf(sources, convert, mapping.otherwise);
  }
  const source = read(mapping.column);
  if ('values' in mapping) return valueTable(mapping, field, source);
  if (!('as' in mapping)) return isNumeric ? (content) => direct(source(content)) : source;
  switch (mapping.as) {
    case 'domain':
      return converted(source, toDomain);
    case 'number':
      return converted(withoutUnit(source, mapping.unit), numberConverter(mapping));
    case 'date':
      return converted(source, dateConverter(mapping));
  }
}

export interface SampledRows extends ReadColumns {
  readonly contents: readonly Content[];
}

export interface FieldTrial {
  /** What the rows have, and what would be sent, for each row with a value that can be sent. `row` is its index. */
  readonly values: readonly { readonly row: number; readonly found: string; readonly sent: string | number }[];
  readonly invalid: readonly { readonly found: string; readonly expected: string }[];
}

/** One field of sampled rows, for examples and counts. @param mapping with columns of the rows, and a valid template and format */
export function tryField(mapping: FieldMapping, field: Field, rows: SampledRows): FieldTrial {
  const read = columnReader(rows);
  const evaluate = compileTransform(mapping, field, rows.rowForm, read);
  const sources = columnsOf(mapping).map(read);
  const values: FieldTrial['values'][number][] = [];
  const invalid: FieldTrial['invalid'][number][] = [];
  for (const [row, content] of rows.contents.entries()) {
    const made = evaluate(content);
    if (made === undefined || made instanceof FreeMail) continue;
    const found = excerpt(sources.map((source) => source(content)).find((value) => value !== undefined) ?? '');
    if (made instanceof TransformError) {
      invalid.push({ found: made.found, expected: made.expected });
      continue;
    }
    const sent = field.kind.read(made instanceof Filled ? made.value : made);
    if (sent !== undefined) values.push({ row, found, sent });
    else invalid.push({ found: sources.length === 1 ? found : excerpt(made), expected: field.kind.expected });
  }
  return { values, invalid };
}

function withoutUnit(source: Read, unit: string | undefined): Read {
  if (unit === undefined) return source;
  const suffix = unit.trim().toLowerCase();
  return (content) => {
    const value = source(content);
    if (typeof value !== 'string' || !value.toLowerCase().endsWith(suffix)) return value;
    return value.slice(0, value.length - suffix.length).trimEnd();
  };
}

function converted(source: Read, convert: Convert): Read {
  return (content) => {
    const value = source(content);
    return value === undefined ? undefined : convert(value);
  };
}

/** The first value that is converted. If none is, the value of `otherwise`, or the first error. */
function firstOf(sources: readonly Read[], convert: (value: unknown) => unknown, otherwise: Target | undefined): Read {
  const filled = otherwise === undefined ? undefined : new Filled(otherwise);
  return (content) => {
    let error: unknown;
    for (const source of sources) {
      const value = source(content);
      if (value === undefined) continue;
      const converted = convert(value);
      if (!(converted instanceof TransformError)) return converted;
      error ??= converted;
    }
    return error === undefined ? filled : (otherwise ?? error);
  };
}

type Target = string | number;

const KEYS_SHOWN = 12;

/**
 * `values`: a table from input values to sent values. Keys match exactly first, then without regard to case and surrounding
 * spaces. A value that the field allows as it is needs no entry. The key "" matches an empty cell, to which `otherwise` does not
 * apply.
 */
function valueTable(
  { values, otherwise }: Extract<FieldMapping, { values: unknown }>,
  { kind }: Field,
  source: Read,
): Read {
  const exact = new Map<string, Target>(Object.entries(values));
  const empty = exact.get('');
  const filled = empty === undefined ? undefined : new Filled(empty);
  const folded = new Map<string, Target | undefined>();
  for (const [key, target] of exact) {
    const fold = key.trim().toLowerCase();
    // Keys that differ only in case and have different targets match only exactly.
    folded.set(fold, folded.has(fold) && folded.get(fold) !== target ? undefined : target);
  }
  const keys = [...exact.keys()].filter((key) => key !== '');
  const expected = keys.length === 0 ? 'an empty cell' : `one of ${formatList(keys, '"', KEYS_SHOWN)}`;
  return (content) => {
    const value = source(content);
    if (value === undefined) return filled;
    if (typeof value === 'object') return new TransformError('type', value, expected);
    const text = String(value);
    const target = exact.get(text) ?? folded.get(text.toLowerCase()) ?? otherwise;
    if (target !== undefined) return target;
    return kind.name === 'enum' && kind.read(text) !== undefined
      ? text
      : new TransformError('value', value, expected, 'add it to `values` in the mapping, or add an `otherwise`');
  };
}
