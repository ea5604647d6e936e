/** Parses whole CSV rows into cells with csv-parse, many rows at once. Cells are not trimmed. */
import { parse } from 'csv-parse/sync';
import type { Issue } from '../model/row.ts';
import { bytesOf, type RowBounds, type RowSlice } from './row-bounds.ts';
import { excerptOfBytes } from './utf8-text.ts';

/** What separates and quotes cells. */
export interface CellDialect {
  /** Default: a comma. */
  readonly delimiter?: string | undefined;
  /** Absent or empty if there is no quoting. */
  readonly quote?: string | undefined;
  /** Present if carriage returns end the lines, and line feeds do not. */
  readonly lineEnd?: '\r' | undefined;
}

/** Parses whole rows into one array of cells a row. Throws if it cannot. */
export type CellParser = (rows: Buffer) => string[][];

/**
 * Parses all rows in one call. If that fails or gives a different number of rows, it parses them one by one, so that a
 * problem in one row costs only that row.
 */
export function parseRows(
  slice: RowSlice,
  rows: readonly RowBounds[],
  parser: CellParser,
): ({ readonly content: readonly string[] } | { readonly issue: Issue })[] {
  if (rows.length === 0) return [];
  const all = tryParse(parser, joinRows(slice, rows));
  if (all?.length === rows.length) return all.map((content) => ({ content }));
  return rows.map((row) => {
    const bytes = bytesOf(slice, row);
    const one = tryParse(parser, bytes);
    const content = one?.length === 1 ? one[0] : undefined;
    if (content !== undefined) return { content };
    return { issue: { code: 'quote', found: excerptOfBytes(bytes), expected: 'a row of CSV' } };
  });
}

const BLANK = /^[\s\u0085]*$/;

/** Whether all cells are empty after trimming (map/column-values.ts). Such a row is a blank line. */
export function isBlankRow(cells: readonly string[]): boolean {
  return cells.every((cell) => BLANK.test(cell));
}

function tryParse(parser: CellParser, rows: Buffer): string[][] | undefined {
  try {
    return parser(rows);
  } catch (error) {
    // Errors of csv-parse are about the rows; any other error is a bug.
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('CSV_')) return undefined;
    throw error;
  }
}

export function createCellParser(dialect: CellDialect): CellParser {
  const quote = dialect.quote === undefined || dialect.quote === '' ? null : Buffer.from(dialect.quote);
  const options = {
    delimiter: dialect.delimiter ?? ',',
    quote,
    escape: quote,
    record_delimiter: dialect.lineEnd === undefined ? ['\r\n', '\n'] : ['\r'],
    // A quote inside an unquoted cell is data, and csv.ts checks the number of cells.
    relax_quotes: true,
    relax_column_count: true,
  };
  return (rows) => parse(rows, options);
}

/** The rows' bytes, without blank lines and broken rows between them. */
function joinRows(slice: RowSlice, rows: readonly RowBounds[]): Buffer {
  const first = rows[0]?.start ?? 0;
  const end = rows.at(-1)?.end ?? 0;
  const isContiguous = rows.every((row, index) => index === 0 || row.start === rows[index - 1]?.end);
  if (isContiguous) return slice.bytes.subarray(first - slice.offset, end - slice.offset);
  return Buffer.concat(rows.map((row) => bytesOf(slice, row)));
}
