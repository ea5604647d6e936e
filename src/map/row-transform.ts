/**
 * `--transform FILE`: a function of the user's from row to row, between reading and mapping, for what the
 * transforms of a mapping cannot do. Whatever it does to a row costs that row alone: what it throws, and what it
 * returns that is no row, are issues. Loading it is not done here, for this room does no I/O.
 *
 * A row of CSV is given as an object from column to cell (texts, as they stand in the input, untrimmed), a row of
 * NDJSON as its object. Columns of the result are looked up by the mapping as those of the input are.
 */
import { excerpt, FOUND_LIMIT } from '../lib/excerpt.ts';
import { cut } from '../lib/text.ts';
import type { Issue, Row } from '../model/row.ts';
import { isCells } from './column-values.ts';

/** Called once for each row, in order, and for the first rows of an input once more while the run is planned. */
export type RowFunction = (row: Record<string, unknown>) => unknown;

export type Transformed =
  | { readonly kind: 'row'; readonly row: Row }
  /** The function returned nothing: the row is left out on purpose. */
  | { readonly kind: 'dropped' }
  | { readonly kind: 'failed'; readonly issue: Issue };

const DROPPED: Transformed = { kind: 'dropped' };
const EXPECTED = 'an object, or null to leave the row out';
const PATH_LIMIT = 5000;
const PATH_DEPTH = 32;

/**
 * @param columns the input's, each name once; not used for objects.
 * @returns never throws for what a row may hold or what the function does with it.
 */
export function rowTransform(fn: RowFunction, columns: readonly string[]): (row: Row) => Transformed {
  return (row) => {
    try {
      return judged(fn(given(row, columns)), row);
    } catch (error) {
      return failed(messageOf(error), 'no error');
    }
  };
}

function judged(result: unknown, row: Row): Transformed {
  if (result === null || result === undefined) return DROPPED;
  if (isThenable(result)) {
    // The promise is not awaited, and its rejection must not end the program.
    void Promise.resolve(result).catch(() => undefined);
    return failed('a promise', EXPECTED);
  }
  if (typeof result !== 'object' || Array.isArray(result)) return failed(excerpt(result), EXPECTED);
  // Copied here, where a getter that throws is the function's fault.
  return { kind: 'row', row: { ...row, content: { ...result } } };
}

/** Whether the function is asynchronous, as far as this one result tells. */
export function isThenable(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'then' in result && typeof result.then === 'function';
}

/** The columns of rows that the function made: the paths of their leaves, in the order of their first coming. */
export function columnsOfObjects(objects: Iterable<object>): readonly string[] {
  const columns = new Set<string>();
  for (const each of objects) addPaths(each, columns, '', 1);
  return [...columns];
}

function addPaths(content: object, columns: Set<string>, prefix: string, depth: number): void {
  for (const [key, value] of Object.entries(content)) {
    if (columns.size >= PATH_LIMIT) return;
    if (typeof value !== 'object' || value === null) columns.add(prefix + key);
    else if (depth < PATH_DEPTH) addPaths(value, columns, `${prefix}${key}.`, depth + 1);
  }
}

/** A new object: what the function does to it must not reach the rejects file, which holds the row as it was. */
function given({ content, text }: Row, columns: readonly string[]): Record<string, unknown> {
  if (isCells(content)) {
    // As entries, so that a column called __proto__ is a column.
    return Object.fromEntries(columns.map((column, index) => [column, content[index] ?? '']));
  }
  // Where the row's text is kept, it is the text that goes to the rejects file.
  return text === undefined ? structuredClone({ ...content }) : { ...content };
}

function failed(found: string, expected: string): Transformed {
  return { kind: 'failed', issue: { code: 'transform', found, expected } };
}

/** What was thrown may be anything, even something that cannot be made a text. */
function messageOf(error: unknown): string {
  try {
    return cut(error instanceof Error ? `${error.name}: ${error.message}` : String(error), FOUND_LIMIT);
  } catch {
    return 'an error without a message';
  }
}
