/** Detects the layout of CSV from its first rows: delimiter, quote, header and columns. */
import { isUtf8 } from 'node:buffer';
import { excerpt } from '../lib/text.ts';
import { plural } from '../lib/units.ts';
import type { DecodeOptions } from '../model/decode-options.ts';
import { ProblemError } from '../model/problem.ts';
import type { DetectedTable, Head, RowBounds, TextPosition } from './decode-types.ts';
import {
  type FirstRows,
  findHeaderRow,
  type HeaderRow,
  lineStart,
  numberColumns,
  readFirstRows,
  readHeader,
  TRIAL_BYTES,
} from './header-row.ts';
import { DELIMITERS, type Dialect } from './line-scanner.ts';
import { boundsIssue, undecodableIssue } from './transcode.ts';

const SEPARATOR_LINE = /^"?sep=(.)"?[ \t]*(?:\r?\n|\r|$)/i;

/**
 * @throws ProblemError `option.delimiter`, `option.quote`, `option.header_line`, `input.delimiter`, `input.header`,
 * `input.encoding` if the header has undecodable bytes.
 */
export function detectLayout(head: Head, options: DecodeOptions): DetectedTable {
  const { quote = '"', header, headerLine, delimiter: option } = options;
  const separator = SEPARATOR_LINE.exec(head.bytes.toString('latin1', 0, 20))?.[1];
  const given = option === 'tab' || option === '\\t' ? '\t' : (option ?? separator);
  if (given !== undefined && !isOneByte(given)) {
    throw new ProblemError({
      code: 'option.delimiter',
      message: `--delimiter is '${excerpt(given)}'; expected one ASCII character, or tab.`,
      hint: "For a semicolon, write `--delimiter ';'`.",
    });
  }
  const start = lineStart(head, headerLine ?? (separator === undefined ? 1 : 2));
  // The head limits a header; `max_row_bytes` limits rows.
  const maxRowBytes = header ? head.bytes.length : options.maxRowBytes;
  const isSearched = header && headerLine === undefined;
  const tryDelimiter = (delimiter: string): ScoredTrial =>
    scoreTrial(readFirstRows(head, { delimiter, quote, maxRowBytes, start }, splitCells), delimiter, isSearched);
  const found = given === undefined ? chooseDelimiter(head, quote, start, tryDelimiter) : tryDelimiter(given);
  const { delimiter, rows, headerRow } = found;
  checkQuote(quote, delimiter);
  const first = header ? (found.problem ?? rows[headerRow.index]) : rows.find((row) => isUtf8(bytesIn(head, row)));
  if (first === undefined) throw noRowProblem(head, header);
  if (header) checkHeader(head, first);
  const isAfterOthers = headerRow.index > 0 || (headerLine ?? 1) > 1;
  return {
    delimiter,
    quote,
    ...(header
      ? readHeader(head.name, rows, headerRow)
      : { columns: numberColumns(rows.find((row) => row === first)?.cells.length ?? 0), body: start }),
    notes: [
      ...(quote === '"' ? [] : [quote === '' ? 'no quotes' : `quote ${quote}`]),
      ...(separator === undefined ? [] : ['a line "sep="']),
      ...(header ? [] : ['no header']),
      ...(isAfterOthers ? [`header on line ${first.line} (lines before it are not read)`] : []),
    ],
  };
}

function bytesIn({ bytes, offset }: Head, { start, end }: RowBounds): Buffer {
  return bytes.subarray(start - offset, end - offset);
}

function noRowProblem({ name, bytes, whole }: Head, header: boolean): ProblemError {
  return new ProblemError({
    code: 'input.header',
    message: whole
      ? `'${name}' has no readable row.`
      : `The ${header ? 'header' : 'first row'} of '${name}' does not end within its first ${plural(bytes.length, 'byte')}.`,
    where: name,
    hint: 'Perhaps a quote near the beginning is never closed, or the file is not CSV.',
  });
}

function checkHeader(head: Head, row: RowBounds): void {
  const bytes = bytesIn(head, row);
  if (row.problem === undefined && isUtf8(bytes)) return;
  const { code, found, expected, hint } =
    row.problem === undefined ? undecodableIssue(bytes, head.encodingName) : boundsIssue(bytes, row, bytes.length);
  throw new ProblemError({
    code: code === 'encoding' ? 'input.encoding' : 'input.header',
    message: `The header of '${head.name}' cannot be read: found ${found}, expected ${expected}.`,
    where: `${head.name}:${row.line}`,
    hint,
  });
}

/** The cells of a sound row, not trimmed. For the first rows, which are split with several delimiters; csv-parse is slow to start. */
export function splitCells(text: string, { delimiter = ',', quote = '' }: Dialect): string[] {
  const end = text.length - (text.endsWith('\r\n') ? 2 : text.endsWith('\n') ? 1 : 0);
  if (quote === '' || !text.includes(quote)) return text.slice(0, end).split(delimiter);
  const cells: string[] = [];
  for (let at = 0; ; at += 1) {
    if (text[at] === quote) {
      const { cell, after } = readQuoted(text, at, quote);
      cells.push(cell);
      at = after;
    } else {
      const next = text.indexOf(delimiter, at);
      const after = next < 0 ? end : Math.min(next, end);
      cells.push(text.slice(at, after));
      at = after;
    }
    if (at >= end) return cells;
  }
}

function readQuoted(text: string, at: number, quote: string): { readonly cell: string; readonly after: number } {
  let cell = '';
  for (let from = at + 1; ; ) {
    const found = text.indexOf(quote, from);
    const closing = found < 0 ? text.length : found;
    cell += text.slice(from, closing);
    if (text[closing + 1] !== quote) return { cell, after: closing + 1 };
    cell += quote;
    from = closing + 2;
  }
}

