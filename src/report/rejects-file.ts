/**
 * The rejects file (cli.md, "Run folder"): rows that became no record, in a form that can be corrected and
 * uploaded as it is. `_line` and `_reason` come first, then the input's own columns, cell for cell.
 */

import type { Content } from '../model/row.ts';
import { BOM, csvLine, spreadsheetSafe } from './csv-writer.ts';

/** As much of the input's form as the rejects file keeps. Always UTF-8, and `"` is always its quote. */
export type RejectsForm =
  | { readonly format: 'csv'; readonly columns: readonly string[]; readonly delimiter: string }
  | { readonly format: 'ndjson' };

export interface Rejects {
  /** What the file begins with: empty for NDJSON. */
  readonly header: string;
  /**
   * One reject, line end included. `line` is the physical line on which the row starts in its input, `content`
   * the row: its cells, its object, or as a text what could not be parsed.
   */
  line(line: number, reason: string, content: Content | string): string;
}

/** Ours. An input that is a rejects file itself has them already: they are replaced, never doubled. */
const OURS: ReadonlySet<string> = new Set(['_line', '_reason']);

export function createRejects(form: RejectsForm): Rejects {
  return form.format === 'csv' ? csvRejects(form.columns, form.delimiter) : ndjsonRejects;
}

function csvRejects(columns: readonly string[], delimiter: string): Rejects {
  const ours = new Set(columns.flatMap((column, index) => (OURS.has(column) ? [index] : [])));
  const keep = (cells: readonly string[]): readonly string[] =>
    ours.size === 0 ? cells : cells.filter((_cell, index) => !ours.has(index));
  return {
    header: BOM + csvLine(['_line', '_reason', ...keep(columns)], delimiter),
    line: (line, reason, content) =>
      csvLine(
        [String(line), spreadsheetSafe(reason), ...(isCells(content) ? keep(content) : [rawText(content)])],
        delimiter,
      ),
  };
}

/** The beginning of a line that this program wrote: a reject that is rejected again. */
const OWN_HEAD = /^\{"_line":\d+,"_reason":"(?:[^"\\]|\\.)*",?/;

const ndjsonRejects: Rejects = {
  header: '',
  line: (line, reason, content) => {
    const ours = `{"_line":${line},"_reason":${JSON.stringify(spreadsheetSafe(reason))}`;
    const text = rawText(content).trim().replace(OWN_HEAD, '{');
    const own = objectIn(text);
    if (own === undefined) return `${ours},"_raw":${JSON.stringify(text)}}\n`;
    const keys = Object.keys(own);
    if (keys.length === 0) return `${ours}}\n`;
    // Spliced, not written anew: a number of twenty digits would come out as another one.
    if (!keys.some((key) => OURS.has(key))) return `${ours},${text.slice(1)}\n`;
    const rest = Object.entries(own).filter(([key]) => !OURS.has(key));
    return `${ours}${rest.map(([key, value]) => `,${JSON.stringify(key)}:${JSON.stringify(value)}`).join('')}}\n`;
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
