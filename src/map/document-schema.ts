/**
 * The mapping document (docs/mapping.md): its types, and what each key expects. A new `as: NAME` is an entry of
 * `conversions` here, and a branch in field-transforms.ts, render-mapping.ts and fix/candidates.ts.
 */
import { z } from 'zod';
import { recordTypes } from '../contract/index.ts';
import type { DecodeOptions } from '../model/decode-options.ts';
import { inputFormats } from '../model/input-format.ts';
import type { Data } from '../model/row.ts';
import { LOCALES } from './local-time.ts';

/** YAML reads a column called 2026 as a number; without a header, columns are called 1, 2, … */
const text = z.preprocess((value) => (Number.isSafeInteger(value) ? String(value) : value), z.string());
// Descriptions complete the sentence "expected …".
const column = text.pipe(z.string().regex(/\S/u)).describe('a column name');
const target = z.union([z.string().regex(/\S/u), z.number()]).describe('text or a number');

/** `z.record` silently drops a key "__proto__", so it is refused first. */
const table = z
  .unknown()
  .refine((value) => typeof value !== 'object' || value === null || !Object.hasOwn(value, '__proto__'))
  .pipe(z.record(z.string(), target))
  .refine((values) => Object.keys(values).length > 0)
  .describe('a table from input values to the text or number to send');

/** Without it, an invalid value makes the row invalid. */
const whenInvalid = { invalid: z.enum(['omit', 'reject']).optional().describe('omit or reject') };

/** Powers of ten up to a billion, because moving the decimal mark rounds nothing. */
const SCALES = [10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000];

const format = z.string().min(1);

const conversions = z.discriminatedUnion('as', [
  z.strictObject({ column, as: z.literal('domain'), ...whenInvalid }),
  z.strictObject({
    column,
    as: z.literal('number'),
    decimal: z.enum(['.', ',']).optional().describe('"." or ","'),
    scale: z
      .number()
      .refine((scale) => SCALES.includes(scale))
      .optional()
      .describe(`one of ${SCALES.join(', ')}`),
    unit: z.string().regex(/\S/u).optional().describe('the text after the numbers, such as "%"'),
    ...whenInvalid,
  }),
  z.strictObject({
    column,
    as: z.literal('date'),
    /** Of several formats, exactly one must read a date. */
    format: z
      .union([format, z.array(format).min(1).readonly()])
      .describe('a date format such as M/d/yyyy, one of iso, sql, epoch, epoch_ms, excel, or a list of them'),
    zone: z.string().min(1).optional().describe('a time zone such as UTC or Europe/Berlin'),
    /** Without it, month names are English, and only in luxon's forms: Nov, November. */
    locale: z
      .enum(LOCALES)
      .optional()
      .describe(`the language of the month names, one of ${LOCALES.join(', ')}`),
    ...whenInvalid,
  }),
]);

/** Other forms, by the key that distinguishes them. */
const transforms = {
  values: z.strictObject({ column, values: table, otherwise: target.optional(), ...whenInvalid }),
  template: z.strictObject({
    template: z
      .string()
      .min(1)
      .describe(
        'text with columns in braces and optional parts in brackets, such as "{Company} raised {Amount}[ in {City}]"',
      ),
    ...whenInvalid,
  }),
  first: z.strictObject({
    first: z.array(column).min(1).readonly().describe('a list of columns, or of texts made of columns'),
    as: z.literal('domain').optional(),
    otherwise: target.optional(),
    ...whenInvalid,
  }),
  value: z.strictObject({ value: target }),
} as const;

const unchanged = z.strictObject({ column, ...whenInvalid });

/** The keys of {@link DecodeOptions}, except what is about the rows. */
type InputKey = Exclude<keyof DecodeOptions, 'headerLine' | 'maxRowBytes' | 'ragged'> | 'header_line';

const input = z.strictObject({
  format: z
    .enum(inputFormats)
    .optional()
    .describe(`one of ${inputFormats.join(', ')}`),
  encoding: z.string().min(1).optional().describe('an encoding name such as utf-8'),
  delimiter: z.string().min(1).optional().describe('one character, such as ";"'),
  quote: z.string().optional().describe('one character, such as "\'", or "" for none'),
  header: z.boolean().optional().describe('true or false'),
  sheet: text.pipe(z.string().min(1)).optional().describe('the name or the number of a sheet of a workbook'),
  header_line: z.int().min(1).optional().describe('the line number of the header, counted from 1'),
} satisfies Record<InputKey, z.ZodType>);

export const documentShape = z.strictObject({
  type: z
    .enum(recordTypes)
    .optional()
    .describe(`one of ${recordTypes.join(', ')}`),
  variant: z.enum(['a', 'b', 'both']).optional().describe('one of a, b, both'),
  input: input.optional().describe(`any of the keys ${Object.keys(input.shape).join(', ')}`),
  empty: z.array(text).readonly().optional().describe('a list of values such as ["N/A", "-"]'),
  fields: z.record(z.string(), z.unknown()).describe('field names, each with its column'),
});

/** How a field is made. The shorthand `field: Column` is `{ column: Column }`, and `field: "{A} {B}"` is `{ template: … }`. */
export type FieldMapping = Data<typeof unchanged | typeof conversions | (typeof transforms)[keyof typeof transforms]>;

export type WrittenMapping = Data<typeof documentShape>;

export interface MappingDocument extends Omit<WrittenMapping, 'fields'> {
  readonly fields: Readonly<Record<string, FieldMapping>>;
}

type Keys = Readonly<Record<string, z.ZodType>>;

const documentKeys: Keys = documentShape.shape;
const inputKeys: Keys = input.shape;
/** Those of all forms. */
const fieldKeys: Keys = {
  ...Object.fromEntries(
    [...conversions.options, ...Object.values(transforms)].flatMap(({ shape }) => Object.entries<z.ZodType>(shape)),
  ),
  as: z.unknown().describe(`one of ${conversions.options.map(({ shape }) => shape.as.value).join(', ')}`),
};

const requiredKeys = Object.values(transforms).map(({ shape }) =>
  Object.entries<z.ZodType>(shape).flatMap(([key, schema]) => (schema.isOptional() ? [] : [key])),
);

export const EXPECTED_FIELD = `a column, a text made of columns in braces, or one of ${[['column', 'as'], ...requiredKeys].map((keys) => `{ ${keys.join(', ')} }`).join(', ')}`;

/** The schema for a field's keys. Its distinguishing key chooses it, so that problems are described in its terms. */
export function fieldSchema(raw: object): z.ZodType<FieldMapping> {
  const form = (Object.keys(transforms) as (keyof typeof transforms)[]).find((key) => key in raw);
  if (form !== undefined) return transforms[form];
  return 'as' in raw ? conversions : unchanged;
}

export function keysAt([first]: readonly PropertyKey[]): readonly string[] {
  return Object.keys(first === undefined ? documentKeys : first === 'input' ? inputKeys : fieldKeys);
}

/** Completes the sentence "expected …" for the value at a path, also inside a list or a table. */
export function expectedAt(path: readonly PropertyKey[]): string {
  const [first = '', second, third] = path.map(String);
  let schema = documentKeys[first];
  if (first === 'input' && second !== undefined) schema = inputKeys[second];
  if (third !== undefined) schema = fieldKeys[third];
  return schema?.description ?? 'a different value';
}
