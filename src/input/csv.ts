/**
 * CSV (RFC 4180) with any one-byte delimiter and quote. csv-layout.ts detects the layout, line-scanner.ts finds the rows, and
 * their cells are split here.
 */
import { isUtf8 } from 'node:buffer';
import { plural } from '../lib/units.ts';
import type { DecodeOptions } from '../model/decode-options.ts';
import { ProblemError } from '../model/problem.ts';
import type { Issue } from '../model/row.ts';
import { type CsvLayout, delimiterName, detectLayout, splitCells } from './csv-layout.ts';
import { bytesOf, type DetectedInput, type Format, type Head, type ParsedRow, type RowBounds } from './format.ts';
import { isBlankRow, nameColumns } from './header-row.ts';
import { LineScanner } from './line-scanner.ts';
import { undecodableIssue } from './transcode.ts';

export const csv: Format = {
  // Of a text that is of no other format.
  recognises: () => false,

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
      plural(columns.length, 'column'),
      ...(header ? [] : ['no header']),
    ];
    return { format: 'csv', delimiter, quote, lineEnd, columns, body, description };
  },

  createScanner: ({ delimiter, quote, lineEnd }, start, { maxRowBytes }) =>
    new LineScanner({ delimiter, quote, lineEnd, maxRowBytes, start }),

  parse(text, detected, options) {
    const cells = splitCells(text, detected);
    return isBlankRow(cells) ? undefined : checkWidth(cells, detected, options);
  },
};

/** Checks the number of cells. Drops the empty cells that spreadsheets write after the last column. */
function checkWidth(
  cells: readonly string[],
  { columns, delimiter, quote }: DetectedInput,
  options: DecodeOptions,
): ParsedRow {
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
