/** How a rejects file is known again: by its folder, and by its first columns. */
import path from 'node:path';

/** Of the rejects of a rejects file: where the row was in the input of the first run, such as `a.csv:7`. */
export const ORIGIN_COLUMN = '_origin_line';

/** The first columns of a rejects file, which this program adds (docs/spec/cli.md, "Run folder"). */
const REJECTS_COLUMNS: ReadonlySet<string> = new Set(['_line', '_reason', ORIGIN_COLUMN]);

export function isRejectsColumn(name: string): boolean {
  return REJECTS_COLUMNS.has(name);
}

/** One of the columns is enough: the user may have deleted the others. */
export function isRejectsFile(columns: readonly string[]): boolean {
  return columns.some(isRejectsColumn);
}

/** Whether a path is that of a file in the rejects folder of a run. */
export function isInRejects(file: string): boolean {
  return path.basename(path.dirname(file)) === 'rejects';
}
