/**
 * Sheets of workbooks: one JSON array of cells per line, where the line is the row of the sheet. workbook/ makes them
 * (sheet-rows.ts), and the values of the cells (cell-text.ts). The header is found as in CSV. Sheets leave out empty cells, so a row that is too short is complete.
 */
import { excerpt } from '../lib/excerpt.ts';
import { plural } from '../lib/units.ts';
import type { DecodeOptions } from '../model/decode-options.ts';
import { ProblemError } from '../model/problem.ts';
import { nameColumns } from './column-names.ts';
import { isBlankRow } from './csv-cells.ts';
import { checkHeaderOptions, lineStart } from './csv-layout.ts';
import { cellIssue, withIssues } from './error-cells.ts';
import type { DetectedInput, Format, Head, ParsedRow } from './format.ts';
import { findHeaderRow, headerProblem } from './header-row.ts';
import { bytesOf, createRowScanner, type RowBounds } from './row-bounds.ts';

/** Rows from which the header is found. */
const SAMPLE_ROWS = 200;

const LF = 0x0a;

const TITLE = 'Excel';

export const xlsx: Format = {
  detect(head, options) {
    checkHeaderOptions(options);
    const start = lineStart(head, options.headerLine ?? 1, LF);
    const { cells, bounds } = readSample(head, start, options.maxRowBytes);
    const [first] = bounds;
    if (first === undefined) throw notCells(head);
    if (!options.header) {
      const width = Math.max(...cells.map((row) => row.length));
      const columns = Array.from({ length: width }, (_, index) => String(index + 1));
      return { format: 'xlsx', columns, body: start, description: [TITLE, plural(width, 'column'), 'no header'] };
    }
    const found = options.headerLine === undefined ? findHeaderRow(cells) : { index: 0, isClear: true };
    const lines = bounds.map(({ line }) => line);
    if (!found.isClear) throw headerProblem(head.name, cells, lines, found);
    const columns = nameColumns(cells[found.index] ?? []);
    const header = bounds[found.index] ?? first;
    const where = header.line === 1 ? [] : [`header in row ${header.line}`];
    return {
      format: 'xlsx',
      columns,
      body: { byte: header.end, line: header.nextLine },
      description: [TITLE, plural(columns.length, 'column'), ...where],
    };
  },

  createScanner: ({ body }, { maxRowBytes }) => createRowScanner({ maxRowBytes, start: body }),

  parse: (slice, rows, { columns }) => rows.map((row) => parseRow(bytesOf(slice, row).toString(), columns)),
};

/** The first rows that are not blank. */
function readSample(
  head: Head,
  start: DetectedInput['body'],
  maxRowBytes: DecodeOptions['maxRowBytes'],
): { readonly cells: readonly (readonly string[])[]; readonly bounds: readonly RowBounds[] } {
  const scanner = createRowScanner({ maxRowBytes, start });
  const slice = scanner.push(head.bytes.subarray(start.byte - head.offset));
  const cells: (readonly string[])[] = [];
  const bounds: RowBounds[] = [];
  for (const row of slice.rows) {
    const parsed = row.problem === undefined && parseCells(bytesOf(slice, row).toString());
    if (!parsed || isBlankRow(parsed.cells)) continue;
    cells.push(parsed.cells);
    bounds.push(row);
    if (cells.length === SAMPLE_ROWS) break;
  }
  return { cells, bounds };
}

/** A row under the columns. Cells after the last column have no name, so nothing can be mapped to them. */
function parseRow(text: string, columns: readonly string[]): ParsedRow | undefined {
  const parsed = parseCells(text);
  if (parsed === undefined) {
    return { issue: { code: 'json', found: excerpt(text.trim()), expected: 'a JSON array of cells' } };
  }
  const content = parsed.cells.slice(0, columns.length);
  if (isBlankRow(content)) return undefined;
  while (content.length < columns.length) content.push('');
  const cellIssues = parsed.unreadable.flatMap(({ index, found }) => {
    const column = columns[index];
    return column === undefined ? [] : [cellIssue(column, found)];
  });
  return withIssues(content, columns, cellIssues);
}

/** A cell without a value: an error, or a formula with its `=`. */
interface UnreadableCell {
  readonly index: number;
  readonly found: string;
}

/** Undefined if the text is not an array of cells. */
function parseCells(
  text: string,
): { readonly cells: string[]; readonly unreadable: readonly UnreadableCell[] } | undefined {
  let values: unknown;
  try {
    values = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(values)) return undefined;
  const unreadable: UnreadableCell[] = [];
  const cells = values.map((value: unknown, index) => {
    if (typeof value === 'string') return value;
    const found = unreadableText(value);
    unreadable.push({ index, found });
    return found.startsWith('=') ? '' : found;
  });
  return { cells, unreadable };
}

/** @param value `{"error":"#N/A"}` or `{"formula":"A1+B1"}` */
function unreadableText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return '=';
  return 'error' in value ? String(value.error) : `=${'formula' in value ? String(value.formula) : ''}`;
}

function notCells({ name }: Head): ProblemError {
  return new ProblemError({
    code: 'input.format',
    message: `'${name}' is not an Excel workbook, or its first row is too long to read.`,
    where: name,
    hint: 'Omit --format: the format is detected.',
  });
}