function isOneByte(text: string): boolean {
  return text.length === 1 && text > '\0' && text <= '\x7f' && text !== '\n' && text !== '\r';
}

function checkQuote(quote: string, delimiter: string | undefined): void {
  if (quote === '' || (isOneByte(quote) && quote !== delimiter)) return;
  throw new ProblemError({
    code: 'option.quote',
    message:
      quote === delimiter
        ? `quote and --delimiter are the same character, '${quote}'.`
        : `quote is '${excerpt(quote)}'; expected one ASCII character, or "" for none.`,
    hint: "The default is `quote '\"'`. For input without quoting, use `--setting quote=''`.",
  });
}

/** Two candidates whose shares of fitting rows differ by less than this fit equally well. */
const CLEAR_MARGIN = 0.2;

/** Below this share of fitting rows, the first row is probably not the header. */
const LIKELY_HEADER = 0.5;

/** Share of rows with the same width that indicates a table after a preamble. */
const TABLE_SHARE = 0.6;

interface ScoredTrial extends FirstRows {
  readonly delimiter: string;
  readonly headerRow: HeaderRow;
  readonly width: number;
  readonly fit: number;
  /** Whether the character occurs only where a text or a number has it. */
  readonly prose: boolean;
}

/**
 * By the first rows only: a file named .csv may contain tabs or semicolons. A candidate must separate the first row. Of several, the
 * one wins under which most rows have as many cells as the first. A character that occurs only where prose or a decimal comma has one
 * loses to one that does not. If two fit equally well, the user must choose.
 */
function chooseDelimiter(
  { name, bytes, offset }: Head,
  quote: string,
  start: TextPosition,
  tryDelimiter: (delimiter: string) => ScoredTrial,
): ScoredTrial {
  const from = start.byte - offset;
  const sample = bytes.subarray(from, from + TRIAL_BYTES);
  // A character that does not occur separates nothing, neither the header nor a table after a preamble.
  const candidates = DELIMITERS.filter((delimiter) => delimiter !== quote && sample.includes(delimiter));
  const trials = candidates.map(tryDelimiter).filter(({ problem, rows }) => problem === undefined && rows.length > 0);
  const scored = trials.filter(({ width }) => width > 1);
  const atTop = scored.filter(({ headerRow }) => headerRow.index === 0);
  const all = atTop.some(({ fit, prose }) => fit >= LIKELY_HEADER && !prose) ? atTop : scored;
  const plausible = all.some(({ prose }) => !prose) ? all.filter(({ prose }) => !prose) : all;
  const [best, second] = plausible.toSorted((one, other) => other.fit - one.fit || other.width - one.width);
  // The name of a file with tabs tells more than its first rows.
  const isTsv = name.toLowerCase().endsWith('.tsv');
  if (best === undefined) return tryDelimiter(isTsv ? '\t' : ',');
  const isClear =
    second === undefined ||
    best.fit - second.fit >= CLEAR_MARGIN ||
    (best.fit >= second.fit && best.width >= 2 * second.width);
  const preferred = isTsv ? all.find(({ delimiter }) => delimiter === '\t') : undefined;
  if (preferred !== undefined || isClear) return preferred ?? best;
  const [reading, other] = [best, second].map(
    ({ delimiter, width }) => `by ${delimiterName(delimiter)} into ${width} columns`,
  );
  throw new ProblemError({
    code: 'input.delimiter',
    message: `The delimiter of '${name}' is ambiguous: cells could be separated ${reading} or ${other}.`,
    where: name,
    hint: `Pass ${asOption(best.delimiter)} or ${asOption(second.delimiter)}.`,
  });
}

const FIRST_ROW: HeaderRow = { index: 0, isClear: true };

function scoreTrial(found: FirstRows, delimiter: string, isSearched: boolean): ScoredTrial {
  const headerRow = isSearched ? findHeaderRow(found.rows.map(({ cells }) => cells)) : FIRST_ROW;
  const scored = scoreFrom(found, delimiter, headerRow);
  const isTable = headerRow.index === 0 || (scored.fit >= TABLE_SHARE && !scored.prose);
  return isTable ? scored : scoreFrom(found, delimiter, FIRST_ROW);
}

function scoreFrom(found: FirstRows, delimiter: string, headerRow: HeaderRow): ScoredTrial {
  const rows = found.rows.slice(headerRow.index).map(({ cells }) => cells);
  const [first = [], ...others] = rows;
  const width = first.length;
  const fitting = others.filter(
    (cells) => cells.length >= width && cells.slice(width).every((cell) => cell.trim() === ''),
  ).length;
  const fit = others.length === 0 ? 1 : fitting / others.length;
  return { ...found, delimiter, headerRow, width, fit, prose: isProse(rows, delimiter) };
}

function isProse(rows: readonly (readonly string[])[], delimiter: string): boolean {
  if (delimiter === '\t') return false;
  return rows.every((cells) =>
    cells.every((cell, index) => {
      const before = cells[index - 1];
      if (before === undefined || /^ \S/.test(cell)) return true;
      return delimiter === ',' && /\d$/.test(before) && /^\d/.test(cell);
    }),
  );
}

const NAMES: Readonly<Record<string, string>> = {
  ',': 'comma',
  ';': 'semicolon',
  '\t': 'tab',
  '|': 'vertical bar',
  '^': 'caret',
  ' ': 'space',
};

export function delimiterName(delimiter: string): string {
  return NAMES[delimiter] ?? `delimiter ${delimiter}`;
}

function asOption(delimiter: string): string {
  return delimiter === '\t' ? '`--delimiter tab`' : `\`--delimiter '${delimiter}'\``;
}
