/**
 * Sheets of workbooks: one JSON array of cells per line (source/workbook/sheet-rows.ts), where the line is the row of the
 * sheet. The header is found as in CSV. Sheets leave out empty cells, so a row that is too short is complete.
 */
import { excerpt } from '../lib/excerpt.ts';
import { plural } from '../lib/units.ts';
import { ProblemError } from '../model/problem.ts';
import type { CellIssue } from '../model/row.ts';
import { nameColumns } from './column-names.ts';
import { isBlankRow } from './csv-cells.ts';
import { checkHeaderOptions, lineStart } from './csv-layout.ts';
import type { DecodeOptions, DetectedInput, Format, Head, ParsedRow } from './format.ts';
import { findHeaderRow, headerProblem } from './header-row.ts';
import { bytesOf, createRowScanner, type RowBounds } from './row-bounds.ts';

/** Rows from which the header is found. */
const SAMPLE_ROWS = 200;

const LF = 0x0a;

export function cellRows(name: 'xlsx' | 'ods', title: string): Format {
  return {
    name,
    extensions: [],

    detect(head, options) {
      checkHeaderOptions(options);
      const start = lineStart(head, options.headerLine ?? 1, LF);
      const { cells, bounds } = readSample(head, start, options.maxRowBytes);
      const [first] = bounds;
      if (first === undefined) throw notCells(head, title);
      const shared = { format: name, description: [title] };
      if (!options.header) {
        const width = Math.max(...cells.map((row) => row.length));
        const columns = Array.from({ length: width }, (_, index) => String(index + 1));
        return { ...shared, columns, body: start, description: [title, plural(width, 'column'), 'no header'] };
      }
      const found = options.headerLine === undefined ? findHeaderRow(cells) : { index: 0, isClear: true };
      const lines = bounds.map(({ line }) => line);
      if (!found.isClear) throw headerProblem(head.name, cells, lines, found);
      const columns = nameColumns(cells[found.index] ?? []);
      const header = bounds[found.index] ?? first;
      const where = header.line === 1 ? [] : [`header in row ${header.line}`];
      return {
        ...shared,
        columns,
        body: { byte: header.end, line: header.nextLine },
        description: [title, plural(columns.length, 'column'), ...where],
      };
    },

    createScanner: ({ body }, { maxRowBytes }) => createRowScanner({ maxRowBytes, start: body }),

    parse: (slice, rows, { columns }) =>
      rows.map((row) => parseRow(bytesOf(slice, row).toString(), columns.length, columns)),
  };
}

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
function parseRow(text: string, width: number, columns: readonly string[]): ParsedRow | undefined {
  const parsed = parseCells(text);
  if (parsed === undefined) {
    return { issue: { code: 'json', found: excerpt(text.trim()), expected: 'a JSON array of cells' } };
  }
  const content = parsed.cells.slice(0, width);
  if (isBlankRow(content)) return undefined;
  while (content.length < width) content.push('');
  if (parsed.unreadable.length === 0) return { content };
  const cellIssues = parsed.unreadable.flatMap(({ index, ...cell }): CellIssue[] => {
    const column = columns[index];
    return column === undefined ? [] : [{ text: content[index] ?? '', issue: { code: 'cell', column, ...cell } }];
  });
  return { content, cellIssues };
}

interface UnreadableCell {
  readonly index: number;
  readonly found: string;
  readonly expected: string;
  readonly hint: string;
}

/** Undefined if the text is not an array of cells. */
function parseCells(
  text: string,
): { readonly cells: string[]; readonly unreadable: readonly UnreadableCell[] } | undefined {
  const unreadable: UnreadableCell[] = [];
  let values: unknown;
  try {
    values = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(values)) return undefined;
  const cells = values.map((value: unknown, index) => {
    if (typeof value === 'string') return value;
    const { error, formula } = cellObject(value);
    if (error === undefined) {
      unreadable.push({
        index,
        found: excerpt(`=${formula ?? ''}`),
        expected: 'a formula with its calculated value',
        hint: 'Open the workbook in Excel or LibreOffice, save it, and upload it again.',
      });
      return '';
    }
    unreadable.push({
      index,
      found: excerpt(error),
      expected: 'a value, not an error',
      hint: 'Correct the formula in the workbook.',
    });
    return error;
  });
  return { cells, unreadable };
}

function cellObject(value: unknown): { readonly error?: string; readonly formula?: string } {
  if (typeof value !== 'object' || value === null) return {};
  if ('error' in value && typeof value.error === 'string') return { error: value.error };
  return 'formula' in value && typeof value.formula === 'string' ? { formula: value.formula } : {};
}

function notCells(head: Head, title: string): ProblemError {
  return new ProblemError({
    code: 'input.format',
    message: `'${head.name}' is not ${title === 'Excel' ? 'an Excel workbook' : 'an OpenDocument spreadsheet'}, or its first row is too long to read.`,
    where: head.name,
    hint: 'Omit --format: the format is detected.',
  });
}
