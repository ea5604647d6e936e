/** The transforms of a mapping (docs/spec/cli.md, "Mapping"): compile a field's mapping to a function of the row. */
import type { Read } from './column-values.ts';
import type { FieldMapping } from './document-schema.ts';
import { toDomain } from './domain.ts';
import { dateConverter, dateSpecError } from './parse-date.ts';
import { numberConverter } from './parse-number.ts';
import { parseTemplate, type Template } from './template.ts';
import { type Convert, TransformError, textOf } from './transform-error.ts';
import { valueTable } from './value-table.ts';

/** Returns a value, undefined if there is none, or a TransformError. */
export type Evaluate = Read;

/** The columns that a field is made from, as the mapping names them. Templates must be valid. */
export function columnsOf(mapping: FieldMapping): readonly string[] {
  if ('column' in mapping) return [mapping.column];
  if ('first' in mapping) return mapping.first;
  if ('template' in mapping) return templateOf(mapping.template).columns;
  return [];
}

/** A problem that does not depend on the input, and its key: an invalid template, format or zone. */
export function transformProblem(mapping: FieldMapping): { key: string; message: string } | undefined {
  if ('template' in mapping) {
    const template = parseTemplate(mapping.template);
    return typeof template === 'string' ? { key: 'template', message: `the template has ${template}` } : undefined;
  }
  const message = 'format' in mapping ? dateSpecError(mapping) : undefined;
  return message === undefined ? undefined : { key: 'format', message };
}

/** Whether an invalid value omits the field, instead of making the row invalid. */
export function omitsInvalid(mapping: FieldMapping): boolean {
  return 'invalid' in mapping && mapping.invalid === 'omit';
}

/** Whether a field is the unchanged value of one column. */
export function isPlain(mapping: FieldMapping): boolean {
  return 'column' in mapping && !('as' in mapping) && !('values' in mapping);
}

/**
 * @param read creates the reader of an existing column
 * @param direct converts values that no transform converts
 * @param known the allowed value that a text is a form of: it needs no entry in `values`
 */
export function compileTransform(
  mapping: FieldMapping,
  read: (column: string) => Read,
  direct: (value: unknown) => unknown,
  known?: (value: string) => unknown,
): Evaluate {
  if ('value' in mapping) return () => mapping.value;
  if ('template' in mapping) return fill(templateOf(mapping.template), read);
  if ('first' in mapping) {
    const convert = mapping.as === 'domain' ? toDomain : direct;
    return firstOf(mapping.first.map(read), convert, mapping.otherwise);
  }
  const source = read(mapping.column);
  if ('values' in mapping) {
    const { convert, empty } = valueTable(mapping.values, mapping.otherwise, known);
    return (content) => {
      const value = source(content);
      return value === undefined ? empty : convert(value);
    };
  }
  if (!('as' in mapping)) return (content) => direct(source(content));
  switch (mapping.as) {
    case 'domain':
      return converted(source, toDomain);
    case 'number':
      return converted(withoutUnit(source, mapping.unit), numberConverter(mapping));
    case 'date':
      return converted(source, dateConverter(mapping));
  }
}

/** The text before a unit such as "%", which is not part of the number. */
function withoutUnit(source: Read, unit: string | undefined): Read {
  if (unit === undefined) return source;
  const suffix = unit.trim().toLowerCase();
  return (content) => {
    const value = source(content);
    if (typeof value !== 'string' || !value.toLowerCase().endsWith(suffix)) return value;
    return value.slice(0, value.length - suffix.length).trimEnd();
  };
}

function converted(source: Read, convert: Convert): Evaluate {
  return (content) => {
    const value = source(content);
    return value === undefined ? undefined : convert(value);
  };
}

/** The first value that is converted. If none is, the value of `otherwise`, or the first error. */
function firstOf(sources: readonly Read[], convert: (value: unknown) => unknown, otherwise: unknown): Evaluate {
  return (content) => {
    let error: unknown;
    for (const source of sources) {
      const value = source(content);
      if (value === undefined) continue;
      const converted = convert(value);
      if (!(converted instanceof TransformError)) return converted;
      error ??= converted;
    }
    return otherwise ?? error;
  };
}

function fill(template: Template, read: (column: string) => Read): Evaluate {
  const [head = '', ...tails] = template.texts;
  const parts = template.columns.map((column, index) => ({ source: read(column), tail: tails[index] ?? '' }));
  return (content) => {
    let text = head;
    for (const { source, tail } of parts) {
      const value = source(content);
      if (value === undefined) return undefined;
      const part = textOf(value);
      if (part === undefined)
        return new TransformError('type', value, 'text or a number in each column of the template');
      text += part + tail;
    }
    return text;
  };
}

function templateOf(source: string): Template {
  const template = parseTemplate(source);
  if (typeof template === 'string') throw new TypeError(`A template was not checked: it has ${template}`);
  return template;
}
