/**
 * The rejects file (cli.md, "Run folder"): invalid rows in a form that the user can fix and upload. `_line` and
 * `_reason` come first, then the unchanged columns of the input. If the input is a rejects file itself, `_origin_line` tells
 * where the row was in the input of the first run.
 */
import path from 'node:path';
import { isCells } from '../lib/is-cells.ts';
import { isInRejects, isRejectsColumn, ORIGIN_COLUMN } from '../lib/rejects-columns.ts';
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

/** @param name of the input */
export function createRejects(form: RejectsForm, name: string): Rejects {
  return form.format === 'csv' ? csvRejects(form.columns, form.delimiter, name) : ndjsonRejects(name);
}

/** An input that is itself a rejects file has the columns that are added: they are replaced, and its `_line` is kept. */
function csvRejects(columns: readonly string[], delimiter: string, name: string): Rejects {
  const added = new Set(columns.flatMap((column, index) => (isRejectsColumn(column) ? [index] : [])));
  const inputCells = (cells: readonly string[]): readonly string[] =>
    added.size === 0 ? cells : cells.filter((_cell, index) => !added.has(index));
  const [lineAt, originAt] = [columns.indexOf('_line'), columns.indexOf(ORIGIN_COLUMN)];
  const hasOrigin = lineAt >= 0 || originAt >= 0;
  const originCells = (cells: readonly string[]): readonly string[] =>
    hasOrigin ? [originOf(name, cells[lineAt], cells[originAt])] : [];
  return {
    header:
      BOM + csvLine(['_line', '_reason', ...(hasOrigin ? [ORIGIN_COLUMN] : []), ...inputCells(columns)], delimiter),
    line: (line, reason, content) => {
      const cells = isCells(content)
        ? [...originCells(content), ...inputCells(content)]
        : [...originCells([]), rawText(content)];
      return csvLine([String(line), spreadsheetSafe(reason), ...cells], delimiter);
    },
  };
}

/** @param line, origin as in the input, if it is a rejects file. Empty if the user has deleted them */
function originOf(name: string, line: unknown, origin: unknown): string {
  if (typeof origin === 'string' && origin !== '') return spreadsheetSafe(origin);
  if (!/^\d+$/.test(String(line))) return '';
  // The name of a file that was moved is not that of the first input.
  return spreadsheetSafe(isInRejects(name) ? `${path.basename(name)}:${line}` : String(line));
}

function ndjsonRejects(name: string): Rejects {
  return {
    header: '',
    line: (line, reason, content) => {
      const head = `{"_line":${line},"_reason":${JSON.stringify(spreadsheetSafe(reason))}`;
      const text = rawText(content).trim();
      const object = parseObject(text);
      if (object === undefined) return `${head},"_raw":${JSON.stringify(text)}}\n`;
      const { _line: oldLine, _reason: oldReason, [ORIGIN_COLUMN]: oldOrigin } = object;
      const origin = originOf(name, oldReason === undefined ? undefined : oldLine, oldOrigin);
      const added = origin === '' ? '' : `,"${ORIGIN_COLUMN}":${JSON.stringify(origin)}`;
      // Members are copied, not serialized again: a number of twenty digits would change.
      const members = membersOf(text).filter(({ key }) => !isRejectsColumn(key));
      return `${head}${added}${members.map((member) => `,${member.text}`).join('')}}\n`;
    },
  };
}

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

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function rawText(content: Content | string): string {
  return typeof content === 'string' ? content : JSON.stringify(content);
}
