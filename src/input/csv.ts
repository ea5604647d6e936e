/**
 * CSV (RFC 4180) with any one-byte delimiter and quote. csv-layout.ts detects the layout, line-scanner.ts finds the rows, and
 * csv-parse receives whole rows and gives their cells, which are not trimmed.
 */
import { parse } from 'csv-parse/sync';
import { plural } from '../lib/units.ts';
import type { DecodeOptions } from '../model/input-format.ts';
import type { Issue } from '../model/row.ts';
import { delimiterName, detectLayout, splitCells } from './csv-layout.ts';
import { isBlankRow } from './header-row.ts';
import { type Dialect, LineScanner } from './line-scanner.ts';
import type { DetectedInput, Format, ParsedRow } from './row-format.ts';
import { excerptOfBytes } from './transcode.ts';

export const csv: Format = {
  // Of a text that is of no other format.
  recognises: () => false,

  detect(head, options) {
    const { delimiter, quote, header, columns, body, description: layout } = detectLayout(head, options);
    const description = [
      'CSV',
      delimiterName(delimiter),
      ...(quote === '"' ? [] : [quote === '' ? 'no quotes' : `quote ${quote}`]),
      head.encoding,
      ...layout,
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
