/**
 * The rejects file (cli.md, "Run folder"): invalid rows in a form that the user can fix and upload. `_line` and
 * `_reason` come first, then the unchanged columns of the input.
 */
import { isCells } from '../lib/is-cells.ts';
import { isRejectsColumn } from '../lib/rejects-columns.ts';
import { jsonStringEnd } from '../lib/text.ts';
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

export function createRejects(form: RejectsForm): Rejects {
  return form.format === 'csv' ? csvRejects(form.columns, form.delimiter) : ndjsonRejects;
}

/** An input that is itself a rejects file has the columns that are added: they are replaced. */
function csvRejects(columns: readonly string[], delimiter: string): Rejects {
  const added = new Set(columns.flatMap((column, index) => (isRejectsColumn(column) ? [index] : [])));
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

const ndjsonRejects: Rejects = {
  header: '',
  line: (line, reason, content) => {
    const head = `{"_line":${line},"_reason":${JSON.stringify(spreadsheetSafe(reason))}`;
    const text = rawText(content).trim();
    if (!isObject(text)) return `${head},"_raw":${JSON.stringify(text)}}\n`;
    // Members are copied, not serialized again: a number of twenty digits would change.
    const members = membersOf(text).filter(({ key }) => !isRejectsColumn(key));
    return `${head}${members.map((member) => `,${member.text}`).join('')}}\n`;
  },
};

/** The members of a JSON object, as in its text. */
function membersOf(text: string): readonly { readonly key: string; readonly text: string }[] {
  const members: { readonly key: string; readonly text: string }[] = [];
  let depth = 0;
  let from = 1;
  let key: string | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"') {
      const end = jsonStringEnd(text, at);
      if (depth === 1) key ??= String(JSON.parse(text.slice(at, end)));
      at = end - 1;
    } else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    const isEnd = depth === 0 || (depth === 1 && character === ',');
    if (!isEnd) continue;
    if (key !== undefined) members.push({ key, text: text.slice(from, at).trim() });
    from = at + 1;
    key = undefined;
  }
  return members;
}

function isObject(text: string): boolean {
  if (!text.startsWith('{')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function rawText(content: Content | string): string {
  return typeof content === 'string' ? content : JSON.stringify(content);
}
