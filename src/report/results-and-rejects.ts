/**
 * Lines of two files of a run folder (docs/reference.md, "The run folder"): the results log `results.csv`, one line per settled batch, and the rejects
 * files, with the columns of their input. The columns of the results log and their order are in model/results-line.ts. Pure.
 */
import { printable } from '../lib/printable.ts';
import { jsonStringEnd, parseJson, walkJson } from '../lib/text.ts';
import { fromEach } from '../model/counts.ts';
import type { BatchSettled, RunEvent } from '../model/event.ts';
import { receiptCounts } from '../model/outcome.ts';
import { isRejectsColumn } from '../model/rejects-file.ts';
import { type ResultsLine, resultsLineSchema as schema } from '../model/results-line.ts';
import { type Content, isCells } from '../model/row.ts';
import type { BatchChange, RunState } from '../model/run-state.ts';

/** Maximum length of text from a server in a cell, in characters. The answer in an error has at most 4,096. */
const TEXT_LIMIT = 5000;

interface Settled {
  readonly event: BatchSettled;
  readonly batch: BatchChange['batch'];
  readonly sources: RunState['sources'];
}

type CellOf = (settled: Settled) => string | number | undefined;

const cellOf: Readonly<Record<keyof ResultsLine, CellOf>> = {
  time: ({ event }) => event.time,
  batch: ({ event }) => event.batch,
  source: ({ batch, sources }) =>
    spreadsheetSafe(batch.ranges.map(({ source }) => sources[source]?.name ?? `input ${source + 1}`).join('; ')),
  // Not "2-11", which a spreadsheet reads as a date.
  lines: ({ batch }) => batch.ranges.map(({ firstLine, lastLine }) => `${firstLine} to ${lastLine}`).join('; '),
  records: ({ batch }) => batch.records,
  bytes: ({ batch }) => batch.bytes,
  outcome: ({ event }) => event.outcome,
  status: ({ event }) => event.status,
  batchId: ({ event }) => spreadsheetSafe(event.receipt?.batchId ?? '', TEXT_LIMIT),
  ...fromEach(
    receiptCounts,
    (name): CellOf =>
      ({ event }) =>
        event.receipt?.[name],
  ),
  unaccounted: ({ event }) => event.unaccounted,
  attempts: ({ event }) => event.attempts,
  ms: ({ event }) => Math.round(event.ms),
  error: ({ event }) => spreadsheetSafe(event.error ?? '', TEXT_LIMIT),
};

const COLUMNS = schema.keyof().options;
const CELLS = COLUMNS.map((column) => cellOf[column]);

export const RESULTS_HEADER = csvLine(COLUMNS, ',');

/** The line that this event adds, if any, with CRLF. @throws Error if a settled batch was never sealed */
export function resultsLine(
  event: RunEvent,
  { sources }: RunState,
  [change]: readonly BatchChange[],
): string | undefined {
  if (event.event !== 'batch.settled') return undefined;
  if (change === undefined) throw new Error(`Batch ${event.batch} was settled but never sealed.`);
  const settled = { event, batch: change.batch, sources };
  return csvLine(
    CELLS.map((cell) => cell(settled)),
    ',',
  );
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

/** An input that is itself a rejects file has the columns that are added: they are replaced. */
export function createRejects(form: RejectsForm): Rejects {
  return form.format === 'csv' ? csvRejects(form.columns, form.delimiter) : NDJSON_REJECTS;
}

function csvRejects(columns: readonly string[], delimiter: string): Rejects {
  const added = new Set(columns.flatMap((column, index) => (isRejectsColumn(column) ? [index] : [])));
  const inputCells = (cells: readonly string[]): readonly string[] =>
    added.size === 0 ? cells : cells.filter((_cell, index) => !added.has(index));
  return {
    header: BOM + csvLine(['_line', '_reason', ...inputCells(columns)], delimiter),
    line: (line, reason, content) => {
      const cells = isCells(content) ? inputCells(content) : [rawText(content)];
      return csvLine([String(line), spreadsheetSafe(reason), ...cells], delimiter);
    },
  };
}

const NDJSON_REJECTS: Rejects = {
  header: '',
  line: (line, reason, content) => {
    const head = `{"_line":${line},"_reason":${JSON.stringify(spreadsheetSafe(reason))}`;
    const text = rawText(content).trim();
    if (!text.startsWith('{') || parseJson(text) === undefined) return `${head},"_raw":${JSON.stringify(text)}}\n`;
    // Members are copied, not serialized again: a number of twenty digits would change.
    const members = membersOf(text).filter(({ key }) => !isRejectsColumn(key));
    return `${head}${members.map((member) => `,${member.text}`).join('')}}\n`;
  },
};

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

export function rawText(content: Content | string): string {
  return typeof content === 'string' ? content : JSON.stringify(content);
}

/** The `_line` of a line of a rejects file. Undefined for a header or a continued cell. */
export function lineOfReject(text: string): number | undefined {
  const line = /^(?:\{"_line":|\ufeff?)(\d+)/.exec(text)?.[1];
  return line === undefined ? undefined : Number(line);
}

/** Without a BOM, spreadsheets read UTF-8 as the local 8-bit encoding. */
const BOM = '\u{feff}';

/**
 * One line of CSV with CRLF (RFC 4180, section 2). A cell is quoted if it contains the delimiter, a quote or a line
 * break, or if it starts or ends with a space, which some readers trim.
 */
export function csvLine(cells: readonly (string | number | undefined)[], delimiter: string): string {
  // An empty line would not be a row.
  if (cells.length === 1 && cells[0] === '') return '""\r\n';
  return `${cells.map((cell) => csvCell(cell, delimiter)).join(delimiter)}\r\n`;
}

function csvCell(cell: string | number | undefined, delimiter: string): string {
  if (typeof cell !== 'string') return cell === undefined ? '' : String(cell);
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
