/**
 * CSV (RFC 4180) with any one-byte delimiter and quote. csv-layout.ts detects the layout, line-scanner.ts finds the rows, and
 * csv-parse receives whole rows and gives their cells, which are not trimmed.
 */
import { isUtf8 } from 'node:buffer';
import { parse } from 'csv-parse/sync';
import { plural } from '../lib/units.ts';
import type { DecodeOptions } from '../model/input-format.ts';
import { ProblemError } from '../model/problem.ts';
import type { Issue } from '../model/row.ts';
import { type CsvLayout, delimiterName, detectLayout, splitCells } from './csv-layout.ts';
import { isBlankRow, nameColumns } from './header-row.ts';
import { type Dialect, LineScanner } from './line-scanner.ts';
import { bytesOf, type DetectedInput, type Format, type Head, type ParsedRow, type RowBounds } from './row-format.ts';
import { excerptOfBytes, undecodableIssue } from './transcode.ts';

export const csv: Format = {
  // Of a text that is of no other format.
  recognises: () => false,

  detect(head, options) {
    const layout = detectLayout(head, options);
    const { delimiter, quote, header } = layout;
    const { columns, body } = readColumns(head, layout, options);
    const description = [
      'CSV',
      delimiterName(delimiter),
      ...(quote === '"' ? [] : [quote === '' ? 'no quotes' : `quote ${quote}`]),
      head.encoding,
      ...layout.description,
      plural(columns.length, 'column'),
      ...(header ? [] : ['no header']),
    ];
    return { format: 'csv', delimiter, quote, columns, body, description };
  },

  createScanner: ({ delimiter, quote }, start, { maxRowBytes }) =>
    new LineScanner({ delimiter, quote, maxRowBytes, start }),

  parse: (rows, detected, options) =>
    parseRows(rows, createCellParser(detected)).map((parsed) =>
      'issue' in parsed ? parsed : readCells(parsed.cells, detected, options),
    ),

  // csv-parse takes 60 ms for the first 200 rows, because it is not yet compiled.
  parseHead: (rows, detected, options) =>
    rows.map((row) => readCells(splitCells(row.toString(), detected), detected, options)),
};

/** Parses whole rows into one array of cells a row. Throws if it cannot. */
export type CellParser = (rows: Buffer) => string[][];

export function createCellParser({ delimiter = ',', quote = '' }: Dialect): CellParser {
  const quoteOption = quote === '' ? null : quote;
  const options = {
    delimiter,
    quote: quoteOption,
    escape: quoteOption,
    record_delimiter: ['\r\n', '\n'],
    // A quote inside an unquoted cell is data, and readCells checks the number of cells.
    relax_quotes: true,
    relax_column_count: true,
  };
  return (rows) => parse(rows, options);
}

/**
 * Parses all rows in one call. If that fails or gives a different number of rows, parses them one by one, so that a problem in
 * one row costs only that row.
 */
