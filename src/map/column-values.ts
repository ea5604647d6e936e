/**
 * Reads columns of rows of CSV and NDJSON. Also what transforms make of a value that they cannot convert.
 */
import { excerpt } from '../lib/text.ts';
import { type Content, type IssueCode, isCells } from '../model/row.ts';
import { columnFinder } from './match-names.ts';

/** `named cells`: CSV rows that a row function has turned into objects. */
export type RowForm = 'csv' | 'ndjson' | 'named cells';

export interface ReadColumns {
  readonly columns: readonly string[];
  readonly rowForm: RowForm;
  readonly empty?: readonly string[] | undefined;
}

/** Reads one column of a row. Undefined if the cell is empty or the path absent. */
export type Read = (content: Content) => unknown;

export function columnReader({ columns, rowForm, empty = [] }: ReadColumns): (wanted: string) => Read {
  const find = columnFinder(columns);
  const none = new Set(empty.map(trim));
  return (wanted) => {
    const [name = wanted] = find(wanted);
    return rowForm === 'csv' ? cellReader(columns.indexOf(name), none) : pathReader(name, none);
  };
}

/** @param empty trimmed texts that count as empty */
function cellReader(index: number, empty: ReadonlySet<string>): Read {
  const present = presence(empty);
  return (content) => {
    const cell = isCells(content) ? content[index] : undefined;
    return cell === undefined ? undefined : present(cell);
  };
}

/** Own properties only. A key with dots goes before the path: `{"company.name": …}` before `{"company": {"name": …}}`. */
export function pathReader(path: string, empty: ReadonlySet<string>): Read {
  const parts = path.split('.');
  const present = presence(empty);
  return (content) => {
    const value = findPath(content, parts, 0) ?? undefined;
    return typeof value === 'string' ? present(value) : value;
  };
}

function findPath(from: unknown, parts: readonly string[], start: number): unknown {
  if (typeof from !== 'object' || from === null) return undefined;
  for (let end = parts.length; end > start; end -= 1) {
    const key = parts.slice(start, end).join('.');
    // The own property "length" of an array is not data.
    if (!Object.hasOwn(from, key) || (key === 'length' && Array.isArray(from))) continue;
    const value: unknown = Reflect.get(from, key);
    const found = end === parts.length ? value : findPath(value, parts, end);
    if (found !== undefined) return found;
  }
  return undefined;
}

function presence(empty: ReadonlySet<string>): (cell: string) => string | undefined {
  // Avoids hashing long texts: texts that count as empty are short.
  const longest = Math.max(0, ...[...empty].map((text) => text.length));
  return (cell) => {
    const text = trim(cell);
    return text === '' || (text.length <= longest && empty.has(text)) ? undefined : text;
  };
}

/** Trims Unicode white space and the byte order mark. `String.prototype.trim` does not know U+0085. */
export function trim(text: string): string {
  const trimmed = text.trim();
  let start = 0;
  let end = trimmed.length;
  if (!isNextLine(trimmed, start) && !isNextLine(trimmed, end - 1)) return trimmed;
  // Not a regular expression, which would take quadratic time for blanks inside the text.
  while (BLANK.test(trimmed.charAt(start))) start += 1;
  while (BLANK.test(trimmed.charAt(end - 1))) end -= 1;
  return trimmed.slice(start, end);
}

const BLANK = /[\s\u0085]/u;

function isNextLine(text: string, index: number): boolean {
  return text.charCodeAt(index) === 0x85;
}

/** Why a transform has no value. A class, as the following, so that no input value can equal it. */
export class TransformError {
  readonly code: IssueCode;
  readonly found: string;
  readonly expected: string;
  readonly hint: string | undefined;

  constructor(code: IssueCode, value: unknown, expected: string, hint?: string) {
    this.code = code;
    this.found = excerpt(value);
    this.expected = expected;
    this.hint = hint;
  }
}

/** The e-mail address is at a consumer provider. Only if the field is required, that makes the row invalid. */
export class FreeMail extends TransformError {
  constructor(address: string, host: string) {
    const hint = `${host} is a free e-mail provider: give the company's website, or use a variant that does not require the field.`;
    super('domain', address, 'a company domain, not a free e-mail provider', hint);
  }
}

export type Convert = (value: unknown) => string | number | TransformError;

/** A constant for an empty cell: it does not come from the row. */
export class Filled {
  readonly value: string | number;

  constructor(value: string | number) {
    this.value = value;
  }
}

/** An absent field, with the note that says why. */
export class Absent {
  readonly notes: readonly [string];

  constructor(note: string) {
    this.notes = [note];
  }
}
