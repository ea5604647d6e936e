/** The header of CSV or a sheet: finds it after other lines, such as a title, which have text in few cells. Names the columns. */

import { LINE_FEED } from '../lib/text.ts';
import { plural } from '../lib/units.ts';
import { ProblemError } from '../model/problem.ts';
import { bytesOf, type DetectedInput, type Head, type RowBounds, type TextPosition } from './decode-types.ts';
import { LineScanner, type LineScannerOptions } from './line-scanner.ts';

export interface HeaderRow {
  /** Index of the row: 0 unless the rows before it are mostly empty. */
  readonly index: number;
  /** Whether the rows prove it. If not, the user must say which line is the header. */
  readonly isClear: boolean;
}

const MAX_PREAMBLE = 30;

const MAX_NAME = 100;

/** What values contain and most names do not: digits, and the signs of addresses. */
const VALUE = /\d|@|:\/\//;

export interface FirstRow extends RowBounds {
  readonly cells: readonly string[];
}

/** The rows of a head that are not blank and have no problem; and a row before them that has one. */
export interface FirstRows {
  readonly rows: readonly FirstRow[];
  readonly problem: RowBounds | undefined;
}

/** What is read to understand a head; more, if the first row is longer. */
export const TRIAL_BYTES = 64 * 1024;
const TRIAL_ROWS = 200;

const STEP_BYTES = 4096;

/** @param split returns undefined if the text of a row is not cells */
export function readFirstRows<O extends LineScannerOptions>(
  head: Head,
  options: O,
  split: (text: string, options: O) => readonly string[] | undefined,
): FirstRows {
  const scanner = new LineScanner(options);
  const from = options.start.byte - head.offset;
  const rows: FirstRow[] = [];
  let problem: RowBounds | undefined;
  for (let at = from; at < from + TRIAL_BYTES || rows.length === 0; at += STEP_BYTES) {
    const isEnd = at >= head.bytes.length;
    if (isEnd && !head.whole) break;
    const slice = isEnd ? scanner.end() : scanner.push(head.bytes.subarray(at, at + STEP_BYTES));
    for (const row of slice.rows) {
      if (row.problem !== undefined && rows.length === 0) problem ??= row;
      const cells = row.problem === undefined ? split(bytesOf(slice, row).toString(), options) : undefined;
      if (cells === undefined || isBlankRow(cells)) continue;
      if (rows.push({ ...row, cells }) === TRIAL_ROWS) return { rows, problem };
    }
    if (isEnd) break;
  }
  return { rows, problem };
}

export function findHeaderRow(rows: readonly (readonly string[])[]): HeaderRow {
  const width = tableWidth(rows);
  const index = rows.slice(0, MAX_PREAMBLE).findIndex((cells) => !isMostlyEmpty(cells, width));
  const header = rows[index];
  if (index <= 0 || header === undefined) return { index: 0, isClear: !isRecord(rows[0] ?? [], rows.slice(1)) };
  return { index, isClear: isHeader(header, rows.slice(index + 1), width) };
}

/** The largest extent that at least two rows have: rows may end with empty cells, and one may be too long. */
function tableWidth(rows: readonly (readonly string[])[]): number {
  const extents = rows.map(extentOf);
  const repeated = extents.filter((extent, index) => extents.indexOf(extent) !== index);
  return Math.max(0, ...(repeated.length > 0 ? repeated : extents));
}

function extentOf(cells: readonly string[]): number {
  return cells.findLastIndex(hasText) + 1;
}

function hasText(cell: string): boolean {
  return cell.trim() !== '';
}

/** What no name of a column is: a date, an e-mail address, a URL. */
const DATA = [/^\d{4}-\d\d-\d\d(?:\D|$)/, /^[^\s@]+@[^\s@]+\.\w+$/, /^https?:\/\//i];

/** Whether the first row is data, as in a file without a header: a cell is of the same kind as most values below it. */
function isRecord(cells: readonly string[], below: readonly (readonly string[])[]): boolean {
  return cells.some((cell, column) => {
    const kind = DATA.find((one) => one.test(cell.trim()));
    if (kind === undefined) return false;
    const values = below.map((row) => (row[column] ?? '').trim()).filter(hasText);
    return values.length > 0 && 2 * values.filter((value) => kind.test(value)).length > values.length;
  });
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

export function readHeader(
  name: string,
  rows: readonly FirstRow[],
  { index, isClear }: HeaderRow,
): Pick<DetectedInput, 'columns' | 'body'> {
  const [first, header] = [rows[0], rows[index]];
  if (first === undefined || header === undefined) throw new RangeError(`${name} has no row ${index}`);
  if (isClear) return { columns: nameColumns(header.cells), body: { byte: header.end, line: header.nextLine } };
  if (index === 0) {
    throw new ProblemError({
      code: 'input.header',
      message: `The first row of '${name}' seems to be a record, not the header: its values are like those below.`,
      where: `${name}:${first.line}`,
      hint: `If the file has no header, use \`--no-header\`; its columns are then called 1, 2, …. If this is the header, use \`--header-line ${first.line}\`.`,
    });
  }
  const filled = ({ cells }: FirstRow): number => cells.filter(hasText).length;
  throw new ProblemError({
    code: 'input.header',
    message: `The header of '${name}' is not clear: line ${first.line} has text in ${plural(filled(first), 'cell')}, and line ${header.line} in ${filled(header)}.`,
    where: `${name}:${first.line}`,
    hint: `If the header is on line ${header.line}, use \`--header-line ${header.line}\`; if it is on line ${first.line}, \`--header-line ${first.line}\`.`,
  });
}

export function numberColumns(width: number): readonly string[] {
  return Array.from({ length: width }, (_, index) => String(index + 1));
}

export function lineStart(head: Head, line: number): TextPosition {
  let at = 0;
  for (let n = 1; n < line; n += 1) {
    const found = head.bytes.indexOf(LINE_FEED, at);
    if (found < 0 || found + 1 === head.bytes.length) {
      throw new ProblemError({
        code: 'option.header_line',
        message: `--header-line is ${line}, but the first ${plural(head.bytes.length, 'byte')} of '${head.name}' have only ${plural(n, 'line')}.`,
        where: head.name,
        hint: '`--header-line` counts the lines of the file from 1, including blank lines.',
      });
    }
    at = found + 1;
  }
  return { byte: head.offset + at, line };
}

/**
 * Trims the header's cells. An empty cell becomes `column 3`; a repeated name gets ` (2)`, ` (3)`.
 * A name that the header contains as written stays with the first column that has it.
 */
export function nameColumns(cells: readonly string[]): string[] {
  const trimmed = cells.map((cell) => cell.trim());
  const written = new Set(trimmed);
  const used = new Set<string>();
  /** The next number of a repeated name, so that lower ones are not tried again. */
  const numbers = new Map<string, number>();
  return trimmed.map((cell, index) => {
    const base = cell === '' ? `column ${index + 1}` : cell;
    let number = numbers.get(base) ?? 2;
    let name = base;
    for (; used.has(name) || (name !== cell && written.has(name)); number += 1) name = `${base} (${number})`;
    numbers.set(base, number);
    used.add(name);
    return name;
  });
}

const BLANK = /^[\s\u0085]*$/;

/** Whether all cells are empty after trimming (map/column-values.ts). Such a row is a blank line. */
export function isBlankRow(cells: readonly string[]): boolean {
  return cells.every((cell) => BLANK.test(cell));
}
