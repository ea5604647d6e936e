/**
 * Sheets of workbooks: one JSON array of cells per line, where the line is the row of the sheet. open-workbook.ts makes them.
 * The header is found as in CSV. Sheets leave out empty cells, so a row that is too short is complete.
 */
import { excerpt } from '../lib/text.ts';
import { plural } from '../lib/units.ts';
import { ProblemError } from '../model/problem.ts';
import { type CellIssue, isCells, type Row } from '../model/row.ts';
import { bytesOf, type Format, type Head, type ParsedRow, type RowBounds, type TextPosition } from './format.ts';
import { checkHeaderOptions, findHeaderRow, headerProblem, isBlankRow, lineStart, nameColumns } from './header-row.ts';
import { LineScanner } from './line-scanner.ts';

/** Rows from which the header is found. */
const SAMPLE_ROWS = 200;

const TITLE = 'Excel';

export const xlsx: Format = {
  // The copy of a workbook from a pipe holds the text of its sheet.
  recognises: (start) => start.startsWith('["'),

  detect(head, options) {
    checkHeaderOptions(options);
    const start = lineStart(head, options.headerLine ?? 1);
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

  createScanner: (_detected, start, { maxRowBytes }) => new LineScanner({ maxRowBytes, start }),

  parse: (rows, { columns }) => rows.map((row) => parseRow(row.toString(), columns)),
};

/** The first rows that are not blank. */
function readSample(
  head: Head,
  start: TextPosition,
  maxRowBytes: number,
): { readonly cells: readonly (readonly string[])[]; readonly bounds: readonly RowBounds[] } {
  const scanner = new LineScanner({ maxRowBytes, start });
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

/**
 * A cell that has no value: an error (`#N/A`), or a formula that was never calculated (`=A1+B1`), in a rejects file. It is read
 * back from there, because the text of an error must never be delivered.
 */
const MARKED = /^\s*\[no value: (.*)\]\s*$/s;

/** @param found the error, or the formula with its `=` */
function cellIssue(column: string, found: string): CellIssue {
  if (!found.startsWith('=')) {
    return { column, text: found, found, expected: 'a value', hint: 'Correct the formula in the workbook.' };
  }
  const hint = 'Open the workbook in Excel or LibreOffice, save it, and upload it again.';
  return { column, text: '', found, expected: 'a calculated value', hint };
}

/** A row of cells, as far as some have no value. Its text is for the rejects file. */
function withIssues(
  cells: readonly string[],
  columns: readonly string[],
  cellIssues: readonly CellIssue[],
): Omit<Row, 'position'> {
  if (cellIssues.length === 0) return { content: cells };
  const issues = new Map(cellIssues.map((issue) => [issue.column, issue]));
  const issueAt = (index: number): CellIssue | undefined => issues.get(columns[index] ?? '');
  return {
    content: cells.map((cell, index) => issueAt(index)?.text ?? cell),
    cellIssues,
    text: cells.map((cell, index) => {
      const issue = issueAt(index);
      return issue === undefined ? cell : `[no value: ${issue.found}]`;
    }),
  };
}

/** A row of a rejects file. */
export function readMarked(row: Omit<Row, 'position'>, columns: readonly string[]): Omit<Row, 'position'> {
  const { content } = row;
  if (!isCells(content)) return row;
  const cellIssues = content.flatMap((cell, index) => {
    const found = MARKED.exec(cell)?.[1];
    return found === undefined ? [] : [cellIssue(columns[index] ?? '', found)];
  });
  return cellIssues.length === 0 ? row : withIssues(content, columns, cellIssues);
}
