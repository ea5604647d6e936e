/** The shapes of a mapping document's parts, as zod schemas, and the words for what each key expects. */

import { z } from 'zod';
import { recordTypes } from '../contract/index.ts';
import { inputFormats } from '../model/input-format.ts';
import type { FieldMapping } from './document-types.ts';
import { LOCALES } from './months.ts';

/** YAML reads a column called 2026 as a number; without a header, columns are called 1, 2, … */
const text = z.preprocess((value) => (Number.isSafeInteger(value) ? String(value) : value), z.string());
const column = text.pipe(z.string().regex(/\S/u));
const target = z.union([z.string().regex(/\S/u), z.number()]);

/** zod's record drops a key "__proto__" without a word; here nothing is dropped. */
const table = z
  .unknown()
  .refine((value) => typeof value !== 'object' || value === null || !Object.hasOwn(value, '__proto__'))
  .pipe(z.record(z.string(), target))
  .refine((values) => Object.keys(values).length > 0);

const input = z.strictObject({
  format: z.enum(inputFormats).exactOptional(),
  encoding: z.string().min(1).exactOptional(),
  delimiter: z.string().min(1).exactOptional(),
  quote: z.string().exactOptional(),
  header: z.boolean().exactOptional(),
  header_line: z.int().min(1).exactOptional(),
});

export const documentShape = z.strictObject({
  type: z.enum(recordTypes).exactOptional(),
  variant: z.enum(['a', 'b', 'both']).exactOptional(),
  input: input.exactOptional(),
  empty: z.array(text).exactOptional(),
  fields: z.record(z.string(), z.unknown()),
});

const shapes = {
  column: z.strictObject({ column }),
  domain: z.strictObject({ column, as: z.literal('domain') }),
  number: z.strictObject({
    column,
    as: z.literal('number'),
    decimal: z.enum(['.', ',']).exactOptional(),
  }),
  date: z.strictObject({
    column,
    as: z.literal('date'),
    format: z.string().min(1),
    zone: z.string().min(1).exactOptional(),
    locale: z.enum(LOCALES).exactOptional(),
    invalid: z.enum(['omit', 'reject']).exactOptional(),
  }),
  otherAs: z.strictObject({ column, as: z.enum(['domain', 'number', 'date']) }),
  values: z.strictObject({ column, values: table, otherwise: target.exactOptional() }),
  template: z.strictObject({ template: z.string().min(1) }),
  first: z.strictObject({ first: z.array(column).min(1) }),
  value: z.strictObject({ value: target }),
} as const;

/** All shapes of a field: the name of a column, or a set of keys. */
export const fieldShapes = {
  columnName: column,
  keyed: {
    column: shapes.column,
    domain: shapes.domain,
    number: shapes.number,
    date: shapes.date,
    values: shapes.values,
    template: shapes.template,
    first: shapes.first,
    value: shapes.value,
  },
} as const;

/** The shape that a field's keys ask for: chosen by its own key first, so that faults are told in its terms. */
export function fieldShape(raw: object): z.ZodType<FieldMapping> {
  for (const key of ['template', 'first', 'value', 'values'] as const) {
    if (Object.hasOwn(raw, key)) return shapes[key];
  }
  if (!Object.hasOwn(raw, 'as')) return shapes.column;
  const as: unknown = Reflect.get(raw, 'as');
  return as === 'domain' || as === 'number' || as === 'date' ? shapes[as] : shapes.otherAs;
}

export const KEYS_OF_DOCUMENT: readonly string[] = Object.keys(documentShape.shape);
export const KEYS_OF_INPUT: readonly string[] = Object.keys(input.shape);
export const KEYS_OF_FIELD: readonly string[] = [
  ...new Set(Object.values(shapes).flatMap((shape) => Object.keys(shape.shape))),
];

/** How a field may be made, for a field that is neither a text nor a set of keys. */
export const EXPECTED_FIELD =
  'a column name, or one of { column, as }, { column, values }, { template }, { first }, { value }';

/** The keys of a field that need another key, and that key. */
export const WORKS_ONLY_WITH: Readonly<Record<string, string>> = {
  decimal: 'as: number',
  format: 'as: date',
  zone: 'as: date',
  locale: 'as: date',
  invalid: 'as: date',
  otherwise: 'values',
};

/** What each key expects, as the end of a sentence. */
export const EXPECTED: Readonly<Record<string, string>> = {
  type: `one of ${recordTypes.join(', ')}`,
  variant: 'one of a, b, both',
  input: `any of the keys ${KEYS_OF_INPUT.join(', ')}`,
  encoding: 'an encoding name such as utf-8',
  delimiter: 'one character, such as ";"',
  quote: 'one character, such as "\'", or "" for none',
  header: 'true or false',
  header_line: 'the line number of the header, counted from 1',
  empty: 'a list of values such as ["N/A", "-"]',
  fields: 'field names, each with its column',
  column: 'a column name',
  as: 'one of domain, number, date',
  decimal: '"." or ","',
  format: 'a date format such as M/d/yyyy, or one of iso, sql, epoch, epoch_ms, excel',
  zone: 'a time zone such as UTC or Europe/Berlin',
  locale: `the language of the month names, one of ${LOCALES.join(', ')}`,
  invalid: 'omit or reject',
  values: 'a table from input values to the text or number to send',
  otherwise: 'text or a number',
  template: 'text with column names in braces, such as "{Company} raised {Amount}"',
  first: 'a list of columns',
  value: 'text or a number',
};
