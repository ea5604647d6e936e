/**
 * CSV (RFC 4180) with any one-byte delimiter and quote. csv-layout.ts detects the layout, row-bounds.ts finds rows, and
 * csv-cells.ts parses cells.
 */
import { ProblemError } from '../model/problem.ts';
import { nameColumns, numberColumns } from './column-names.ts';
import { bytesOf, type CellParser, createCellParser, parseRows } from './csv-cells.ts';
import { byteDialect, type CsvLayout, detectLayout } from './csv-layout.ts';
import { delimiterName } from './delimiter.ts';
import type { DecodeOptions, DetectedInput, Format, Head, ParsedRow } from './format.ts';
import { createHeadCellParser } from './head-cells.ts';
import { createRowScanner, type RowBounds, type RowSlice } from './row-bounds.ts';
import { count, firstBadByte, undecodableIssue } from './utf8-text.ts';

export const csv: Format = {
  name: 'csv',
  extensions: ['.csv', '.tsv'],

  detect(head, options) {
    const layout = detectLayout(head, options);
    const { delimiter, quote, lineEnd, header } = layout;
    const { columns, body } = readColumns(head, layout, options);
    const description = [
      'CSV',
      delimiterName(delimiter),
      ...(quote === '"' ? [] : [quote === '' ? 'no quotes' : `quote ${quote}`]),
      head.encoding,
      ...layout.description,
      count(columns.length, 'column'),
      ...(header ? [] : ['no header']),
    ];
    return { format: 'csv', delimiter, quote, lineEnd, columns, body, description };
  },

  createScanner: (detected, { maxRowBytes }) =>
    createRowScanner({ ...byteDialect(detected), maxRowBytes, start: detected.body }),

  parse: (slice, rows, detected, options) => parseContents(slice, rows, createCellParser(detected), detected, options),

  parseHead: (slice, rows, detected, options) =>
    parseContents(slice, rows, createHeadCellParser(detected), detected, options),
};

function parseContents(
  slice: RowSlice,
  rows: readonly RowBounds[],
  parser: CellParser,
  detected: DetectedInput,
  options: DecodeOptions,
): ParsedRow[] {
  return parseRows(slice, rows, parser).map((cells) =>
    'issue' in cells ? cells : checkWidth(cells.content, detected, options),
  );
}

/** Checks the number of cells. Cuts empty cells after the last column, which spreadsheets write. */
function checkWidth(cells: readonly string[], detected: DetectedInput, options: DecodeOptions): ParsedRow {
  const width = detected.columns.length;
  if (cells.length === width) return { content: cells };
  if (cells.length > width) {
    if (cells.slice(width).every((cell) => cell.trim() === '')) return { content: cells.slice(0, width) };
    const name = delimiterName(detected.delimiter ?? ',');
    return columnsIssue(
      cells,
      width,
      `Probably a cell contains an unquoted ${name}: put that cell in ${detected.quote === "'" ? 'single ' : ''}quotes.`,
    );
  }
  if (options.ragged === 'pad') {
    return { content: [...cells, ...Array.from({ length: width - cells.length }, () => '')] };
  }
  return columnsIssue(
    cells,
    width,
    cells.some((cell) => cell.includes('\n'))
      ? 'The row spans several lines: perhaps a quote is missing, or there is one too many.'
      : 'Cells are missing: complete the row, or fill short rows with empty cells (`--ragged pad`).',
  );
}

function columnsIssue(cells: readonly string[], width: number, hint: string): ParsedRow {
  return {
    issue: { code: 'columns', found: count(cells.length, 'cell'), expected: count(width, 'cell'), hint },
  };
}

/** Bytes searched for the end of the header at a time. */
const HEADER_BYTES = 4096;

/** The columns, from the header or from the first well-formed row, and where the rows begin. */
function readColumns(head: Head, layout: CsvLayout, options: DecodeOptions): Pick<DetectedInput, 'columns' | 'body'> {
  const { header, start } = layout;
  const what = header ? 'header' : 'first row';
  const found = findFirstRow(head, layout, options);
  if (found === undefined) throw unreadableProblem(head, what);
  const { slice, row } = found;
  if (row.problem !== undefined) throw brokenHeaderProblem(head, row);
  const bytes = bytesOf(slice, row);
  if (firstBadByte(bytes) >= 0) {
    const issue = undecodableIssue(bytes, row.start, head.encodingName);
    throw new ProblemError({
      code: 'input.encoding',
      message: `The header of '${head.name}' does not decode: found ${issue.found ?? 'bad bytes'}, expected ${issue.expected}.`,
      where: `${head.name}:${row.line}`,
      ...(issue.hint === undefined ? {} : { hint: issue.hint }),
    });
  }
  const [cells] = parseRows(slice, [row], createHeadCellParser(layout));
  if (cells === undefined || 'issue' in cells) throw unreadableProblem(head, what);
  if (!header) return { columns: numberColumns(cells.content.length), body: start };
  return { columns: nameColumns(cells.content), body: { byte: row.end, line: row.nextLine } };
}

/** The header; without a header, the first row that has no problem. */
function findFirstRow(
  head: Head,
  layout: CsvLayout,
  options: DecodeOptions,
): { readonly slice: RowSlice; readonly row: RowBounds } | undefined {
  const { header, start } = layout;
  // The head limits a header; `--max-row-bytes` limits rows.
  const maxRowBytes = header ? head.bytes.length : options.maxRowBytes;
  const scanner = createRowScanner({ ...byteDialect(layout), maxRowBytes, start });
  const firstOf = (slice: RowSlice): RowBounds | undefined =>
    slice.rows.find((row) => header || (row.problem === undefined && firstBadByte(bytesOf(slice, row)) < 0));
  for (let at = start.byte - head.offset; at < head.bytes.length; at += HEADER_BYTES) {
    const slice = scanner.push(head.bytes.subarray(at, at + HEADER_BYTES));
    const row = firstOf(slice);
    if (row !== undefined) return { slice, row };
  }
  if (!head.whole) return undefined;
  const slice = scanner.end();
  const row = firstOf(slice);
  return row === undefined ? undefined : { slice, row };
}

function unreadableProblem(head: Head, what: string): ProblemError {
  return new ProblemError({
    code: 'input.header',
    message: head.whole
      ? `'${head.name}' has no readable row.`
      : `The ${what} of '${head.name}' does not end within its first ${count(head.bytes.length, 'byte')}.`,
    where: head.name,
    hint: 'Perhaps a quote near the beginning does not close, or the file is not CSV.',
  });
}

function brokenHeaderProblem(head: Head, row: RowBounds): ProblemError {
  return new ProblemError({
    code: 'input.header',
    message: `The header of '${head.name}' cannot be read: ${
      row.problem?.kind === 'open' ? 'a quote is never closed' : 'text follows a closing quote'
    }.`,
    where: `${head.name}:${row.line}`,
    hint: 'Fix the quotes of that line, or read quotes as text with `--quote ""`.',
  });
}
