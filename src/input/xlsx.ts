/**
 * Sheets of workbooks: one JSON array of cells per line, where the line is the row of the sheet. open-workbook.ts makes them.
 * The header is found as in CSV. Sheets leave out empty cells, so a row that is too short is complete.
 */
import { excerpt, parseJson } from '../lib/text.ts';
import { ProblemError } from '../model/problem.ts';
import { type CellIssue, isCells, type Row } from '../model/row.ts';
import type { Format, ParsedRow } from './decode-types.ts';
import { findHeaderRow, isBlankRow, lineStart, numberColumns, readFirstRows, readHeader } from './header-row.ts';

export const xlsx: Format = {
  // The copy of a workbook from a pipe holds the text of its sheet.
  recognises: (start) => start.startsWith('["'),

  detect(head, { header, headerLine, maxRowBytes }) {
    const start = lineStart(head, headerLine ?? 1);
    const { rows } = readFirstRows(head, { maxRowBytes, start }, (text) => parseCells(text)?.map(textOf));
    if (rows.length === 0) {
      throw new ProblemError({
        code: 'input.format',
        message: `'${head.name}' is not an Excel workbook, or its first row is too long to read.`,
        where: head.name,
        hint: 'Omit --format: the format is detected.',
      });
    }
    const cells = rows.map((row) => row.cells);
    if (!header) {
      const columns = numberColumns(Math.max(...cells.map(({ length }) => length)));
      return { columns, body: start, notes: ['no header'] };
    }
    const found = headerLine === undefined ? findHeaderRow(cells) : { index: 0, isClear: true };
    const line = rows[found.index]?.line;
    return {
      ...readHeader(head.name, rows, found),
      notes: line === 1 ? [] : [`header in row ${line} (rows before it are not read)`],
    };
  },

  parse: (rows, { columns }) => rows.map((row) => parseRow(row.toString(), columns)),
};

/** A row under the columns. Cells after the last column have no name, so nothing can be mapped to them. */
function parseRow(text: string, columns: readonly string[]): ParsedRow | undefined {
  const parsed = parseCells(text);
  if (parsed === undefined) {
    return { issue: { code: 'json', found: excerpt(text.trim()), expected: 'a JSON array of cells' } };
  }
  const cells = columns.map((_column, index) => parsed[index] ?? '');
  return isBlankRow(cells.map(textOf)) ? undefined : rowOf(cells, columns);
}

/** The text of a cell; in an array, why it has no value: an error, or a formula that was never calculated, with its `=`. */
type SheetCell = string | readonly [string];

function parseCells(text: string): readonly SheetCell[] | undefined {
  const values = parseJson(text);
  if (!Array.isArray(values)) return undefined;
  return values.map((value: unknown) => (typeof value === 'string' ? value : [String(value)]));
}

function textOf(cell: SheetCell): string {
  if (typeof cell === 'string') return cell;
  return cell[0].startsWith('=') ? '' : cell[0];
}

/** A cell without a value in a rejects file. It is read back from there: the text of an error must never be delivered. */
const MARKED = /^\s*\[no value: (.*)\]\s*$/s;

function rowOf(cells: readonly SheetCell[], columns: readonly string[]): Omit<Row, 'position'> {
  const content = cells.map(textOf);
  const cellIssues = cells.flatMap((cell, index) =>
    typeof cell === 'string' ? [] : [cellIssue(columns[index] ?? '', cell[0])],
  );
  if (cellIssues.length === 0) return { content };
  return {
    content,
    cellIssues,
    text: cells.map((cell) => (typeof cell === 'string' ? cell : `[no value: ${cell[0]}]`)),
  };
}

/** @param found the error, or the formula with its `=` */
function cellIssue(column: string, found: string): CellIssue {
  if (!found.startsWith('=')) {
    return { column, text: found, found, expected: 'a value', hint: 'Correct the formula in the workbook.' };
  }
  const hint = 'Open the workbook in Excel or LibreOffice, save it, and upload it again.';
  return { column, text: '', found, expected: 'a calculated value', hint };
}

export function readMarked(row: Omit<Row, 'position'>, columns: readonly string[]): Omit<Row, 'position'> {
  const { content } = row;
  if (!isCells(content)) return row;
  return rowOf(
    content.map((cell) => {
      const found = MARKED.exec(cell)?.[1];
      return found === undefined ? cell : [found];
    }),
    columns,
  );
}
