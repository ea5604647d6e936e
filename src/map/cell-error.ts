/** Cells of a sheet without a value: an error such as `#N/A`, or a formula that was never calculated. */
import type { Row } from '../model/row.ts';
import { isCells, trim } from './column-values.ts';
import { TransformError } from './transform-error.ts';

/**
 * The first of some columns whose cell has no value. Not one that counts as empty, or that a row function has replaced.
 *
 * @param empty trimmed texts that count as empty
 */
export function cellError(
  { content, cellIssues = [] }: Pick<Row, 'content' | 'cellIssues'>,
  columns: readonly string[],
  empty: ReadonlySet<string>,
): TransformError | undefined {
  const issue = cellIssues.find(({ column, text }) => {
    const isReplaced = !isCells(content) && content[column] !== text;
    return columns.includes(column) && !isReplaced && !empty.has(trim(text));
  });
  return issue && new TransformError('cell', issue.found, issue.expected, issue.hint);
}
