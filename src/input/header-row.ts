/**
 * Finds the header of a table that has other lines before it, such as a title or the date of the export. Such lines have
 * text in few cells. For CSV and for sheets; takes and gives plain data.
 */
import { plural } from '../lib/units.ts';
import { ProblemError } from '../model/problem.ts';

export interface HeaderRow {
  /** Index of the row: 0 unless the rows before it are mostly empty. */
  readonly index: number;
  /** Whether the rows prove it. If not, the user must say which line is the header. */
  readonly isClear: boolean;
}

/** More rows before the header are improbable. */
const MAX_PREAMBLE = 30;

/** Longest name of a column that is plausible, in characters. */
const MAX_NAME = 100;

/** What values contain and most names do not: digits, and the signs of addresses. */
const VALUE = /\d|@|:\/\//;

/** @param rows the first rows, without blank ones */
export function findHeaderRow(rows: readonly (readonly string[])[]): HeaderRow {
  const width = tableWidth(rows);
  const index = rows.slice(0, MAX_PREAMBLE).findIndex((cells) => !isMostlyEmpty(cells, width));
  const header = rows[index];
  if (index <= 0 || header === undefined) return { index: 0, isClear: true };
  return { index, isClear: isHeader(header, rows.slice(index + 1), width) };
}

/** The largest extent that at least two rows have: rows may end with empty cells, and one may be too long. */
function tableWidth(rows: readonly (readonly string[])[]): number {
  const extents = rows.map(extentOf);
  const repeated = extents.filter((extent, index) => extents.indexOf(extent) !== index);
  return Math.max(0, ...(repeated.length > 0 ? repeated : extents));
}

/** Number of cells up to the last one with text. */
function extentOf(cells: readonly string[]): number {
  return cells.findLastIndex(hasText) + 1;
}

function hasText(cell: string): boolean {
  return cell.trim() !== '';
}

/** Half of the names are enough for a header, but not one of two. */
function isMostlyEmpty(cells: readonly string[], width: number): boolean {
  const filled = cells.filter(hasText).length;
  return 2 * filled < width || (filled === 1 && width === 2);
}

/**
 * Whether a row certainly names the columns of the rows after it: it has a different text in each cell, and at least one
 * column has values below, such as numbers, dates or addresses, where this row has none.
 */
function isHeader(cells: readonly string[], below: readonly (readonly string[])[], width: number): boolean {
  const names = cells.slice(0, extentOf(cells)).map((cell) => cell.trim());
  const isName = (name: string): boolean => name.length <= MAX_NAME && /\p{L}/u.test(name) && !/@|:\/\//.test(name);
  if (names.length < width || !names.every(isName) || new Set(names).size < names.length) return false;
  return names.some((name, column) => {
    const values = below.map((row) => row[column] ?? '').filter(hasText);
    const telling = values.filter((value) => VALUE.test(value)).length;
    return !VALUE.test(name) && telling > 0 && 2 * telling >= values.length;
  });
}

/**
 * The problem of a header that is not clear.
 *
 * @param lines physical line of each row
 */
export function headerProblem(
  name: string,
  rows: readonly (readonly string[])[],
  lines: readonly number[],
  { index }: HeaderRow,
): ProblemError {
  const filled = (row: number): number => rows[row]?.filter(hasText).length ?? 0;
  const [first = 1] = lines;
  const line = lines[index] ?? first;
  return new ProblemError({
    code: 'input.header',
    message: `The header of '${name}' is not clear: line ${first} has text in ${plural(filled(0), 'cell')}, and line ${line} in ${filled(index)}.`,
    where: `${name}:${first}`,
    hint: `If the header is on line ${line}, use \`--header-line ${line}\`; if it is on line ${first}, \`--header-line ${first}\`.`,
  });
}
