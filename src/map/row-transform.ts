/**
 * `--transform FILE`: applies the user's function from row to row, before the mapping. An error or an invalid result makes only
 * that row invalid. A CSV row is passed as an object from column to untrimmed cell, an NDJSON row as its object.
 */
import { excerpt, FOUND_LIMIT } from '../lib/excerpt.ts';
import { addPaths } from '../lib/json-paths.ts';
import { cut } from '../lib/text.ts';
import type { Issue, Row } from '../model/row.ts';
import { isCells } from './column-values.ts';

/** Called once for each row, in order, and once more for the first rows of an input while the run is planned. */
export type RowFunction = (row: Record<string, unknown>) => unknown;

export type Transformed =
  | { readonly kind: 'row'; readonly row: Row }
  /** The function returned nothing, to skip the row. */
  | { readonly kind: 'dropped' }
  | { readonly kind: 'failed'; readonly issue: Issue };

const DROPPED: Transformed = { kind: 'dropped' };
const EXPECTED = 'an object, or null to leave the row out';

/**
 * @param columns the input's, without repeated names; not used for objects
 * @returns a function that never throws, whatever `fn` does
 */
export function rowTransform(fn: RowFunction, columns: readonly string[]): (row: Row) => Transformed {
  return (row) => {
    try {
      return judged(fn(argumentFor(row, columns)), row);
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
  // Copied here, where an error of a getter counts as the function's.
  return { kind: 'row', row: { ...row, content: { ...result } } };
}

/** Whether the result is a promise. */
export function isThenable(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'then' in result && typeof result.then === 'function';
}

/** The columns of objects: the paths of their leaves, in order of first occurrence. */
export function columnsOfObjects(objects: Iterable<object>): readonly string[] {
  const columns = new Set<string>();
  for (const each of objects) addPaths(each, columns);
  return [...columns];
}

/** A new object, because the rejects file needs the row unchanged. */
function argumentFor({ content, text }: Row, columns: readonly string[]): Record<string, unknown> {
  if (isCells(content)) {
    // Object.fromEntries allows a column named __proto__.
    return Object.fromEntries(columns.map((column, index) => [column, content[index] ?? '']));
  }
  // The rejects file uses the text of the row, if there is one.
  return text === undefined ? structuredClone({ ...content }) : { ...content };
}

function failed(found: string, expected: string): Transformed {
  return { kind: 'failed', issue: { code: 'transform', found, expected } };
}

/** A thrown value can be anything, even one that cannot be converted to a string. */
function messageOf(error: unknown): string {
  try {
    return cut(error instanceof Error ? `${error.name}: ${error.message}` : String(error), FOUND_LIMIT);
  } catch {
    return 'an error without a message';
  }
}
