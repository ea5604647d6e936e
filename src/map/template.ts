/**
 * Texts made of columns, such as `{Company} raised {Amount}[ in {City}]` (docs/mapping.md). A name in braces is a column. A part
 * in brackets is left out if one of its columns is empty; without the others there is no text. A pair of brackets around no column
 * is two ordinary characters, and so are `{{`, `}}`, `[[` and `]]`. A column whose name contains a brace cannot be used.
 */
import { scalarText } from '../lib/exact-number.ts';
import { nearest } from '../lib/nearest.ts';
import { type Read, TransformError } from './column-values.ts';
import { columnFinder } from './match-names.ts';

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
  const addText = (into: Part[], text: string): void => {
    const last = into.at(-1);
    if (typeof last === 'string') into[into.length - 1] = last + text;
    else into.push(text);
  };
  let optional: Part[] | undefined;
  let index = 0;
  while (index < source.length) {
    const char = source.charAt(index);
    const into = optional ?? parts;
    if ('{}[]'.includes(char) && source.charAt(index + 1) === char) {
      addText(into, char);
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
      if (optional.some((part) => typeof part === 'object')) parts.push({ optional });
      else addText(parts, `[${optional.join('')}]`);
      optional = undefined;
    } else addText(into, char);
  }
  if (optional !== undefined) return 'a "[" without a matching "]"; write "[[" for a literal bracket';
  if (columns.length === 0) return 'no column in braces; write a constant as { value: … }';
  return { parts, columns };
}

export function templateProblem(template: string, columns: readonly string[]): string | undefined {
  const parsed = parseTemplate(template);
  if (typeof parsed === 'string') return `This has ${parsed}.`;
  const find = columnFinder(columns);
  const wrong = parsed.columns.find((column) => find(column).length !== 1);
  if (wrong === undefined) return undefined;
  if (find(wrong).length > 0) return `Several columns match "${wrong}": write the whole name.`;
  const near = nearest(wrong, columns);
  return `There is no column "${wrong}".${near === undefined ? '' : ` Did you mean {${near}}?`}`;
}

export function templateColumns(source: string): readonly string[] {
  return templateOf(source).columns;
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
  const readers = parts.map((part): Read => {
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

function templateOf(source: string): Template {
  const template = parseTemplate(source);
  if (typeof template === 'string') throw new TypeError(`A template was not checked: it has ${template}`);
  return template;
}
