/**
 * Cells of a workbook that have no value: an error (`#N/A`), or a formula that was never calculated (`=A1+B1`). A rejects file
 * has them as `[no value: #N/A]`. They are read back from there, because the text of an error must never be delivered.
 */
import { isCells } from '../lib/is-cells.ts';
import type { CellIssue, Row } from '../model/row.ts';

const MARKED = /^\s*\[no value: (.*)\]\s*$/s;

/** @param found the error, or the formula with its `=` */
export function cellIssue(column: string, found: string): CellIssue {
  if (!found.startsWith('=')) {
    return { column, text: found, found, expected: 'a value', hint: 'Correct the formula in the workbook.' };
  }
  const hint = 'Open the workbook in Excel or LibreOffice, save it, and upload it again.';
  return { column, text: '', found, expected: 'a calculated value', hint };
}

/** A row of cells, as far as some have no value. Its text is for the rejects file. */
export function withIssues(
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
