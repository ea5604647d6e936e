/**
 * Texts made of columns, such as `{Company} raised {Amount}[ in {City}]` (docs/mapping.md). A name in braces is a column. A part
 * in brackets is left out if one of its columns is empty; without the others there is no text. A pair of brackets around no column
 * is two ordinary characters, and so are `{{`, `}}`, `[[` and `]]`. A column whose name contains a brace cannot be used.
 */
import { scalarText } from '../lib/exact-number.ts';
import { type Read, TransformError } from './column-values.ts';

interface Template {
  readonly parts: readonly Part[];
  readonly columns: readonly string[];
}

type Part = string | { readonly column: string } | { readonly optional: readonly Part[] };

const COLUMN_IN_TEXT = /\{[^{}]+\}/u;

/** Whether a text of a mapping is a template. Otherwise it is the name of a column. */
export function isTemplate(text: string): boolean {
  return COLUMN_IN_TEXT.test(text.replaceAll('{{', ''));
}

/** The template's parts, or the problem of an invalid one. */
export function parseTemplate(source: string): Template | string {
  const columns: string[] = [];
  const parts: Part[] = [];
  /** The parts since an open bracket. */
  let optional: Part[] | undefined;
  let index = 0;
  while (index < source.length) {
    const char = source.charAt(index);
    const into = optional ?? parts;
    if ('{}[]'.includes(char) && source.charAt(index + 1) === char) {
      into.push(char);
      index += 2;
      continue;
    }
    index += 1;
    if (char === '}') return 'a "}" without a matching "{"; write "}}" for a literal brace';
    if (char === '{') {
      const end = source.indexOf('}', index);
      if (end === -1) return 'a "{" without a matching "}"; write "{{" for a literal brace';
      const column = source.slice(index, end).trim();
      if (column === '') return 'no column name in "{}"; write "{{}}" for literal braces';
      if (column.includes('{')) return 'a "{" before the "}" of another; write "{{" for a literal brace';
      columns.push(column);
      into.push({ column });
      index = end + 1;
    } else if (char === '[') {
      if (optional !== undefined) return 'a "[" inside brackets; write "[[" for a literal bracket';
      optional = [];
    } else if (char === ']') {
      if (optional === undefined) return 'a "]" without a matching "["; write "]]" for a literal bracket';
      const hasColumn = optional.some((part) => typeof part === 'object');
      parts.push(...(hasColumn ? [{ optional }] : ['[', ...optional, ']']));
      optional = undefined;
    } else into.push(char);
  }
  if (optional !== undefined) return 'a "[" without a matching "]"; write "[[" for a literal bracket';
  if (columns.length === 0) return 'no column in braces; write a constant as { value: … }';
  return { parts, columns };
}

/** The columns of a valid template, in its order. */
export function templateColumns(source: string): readonly string[] {
  return templateOf(source).columns;
}

/**
 * The same text with brackets around the columns that can be empty, and around the characters that belong to them:
 * `{Company} raised {Amount}` becomes `{Company}[ raised {Amount}]`. Undefined if nothing would be left, or nothing changes.
 */
export function withOptionalParts(source: string, isEmpty: (column: string) => boolean): string | undefined {
  const parts = joined(templateOf(source).parts);
  const isOptional = (part: Part | undefined): boolean =>
    typeof part === 'object' && 'column' in part && isEmpty(part.column);
  const columns = parts.filter((part) => typeof part === 'object' && 'column' in part);
  const count = columns.filter(isOptional).length;
  if (count === 0 || count === columns.length) return undefined;
  // The characters before an empty column belong to it; those after it if the text begins with it.
  const ownerOf = (index: number): number | undefined =>
    isOptional(parts[index + 1]) ? index + 1 : index === 1 && isOptional(parts[0]) ? 0 : undefined;
  const textOwned = (index: number, owner: number): string => {
    const part = parts[index];
    return typeof part === 'string' && ownerOf(index) === owner ? sourceOf(part) : '';
  };
  const texts = parts.map((part, index) => {
    if (typeof part === 'string') return ownerOf(index) === undefined ? sourceOf(part) : '';
    if (!isOptional(part)) return sourceOf(part);
    return `[${textOwned(index - 1, index)}${sourceOf(part)}${textOwned(index + 1, index)}]`;
  });
  return texts.join('');
}

/** As in a mapping. */
function sourceOf(part: Part): string {
  if (typeof part === 'string') return part.replace(/[{}[\]]/gu, '$&$&');
  return 'column' in part ? `{${part.column}}` : `[${part.optional.map(sourceOf).join('')}]`;
}

/** @param read creates the reader of an existing column */
export function templateReader(source: string, read: (column: string) => Read): Read {
  const text = textOf(templateOf(source).parts, read);
  return (content) => {
    const value = text(content);
    return value === '' ? undefined : value;
  };
}

function textOf(parts: readonly Part[], read: (column: string) => Read): Read {
  const readers = joined(parts).map((part): Read => {
    if (typeof part === 'string') return () => part;
    if ('column' in part) return asText(read(part.column));
    const optional = textOf(part.optional, read);
    return (content) => optional(content) ?? '';
  });
  return (content) => {
    let text = '';
    for (const reader of readers) {
      const value = reader(content);
      if (typeof value !== 'string') return value;
      text += value;
    }
    return text;
  };
}

function asText(source: Read): Read {
  return (content) => {
    const value = source(content);
    if (value === undefined) return undefined;
    return scalarText(value) ?? new TransformError('type', value, 'text or a number in each column of the template');
  };
}

/** Characters that follow each other become one text. */
function joined(parts: readonly Part[]): readonly Part[] {
  const result: Part[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (typeof part === 'string' && typeof last === 'string') result[result.length - 1] = last + part;
    else result.push(part);
  }
  return result;
}

function templateOf(source: string): Template {
  const template = parseTemplate(source);
  if (typeof template === 'string') throw new TypeError(`A template was not checked: it has ${template}`);
  return template;
}