export function parseRows(
  rows: readonly Buffer[],
  parser: CellParser,
): ({ readonly cells: readonly string[] } | { readonly issue: Issue })[] {
  if (rows.length === 0) return [];
  const all = tryParse(parser, Buffer.concat(rows));
  if (all?.length === rows.length) return all.map((cells) => ({ cells }));
  return rows.map((row) => {
    const [cells, ...others] = tryParse(parser, row) ?? [];
    if (cells !== undefined && others.length === 0) return { cells };
    return { issue: { code: 'quote', found: excerptOfBytes(row), expected: 'a row of CSV' } };
  });
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

/** Checks the number of cells. Drops the empty cells that spreadsheets write after the last column. */
function readCells(
  cells: readonly string[],
  { columns, delimiter, quote }: DetectedInput,
  options: DecodeOptions,
): ParsedRow | undefined {
  if (isBlankRow(cells)) return undefined;
  const width = columns.length;
  if (cells.length === width) return { content: cells };
  let hint: string;
  if (cells.length > width) {
    if (cells.slice(width).every((cell) => cell.trim() === '')) return { content: cells.slice(0, width) };
    hint = `Probably a cell contains an unquoted ${delimiterName(delimiter ?? ',')}: enclose that cell in ${quote === "'" ? 'single ' : ''}quotes.`;
  } else {
    if (options.ragged === 'pad') return { content: [...cells, ...new Array<string>(width - cells.length).fill('')] };
    hint = cells.some((cell) => cell.includes('\n'))
      ? 'The row spans several lines: perhaps a quote is missing or unnecessary.'
      : 'Complete the row, or fill short rows with empty cells: `--setting ragged=pad`.';
  }
  const issue: Issue = { code: 'columns', found: plural(cells.length, 'cell'), expected: plural(width, 'cell'), hint };
  return { issue, cells };
}

/** Bytes searched for the end of the header at a time. */
const HEADER_BYTES = 4096;

/** The columns, from the header or from the first well-formed row, and where the rows begin. */
function readColumns(head: Head, layout: CsvLayout, options: DecodeOptions): Pick<DetectedInput, 'columns' | 'body'> {
  const { header, start } = layout;
  const first = findFirstRow(head, layout, options);
  if (first === undefined) {
    throw new ProblemError({
      code: 'input.header',
      message: head.whole
        ? `'${head.name}' has no readable row.`
        : `The ${header ? 'header' : 'first row'} of '${head.name}' does not end within its first ${plural(head.bytes.length, 'byte')}.`,
      where: head.name,
      hint: 'Perhaps a quote near the beginning is never closed, or the file is not CSV.',
    });
  }
  const { row, cells } = first;
  // The columns of an input without a header are `1`, `2`, …
  if (!header) return { columns: cells.map((_, index) => String(index + 1)), body: start };
  return { columns: nameColumns(cells), body: { byte: row.end, line: row.nextLine } };
}

/** The header; without a header, the first row that has no problem. */
function findFirstRow(
  head: Head,
  layout: CsvLayout,
  options: DecodeOptions,
): { readonly row: RowBounds; readonly cells: readonly string[] } | undefined {
  const { header, start } = layout;
  // The head limits a header; `max_row_bytes` limits rows.
  const maxRowBytes = header ? head.bytes.length : options.maxRowBytes;
  const scanner = new LineScanner({ ...layout, maxRowBytes });
  for (let at = start.byte - head.offset; ; at += HEADER_BYTES) {
    const isEnd = at >= head.bytes.length;
    if (isEnd && !head.whole) return undefined;
    const slice = isEnd ? scanner.end() : scanner.push(head.bytes.subarray(at, at + HEADER_BYTES));
    for (const row of slice.rows) {
      if (row.problem === undefined && isUtf8(bytesOf(slice, row))) {
        const cells = splitCells(bytesOf(slice, row).toString(), layout);
        if (!isBlankRow(cells)) return { row, cells };
      } else if (header) throw brokenHeaderProblem(head, row, bytesOf(slice, row));
    }
    if (isEnd) return undefined;
  }
}

function brokenHeaderProblem({ name, encodingName }: Head, row: RowBounds, bytes: Buffer): ProblemError {
  const where = `${name}:${row.line}`;
  if (row.problem === undefined) {
    const { found, expected, hint } = undecodableIssue(bytes, encodingName);
    const message = `The header of '${name}' cannot be decoded: found ${found}, expected ${expected}.`;
    return new ProblemError({ code: 'input.encoding', message, where, hint });
  }
  return new ProblemError({
    code: 'input.header',
    message: `The header of '${name}' cannot be read: ${
      row.problem.kind === 'open' ? 'a quote is never closed' : 'text follows a closing quote'
    }.`,
    where,
    hint: 'Fix the quotes on that line, or treat quotes as text with `--setting quote=""`.',
  });
}
