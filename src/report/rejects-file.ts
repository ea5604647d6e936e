/**
 * The rejects file (cli.md, "Run folder"): invalid rows in a form that the user can fix and upload. `_line` and
 * `_reason` come first, then the unchanged columns of the input.
 */
import type { Content } from '../model/row.ts';
import { BOM, csvLine, spreadsheetSafe } from './csv-writer.ts';

/** The form of the input as far as the rejects file has the same. It is always UTF-8 and quoted with `"`. */
export type RejectsForm =
  | { readonly format: 'csv'; readonly columns: readonly string[]; readonly delimiter: string }
  | { readonly format: 'ndjson' };

export interface Rejects {
  /** The start of the file: empty for NDJSON. */
  readonly header: string;
  /**
   * The line of one row, with its line break.
   *
   * @param line the physical line on which the row starts in its input
   * @param content the cells or the object of the row, or its text if it cannot be parsed
   */
  line(line: number, reason: string, content: Content | string): string;
}

/** Columns of the rejects file. An input that is itself a rejects file has them: they are replaced. */
const ADDED_COLUMNS: ReadonlySet<string> = new Set(['_line', '_reason']);

export function createRejects(form: RejectsForm): Rejects {
  return form.format === 'csv' ? csvRejects(form.columns, form.delimiter) : ndjsonRejects;
}

function csvRejects(columns: readonly string[], delimiter: string): Rejects {
  const added = new Set(columns.flatMap((column, index) => (ADDED_COLUMNS.has(column) ? [index] : [])));
  const inputCells = (cells: readonly string[]): readonly string[] =>
    added.size === 0 ? cells : cells.filter((_cell, index) => !added.has(index));
  return {
    header: BOM + csvLine(['_line', '_reason', ...inputCells(columns)], delimiter),
    line: (line, reason, content) =>
      csvLine(
        [String(line), spreadsheetSafe(reason), ...(isCells(content) ? inputCells(content) : [rawText(content)])],
        delimiter,
      ),
  };
}

/** The start of a line of a rejects file: the row is rejected again. */
const REJECT_HEAD = /^\{"_line":\d+,"_reason":"(?:[^"\\]|\\.)*",?/;

const ndjsonRejects: Rejects = {
  header: '',
  line: (line, reason, content) => {
    const head = `{"_line":${line},"_reason":${JSON.stringify(spreadsheetSafe(reason))}`;
    const text = rawText(content).trim().replace(REJECT_HEAD, '{');
    const row = objectIn(text);
    if (row === undefined) return `${head},"_raw":${JSON.stringify(text)}}\n`;
    const keys = Object.keys(row);
    if (keys.length === 0) return `${head}}\n`;
    // The text is inserted, not serialized again: a number of twenty digits would change.
    if (!keys.some((key) => ADDED_COLUMNS.has(key))) return `${head},${text.slice(1)}\n`;
    const rest = Object.entries(row).filter(([key]) => !ADDED_COLUMNS.has(key));
    return `${head}${rest.map(([key, value]) => `,${JSON.stringify(key)}:${JSON.stringify(value)}`).join('')}}\n`;
  },
};

function objectIn(text: string): object | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function isCells(content: Content | string): content is readonly string[] {
  return Array.isArray(content);
}

function rawText(content: Content | string): string {
  return typeof content === 'string' ? content : JSON.stringify(content);
}
