/** What a rejects file looks like. report/results-and-rejects.ts writes it, and it is an input as any other. */
import path from 'node:path';

/** The first columns of a rejects file, which this program adds (docs/reference.md, "The run folder"). */
const REJECTS_COLUMNS: ReadonlySet<string> = new Set(['_line', '_reason']);

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

/** The header of one, with its delimiter. */
export const REJECTS_HEADER = /^"?_line"?([\x20-\x7e\t])"?_reason"?(?:\1|[\r\n]|$)/;

/** Undefined for any other file. @param start the beginning of its text, without a byte order mark */
export function rejectsFormat(start: string): 'csv' | 'ndjson' | undefined {
  if (REJECTS_HEADER.test(start)) return 'csv';
  return /^\{"_line":\d+,"_reason":"/.test(start) ? 'ndjson' : undefined;
}
