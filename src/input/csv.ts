/** CSV (RFC 4180). csv-layout.ts detects the layout; csv-parse receives whole rows and gives their cells, which are not trimmed. */
import { parse } from 'csv-parse/sync';
import { plural } from '../lib/units.ts';
import type { DecodeOptions } from '../model/decode-options.ts';
import type { Issue } from '../model/row.ts';
import { delimiterName, detectLayout, splitCells } from './csv-layout.ts';
import type { DetectedInput, Format, ParsedRow } from './decode-types.ts';
import { isBlankRow } from './header-row.ts';
import type { Dialect } from './line-scanner.ts';

export const csv: Format = {
  recognises: () => false,

  detect: detectLayout,

  parse: (rows, detected, options) => parseRows(rows, detected).map((cells) => readCells(cells, detected, options)),

  // csv-parse takes 60 ms for the first 200 rows, because it is not yet compiled.
  parseHead: (rows, detected, options) =>
    rows.map((row) => readCells(splitCells(row.toString(), detected), detected, options)),
};

/** The cells of whole rows. If csv-parse finds other rows than the scanner, the splitter of heads reads them. */
function parseRows(rows: readonly Buffer[], dialect: Dialect): readonly (readonly string[])[] {
  const { delimiter = ',', quote = '' } = dialect;
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
  try {
    const parsed = parse(Buffer.concat(rows), options);
    if (parsed.length === rows.length) return parsed;
  } catch (error) {
    // Errors of csv-parse are about the rows; any other error is a bug.
    if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('CSV_'))) throw error;
  }
  return rows.map((row) => splitCells(row.toString(), dialect));
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
