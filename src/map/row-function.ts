/**
 * `--transform FILE`: the user's function from row to row, before the mapping. An error or an invalid result makes only that
 * row invalid. plan/row-function-worker.ts calls the function.
 */
import { cut, excerpt, FOUND_LIMIT } from '../lib/text.ts';
import { addPaths, type BrokenRow, isCells, type Row } from '../model/row.ts';

/** What the function is called with: for CSV an object from column to untrimmed cell, for NDJSON the object. */
export type RowArgument = Readonly<Record<string, unknown>>;

export type RowFunctionAnswer =
  /** Objects are copied. */
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'threw'; readonly message: string }
  | { readonly kind: keyof typeof FAILURES };

const EXPECTED = 'an object, or null to leave the row out';

const FAILURES = {
  promise: 'a promise',
  endless: 'an object that refers to itself, or has too many levels or values',
  stuck: 'no result after 5 seconds',
  ended: 'process.exit, which ended the thread of the function',
};

/** @param columns the input's, without repeated names; not used for objects */
export function rowArgument({ content }: Row, columns: readonly string[]): RowArgument {
  if (!isCells(content)) return content;
  // From entries, so that a column can be called __proto__.
  return Object.fromEntries(columns.map((column, index) => [column, content[index] ?? '']));
}

/** Undefined if the function returned nothing, to skip the row. */
export function transformedRow(row: Row, answer: RowFunctionAnswer): Row | BrokenRow | undefined {
  const failed = (found: string, expected: string): BrokenRow => ({
    position: row.position,
    issue: { code: 'transform', found, expected },
    raw: row.text ?? row.content,
  });
  if (answer.kind === 'threw') return failed(cut(answer.message, FOUND_LIMIT), 'no error');
  if (answer.kind !== 'value') return failed(FAILURES[answer.kind], EXPECTED);
  const { value } = answer;
  if (value === null || value === undefined) return undefined;
  if (typeof value !== 'object' || Array.isArray(value)) return failed(excerpt(value), EXPECTED);
  return { ...row, content: { ...value } };
}

/** The columns of objects: the paths of their leaves, in order of first occurrence. */
export function columnsOfObjects(objects: Iterable<object>): readonly string[] {
  const columns = new Set<string>();
  for (const each of objects) addPaths(each, columns);
  return [...columns];
}
