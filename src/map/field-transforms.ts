/** The transforms of a mapping (docs/mapping.md, "The mapping file"): compile a field's mapping to a function of the row. */
import type { Field } from '../contract/index.ts';
import { numericCell, scalarText } from '../lib/exact-number.ts';
import { formatList } from './column-names.ts';
import { type Convert, type Read, type RowForm, TransformError } from './column-values.ts';
import type { FieldMapping } from './document-schema.ts';
import { toDomain } from './domain.ts';
import { dateConverter, dateSpecError } from './parse-date.ts';
import { numberConverter } from './parse-number.ts';

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

/** @param read creates the reader of an existing column */
export function compileTransform(
  mapping: FieldMapping,
  { kind }: Field,
  rowForm: RowForm,
  read: (column: string) => Read,
): Evaluate {
  const isNumeric = rowForm !== 'ndjson' && kind.numericCells === true;
  /** Converts values that no transform converts. */
  const direct = (value: unknown): unknown => (isNumeric && typeof value === 'string' ? numericCell(value) : value);
  if ('value' in mapping) return () => mapping.value;
  if ('template' in mapping) return fill(templateOf(mapping.template), read);
  if ('first' in mapping) {
    const convert = mapping.as === 'domain' ? toDomain : direct;
    return firstOf(mapping.first.map(read), convert, mapping.otherwise);
  }
  const source = read(mapping.column);
  if ('values' in mapping) {
    const { convert, empty } = valueTable(
      mapping.values,
      mapping.otherwise,
      kind.name === 'enum' ? kind.read : undefined,
    );
    return (content) => {
      const value = source(content);
      return value === undefined ? empty : convert(value);
    };
  }
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
      const part = scalarText(value);
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

type Target = string | number;

/** Keys named in an issue. */
const KEYS_SHOWN = 12;

interface ValueTable {
  readonly convert: Convert;
  /** The value for an empty cell. */
  readonly empty: Target | undefined;
}

/**
 * `values`: a table from input values to sent values. Keys match exactly first, then without regard to case and surrounding
 * spaces. A value that the field allows as it is needs no entry. The key "" matches an empty cell, to which `otherwise` does not
 * apply.
 *
 * @param known the allowed value that a text is a form of
 */
function valueTable(
  values: Readonly<Record<string, Target>>,
  otherwise: Target | undefined,
  known: (text: string) => unknown = () => undefined,
): ValueTable {
  const exact = new Map<string, Target>(Object.entries(values));
  const folded = new Map<string, Target | undefined>();
  for (const [key, target] of exact) {
    const fold = key.trim().toLowerCase();
    // Keys that differ only in case and have different targets match only exactly.
    folded.set(fold, folded.has(fold) && folded.get(fold) !== target ? undefined : target);
  }
  const keys = [...exact.keys()].filter((key) => key !== '');
  const expected = keys.length === 0 ? 'an empty cell' : `one of ${formatList(keys, '"', KEYS_SHOWN)}`;
  return {
    empty: exact.get(''),
    convert: (value) => {
      if (typeof value === 'object') return new TransformError('type', value, expected);
      const text = String(value);
      return (
        exact.get(text) ??
        folded.get(text.trim().toLowerCase()) ??
        otherwise ??
        (known(text) === undefined ? undefined : text) ??
        new TransformError('value', value, expected, 'add it to `values` in the mapping, or add an `otherwise`')
      );
    },
  };
}

/**
 * A template such as `{Company} raised {Amount}`. A name in braces is a column; `{{` and `}}` are literal braces. A template
 * cannot use a column whose name contains a brace.
 */
interface Template {
  /** The texts before, between and after the columns: one more than columns. */
  readonly texts: readonly string[];
  readonly columns: readonly string[];
}

/** The template's parts, or the problem of an invalid one. */
export function parseTemplate(source: string): Template | string {
  const texts: string[] = [];
  const columns: string[] = [];
  let text = '';
  let index = 0;
  while (index < source.length) {
    const char = source.charAt(index);
    if ((char === '{' || char === '}') && source.charAt(index + 1) === char) {
      text += char;
      index += 2;
    } else if (char === '}') {
      return 'a "}" without a matching "{"; write "}}" for a literal brace';
    } else if (char === '{') {
      const end = source.indexOf('}', index);
      if (end === -1) return 'a "{" without a matching "}"; write "{{" for a literal brace';
      const column = source.slice(index + 1, end).trim();
      if (column === '') return 'empty braces';
      if (column.includes('{')) return 'a "{" inside braces';
      columns.push(column);
      texts.push(text);
      text = '';
      index = end + 1;
    } else {
      text += char;
      index += 1;
    }
  }
  if (columns.length === 0) return 'no column in braces; write a constant as { value: … }';
  return { texts: [...texts, text], columns };
}
