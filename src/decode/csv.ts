/**
 * CSV (RFC 4180) with any one-byte delimiter and quote. How the input is laid out is found by layout.ts, where
 * rows begin and end is decided by bounds.ts, and cells.ts makes cells of whole rows.
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
    const layout = detectLayout(head, options, createHeadCellParser);
    const { delimiter, quote, lineEnd, header } = layout;
    const { columns, body } = readColumns(head, layout, options);
    const said = [
      'CSV',
      delimiterName(delimiter),
      ...(quote === '"' ? [] : [quote === '' ? 'no quotes' : `quote ${quote}`]),
      head.encoding,
      ...layout.description,
      count(columns.length, 'column'),
      ...(header ? [] : ['no header']),
    ];
    return {
      format: 'csv',
      delimiter,
      quote,
      ...(lineEnd === undefined ? {} : { lineEnd }),
      columns,
      body,
      description: said,
    };
  },

  createScanner: (detected, options) =>
    createRowScanner({ ...byteDialect(detected), maxRowBytes: options.maxRowBytes, start: detected.body }),

  parse: (slice, rows, detected, options) =>
    contents(slice, rows, createCellParser(detected), detected, options),

  parseHead: (slice, rows, detected, options) =>
    contents(slice, rows, createHeadCellParser(detected), detected, options),
};

function contents(
  slice: RowSlice,
  rows: readonly RowBounds[],
  parser: CellParser,
  detected: DetectedInput,
  options: DecodeOptions,
): ParsedRow[] {
  return parseRows(slice, rows, parser).map((cells) =>
    'issue' in cells ? cells : judgeWidth(cells.content, detected, options),
  );
}

/** Judges the number of cells. Spreadsheets write empty cells behind the last column: those are cut. */
function judgeWidth(cells: readonly string[], detected: DetectedInput, options: DecodeOptions): ParsedRow {
  const width = detected.columns.length;
  if (cells.length === width) return { content: cells };
  if (cells.length > width) {
    if (cells.slice(width).every((cell) => cell.trim() === '')) return { content: cells.slice(0, width) };
    const name = delimiterName(detected.delimiter ?? ',');
    return columnsIssue(
      cells,
      width,
      `Probably a cell holds an unquoted ${name}: put that cell in ${detected.quote === "'" ? 'single ' : ''}quotes.`,
    );
  }
  if (options.ragged === 'pad') {
    return { content: [...cells, ...Array.from({ length: width - cells.length }, () => '')] };
  }
  return columnsIssue(
    cells,
    width,
    cells.some((cell) => cell.includes('\n'))
      ? 'The row goes over several lines: perhaps a quote is left open, or one too many.'
      : 'Cells are missing: complete the row, or let `--ragged pad` fill short rows with empty cells.',
  );
}

function columnsIssue(cells: readonly string[], width: number, hint: string): ParsedRow {
  return {
    issue: { code: 'columns', found: count(cells.length, 'cell'), expected: count(width, 'cell'), hint },
  };
}

/** How many bytes are searched for the header in one go. */
const HEADER_BYTES = 4096;

/** The columns, from the header or the first good row; and where the rows begin. */
function readColumns(
  head: Head,
  layout: CsvLayout,
  options: DecodeOptions,
): Pick<DetectedInput, 'columns' | 'body'> {
  const { header, start } = layout;
  // A header is as long as it likes, within the head; rows are measured as they will be when they are read.
  const maxRowBytes = header ? head.bytes.length : options.maxRowBytes;
  const scan = createRowScanner({ ...byteDialect(layout), maxRowBytes, start });
  const good = (slice: RowSlice): RowBounds | undefined =>
    slice.rows.find((row) => header || (row.problem === undefined && firstBadByte(bytesOf(slice, row)) < 0));
  let slice: RowSlice | undefined;
  let row: RowBounds | undefined;
  // A header stands at the beginning: few inputs are looked at any further.
  for (let at = start.byte - head.offset; row === undefined && at < head.bytes.length; at += HEADER_BYTES) {
    slice = scan.push(head.bytes.subarray(at, at + HEADER_BYTES));
    row = good(slice);
  }
  if (row === undefined && head.whole) {
    slice = scan.end();
    row = good(slice);
  }
  const what = header ? 'header' : 'first row';
  if (slice === undefined || row === undefined) throw unreadable(head, what);
  if (row.problem !== undefined) throw brokenHeader(head, row);
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
  if (cells === undefined || 'issue' in cells) throw unreadable(head, what);
  if (!header) return { columns: numberColumns(cells.content.length), body: start };
  return { columns: nameColumns(cells.content), body: { byte: row.end, line: row.nextLine } };
}

function unreadable(head: Head, what: string): ProblemError {
  return new ProblemError({
    code: 'input.header',
    message: head.whole
      ? `'${head.name}' has no row that can be read.`
      : `The ${what} of '${head.name}' does not end within its first ${count(head.bytes.length, 'byte')}.`,
    where: head.name,
    hint: 'Perhaps a quote at its beginning is left open, or the file is not CSV.',
  });
}

function brokenHeader(head: Head, row: RowBounds): ProblemError {
  const open = row.problem?.kind === 'open';
  return new ProblemError({
    code: 'input.header',
    message: `The header of '${head.name}' cannot be read: ${
      open ? 'a quote is opened and never closed' : 'there is text behind a closing quote'
    }.`,
    where: `${head.name}:${row.line}`,
    hint: 'Mend the quotes of that line, or read quotes as text with `--quote ""`.',
  });
}
