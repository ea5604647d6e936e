/** Whole rows of CSV to cells, many at once, by csv-parse. Cells are not trimmed. */
import { parse } from 'csv-parse/sync';
import type { Issue } from '../model/row.ts';
import type { RowBounds, RowSlice } from './row-bounds.ts';
import { excerpt } from './utf8-text.ts';

/** Whole rows to cells, one array a row. Throws where it cannot. */
export type CellParser = (rows: Buffer) => string[][];

/** A row's cells, or why it has none. */
export type ParsedCells = { readonly content: readonly string[] } | { readonly issue: Issue };

/**
 * All rows in one call; where that fails or gives another number of rows, each for itself, so that a fault in
 * one row costs that row.
 */
export function parseRows(slice: RowSlice, rows: readonly RowBounds[], parser: CellParser): ParsedCells[] {
  if (rows.length === 0) return [];
  const all = attempt(parser, joined(slice, rows));
  if (all?.length === rows.length) return all.map((content) => ({ content }));
  return rows.map((row) => {
    const bytes = bytesOf(slice, row);
    const one = attempt(parser, bytes);
    const content = one?.length === 1 ? one[0] : undefined;
    if (content !== undefined) return { content };
    return { issue: { code: 'quote', found: excerpt(bytes), expected: 'a row of CSV' } };
  });
}

function attempt(parser: CellParser, rows: Buffer): string[][] | undefined {
  try {
    return parser(rows);
  } catch (error) {
    // csv-parse's errors are about the rows, and the caller gives each row its own; anything else is a bug.
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('CSV_')) return undefined;
    throw error;
  }
}

/** What parts cells and rows: a comma and nothing that quotes, where it is absent. */
export interface CellDialect {
  readonly delimiter?: string;
  /** Empty where nothing quotes. */
  readonly quote?: string;
  /** Present where carriage returns, and no line feeds, end the lines. */
  readonly lineEnd?: '\r';
}

export function createCellParser(dialect: CellDialect): CellParser {
  const quote = dialect.quote === undefined || dialect.quote === '' ? null : Buffer.from(dialect.quote);
  const options = {
    delimiter: dialect.delimiter ?? ',',
    quote,
    escape: quote,
    record_delimiter: dialect.lineEnd === undefined ? ['\r\n', '\n'] : ['\r'],
    // A quote inside an unquoted cell is data, and the number of cells is judged here.
    relax_quotes: true,
    relax_column_count: true,
  };
  return (rows) => parse(rows, options);
}

/** The rows' bytes without what lies between them: blank lines and broken rows. */
function joined(slice: RowSlice, rows: readonly RowBounds[]): Buffer {
  const first = rows[0]?.start ?? 0;
  const end = rows.at(-1)?.end ?? 0;
  const together = rows.every((row, index) => index === 0 || row.start === rows[index - 1]?.end);
  if (together) return slice.bytes.subarray(first - slice.offset, end - slice.offset);
  return Buffer.concat(rows.map((row) => bytesOf(slice, row)));
}

export function bytesOf(slice: RowSlice, row: RowBounds): Buffer {
  return slice.bytes.subarray(row.start - slice.offset, row.end - slice.offset);
}
