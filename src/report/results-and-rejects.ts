/**
 * Lines of two files of a run folder (docs/reference.md, "The run folder"): the results log `results.csv`, one line per settled batch, and the rejects
 * files, with the columns of their input. The columns of the results log and their order are in model/published-schemas.ts. Pure.
 */
import path from 'node:path';
import { printable } from '../lib/printable.ts';
import { jsonStringEnd, walkJson } from '../lib/text.ts';
import type { BatchSettled, RunEvent } from '../model/event.ts';
import { type ResultsLine, resultsLineSchema as schema } from '../model/published-schemas.ts';
import { isInRejects, isRejectsColumn, ORIGIN_COLUMN } from '../model/rejects-file.ts';
import { type Content, isCells } from '../model/row.ts';
import type { BatchChange, RunState, UndeliveredBatch } from '../model/run-state.ts';

const COLUMNS = schema.keyof().options;

/** Maximum length of text from a server in a cell, in characters. The answer in an error has at most 4,096. */
const TEXT_LIMIT = 5000;

export const RESULTS_HEADER = csvLine(COLUMNS, ',');

/**
 * The line that this event adds, with CRLF; undefined if it adds none.
 *
 * @throws Error if a settled batch was never sealed: the journal is then damaged
 */
export function resultsLine(
  event: RunEvent,
  { sources }: RunState,
  [change]: readonly BatchChange[],
): string | undefined {
  if (event.event !== 'batch.settled') return undefined;
  if (change === undefined) throw new Error(`Batch ${event.batch} was settled but never sealed.`);
  const cells = cellsOf(event, change.batch, (source) => sources[source]?.name ?? `input ${source + 1}`);
  return csvLine(
    COLUMNS.map((column) => String(cells[column] ?? '')),
    ',',
  );
}

function cellsOf(
  event: BatchSettled,
  { records, bytes, ranges }: UndeliveredBatch,
  nameOf: (source: number) => string,
): Readonly<Record<keyof ResultsLine, string | number | undefined>> {
  const { batchId = '', accepted, deduplicated, rejected, promoted } = event.receipt ?? {};
  const { time, batch, outcome, status, unaccounted, attempts, ms, error = '' } = event;
  return {
    time,
    batch,
    records,
    bytes,
    outcome,
    status,
    accepted,
    deduplicated,
    rejected,
    promoted,
    unaccounted,
    attempts,
    source: spreadsheetSafe(ranges.map(({ source }) => nameOf(source)).join('; ')),
    // Not "2-11", which a spreadsheet reads as a date.
    lines: ranges.map(({ firstLine, lastLine }) => `${firstLine} to ${lastLine}`).join('; '),
    batchId: spreadsheetSafe(batchId, TEXT_LIMIT),
    ms: Math.round(ms),
    error: spreadsheetSafe(error, TEXT_LIMIT),
  };
}

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
  let from = 1;
  walkJson(text, (mark, at, depth) => {
    if (depth !== 1 || (mark !== ',' && mark !== '}')) return;
    const member = text.slice(from, at).trim();
    if (member !== '') members.push({ key: JSON.parse(member.slice(0, jsonStringEnd(member, 0))), text: member });
    from = at + 1;
  });
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

/** The `_line` of a line of a rejects file. Undefined for a header or a continued cell. */
export function lineOfReject(text: string): number | undefined {
  const line = /^(?:\{"_line":|\ufeff?)(\d+)/.exec(text)?.[1];
  return line === undefined ? undefined : Number(line);
}

/** The `_origin_line` of such a line, or else its `_line`, after the name of its file. */
export function originOfReject(text: string, name: string): string | undefined {
  const line = lineOfReject(text);
  if (line === undefined) return undefined;
  const [, ofObject] = /^\{"_line":\d+,"_reason":"(?:[^"\\]|\\.)*","_origin_line":"([^"]*)"/.exec(text) ?? [];
  const [, , ofCells] = CSV_ORIGIN.exec(text) ?? [];
  return ofObject ?? ofCells ?? `${name}:${line}`;
}

/** Line, reason and origin, which ends with a line number. */
const CSV_ORIGIN = /^\ufeff?\d+([^\d])(?:"(?:[^"]|"")*"|(?:(?!\1)[^"])*)\1"?((?:(?!\1)[^"])*:\d+)"?(?:\1|\r?$)/;

/** Without a BOM, spreadsheets read UTF-8 as the local 8-bit encoding. */
const BOM = '\u{feff}';

/**
 * One line of CSV with CRLF (RFC 4180, section 2). A cell is quoted if it contains the delimiter, a quote or a line
 * break, or if it starts or ends with a space, which some readers trim.
 */
export function csvLine(cells: readonly string[], delimiter: string): string {
  // An empty line would not be a row.
  if (cells.length === 1 && cells[0] === '') return '""\r\n';
  return `${cells.map((cell) => csvCell(cell, delimiter)).join(delimiter)}\r\n`;
}

function csvCell(cell: string, delimiter: string): string {
  const needsQuotes = cell.includes(delimiter) || /["\r\n]|^\s|\s$/.test(cell);
  return needsQuotes ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/**
 * Makes text that is not the user's data (a server's message, a file name) safe for a spreadsheet cell: one line,
 * without control characters, and never a formula. At most `limit` characters.
 */
export function spreadsheetSafe(text: string, limit?: number): string {
  const clean = printable(text, limit);
  return /^[=+\-@\t]/.test(clean) ? `'${clean}` : clean;
}
