/**
 * The layout of a CSV input: which character separates and which quotes cells, and where the header (or, without one, the
 * first row) begins. Detects it before the header is read.
 */
import { excerpt } from '../lib/text.ts';
import type { DecodeOptions } from '../model/input-format.ts';
import { ProblemError } from '../model/problem.ts';
import { REJECTS_HEADER } from '../model/rejects-file.ts';
import {
  checkHeaderOptions,
  findHeaderRow,
  type HeaderRow,
  headerProblem,
  isBlankRow,
  lineStart,
} from './header-row.ts';
import { DELIMITERS, type Dialect, LineScanner } from './line-scanner.ts';
import type { Head, TextPosition } from './row-format.ts';

export interface CsvLayout extends Dialect {
  readonly delimiter: string;
  /** Empty if there is no quoting. */
  readonly quote: string;
  readonly header: boolean;
  readonly start: TextPosition;
  /** What the user should know about it. */
  readonly description: readonly string[];
}

/** How much of the head is parsed with each candidate delimiter. */
const TRIAL_BYTES = 64 * 1024;
const TRIAL_ROWS = 200;

/** A first line that names the delimiter. Excel writes and reads it. */
const SEPARATOR_LINE = /^"?sep=(.)"?[ \t]*(?:\r?\n|\r|$)/i;

/** @throws ProblemError `option.delimiter`, `option.quote`, `option.header_line`, `input.delimiter`, `input.header`. */
export function detectLayout(head: Head, options: DecodeOptions): CsvLayout {
  const first = head.bytes.toString('latin1', 0, 200);
  // A rejects file has its header on line 1 and quotes with `"`, so that it can be uploaded with the options of its run.
  const own = REJECTS_HEADER.exec(first)?.[1];
  const separator = own === undefined ? SEPARATOR_LINE.exec(first) : null;
  const quote = own === undefined ? (options.quote ?? '"') : '"';
  const isTab = options.delimiter === 'tab' || options.delimiter === '\\t';
  const given = own ?? (isTab ? '\t' : options.delimiter) ?? separator?.[1];
  if (given !== undefined && !isOneByte(given)) {
    throw new ProblemError({
      code: 'option.delimiter',
      message: `--delimiter is '${excerpt(given)}'; expected one ASCII character, or tab.`,
      hint: "For a semicolon, write `--delimiter ';'`.",
    });
  }
  checkQuote(quote, given);
  const header = own !== undefined || options.header;
  const startLine = own === undefined ? (options.headerLine ?? (separator === null ? 1 : 2)) : 1;
  if (own === undefined) checkHeaderOptions(options);
  const start = lineStart(head, startLine);
  const isSearched = header && own === undefined && options.headerLine === undefined;
  const { delimiter, line } = findTable(head, start, isSearched, { quote, delimiter: given });
  checkQuote(quote, delimiter);
  return {
    delimiter,
    quote,
    header,
    start: line === undefined ? start : lineStart(head, line),
    description: [
      ...(own === undefined ? [] : ['rejects of an upload']),
      ...(separator === null ? [] : ['a line "sep="']),
      ...(startLine > 1 && separator === null ? [`header on line ${startLine}`] : []),
      ...(line === undefined ? [] : [`header on line ${line} (${linesBefore(line, startLine)} not read)`]),
    ],
  };
}

function linesBefore(line: number, first: number): string {
  return line - 1 === first ? `line ${first} is` : `lines ${first} to ${line - 1} are`;
}

/** @param form its delimiter is absent if it must be detected */
function findTable(head: Head, start: TextPosition, isSearched: boolean, form: Dialect): FoundTable {
  const given = form.delimiter;
  if (given !== undefined && !isSearched) return { delimiter: given };
  const from = start.byte - head.offset;
  const sample = head.bytes.subarray(from, from + TRIAL_BYTES);
  const isWhole = head.whole && from + sample.length === head.bytes.length;
  const trials = (given === undefined ? DELIMITERS : [given]).flatMap((delimiter) => {
    // A character that does not occur separates nothing, neither the header nor a table after a preamble.
    if (delimiter === form.quote || !sample.includes(delimiter)) return [];
    return tryDelimiter(sample, isWhole, start, { ...form, delimiter }) ?? [];
  });
  if (given !== undefined) return trials[0] === undefined ? { delimiter: given } : findHeader(head.name, trials[0]);
  const named = head.name.toLowerCase().endsWith('.tsv');
  return chooseDelimiter(head.name, trials, { fallback: named ? '\t' : ',', named, header: isSearched });
}

/** The first rows under a candidate. Undefined if the first one cannot be read. */
function tryDelimiter(
  bytes: Buffer,
  isWhole: boolean,
  start: TextPosition,
  dialect: Dialect & { readonly delimiter: string },
): DelimiterTrial | undefined {
  const scanner = new LineScanner({ ...dialect, maxRowBytes: bytes.length + 1, start });
  const bounds = [...scanner.push(bytes).rows];
  // A row that the sample cuts counts only if it is the only one.
  if (bounds.length === 0 || isWhole) bounds.push(...scanner.end().rows);
  const [first] = bounds;
  if (first === undefined || first.problem !== undefined) return undefined;
  const rows: (readonly string[])[] = [];
  const lines: number[] = [];
  for (const { start: from, end, line } of bounds.filter((row) => row.problem === undefined).slice(0, TRIAL_ROWS)) {
    const cells = splitCells(bytes.toString('utf8', from - start.byte, end - start.byte), dialect);
    if (isBlankRow(cells)) continue;
    rows.push(cells);
    lines.push(line);
  }
  return { delimiter: dialect.delimiter, rows, lines };
}

/**
 * The cells of a row that the scanner has found no problem in, not trimmed. For the first rows of an input, which are split
 * with several delimiters before the layout is known, and where csv-parse is slow to start. All other rows are csv-parse's.
 */
export function splitCells(text: string, { delimiter = ',', quote = '' }: Dialect): string[] {
  // The last row of an input may have no line end.
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

/** The text of the quoted cell that opens at `at`, and the index after its closing quote. */
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

/** Whether the text is one ASCII character that does not end rows. */
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

/** The first rows of an input, parsed with `delimiter`. */
interface DelimiterTrial {
  readonly delimiter: string;
  readonly rows: readonly (readonly string[])[];
  /** Physical line of each of the rows. */
  readonly lines: readonly number[];
}

/** Two candidates whose shares of fitting rows differ by less than this fit equally well. */
const CLEAR_MARGIN = 0.2;

/** Below this share of fitting rows, the first row is probably not the header. */
const LIKELY_HEADER = 0.5;

/** Share of rows with the same width that indicates a table after a preamble. */
const TABLE_SHARE = 0.6;

interface ScoredTrial extends DelimiterTrial {
  readonly headerRow: HeaderRow;
  /** Cells of the header. */
  readonly width: number;
  /** Share of the rows after it with as many cells; 1 if there is none. */
  readonly fit: number;
  /** Whether the character occurs only where a text or a number has it. */
  readonly prose: boolean;
}

/** What separates the cells, and the physical line of the header. */
interface FoundTable {
  readonly delimiter: string;
  /** Absent if it is the first. */
  readonly line?: number | undefined;
}

/**
 * Chooses the delimiter by the first rows only: a file named .csv may contain tabs or semicolons.
 *
 * A candidate must separate the first row. Of several, the one wins under which most rows have as many cells as the
 * first. A character that occurs only where prose or a decimal comma has one (before a space, between two digits) loses
 * to one that does not. If two candidates fit equally well, the user must choose.
 *
 * @param trials one for each candidate whose first row could be read
 * @param fallback for a single column; also wins if it separates cells and the file name indicates it (`named`)
 * @param header whether to search for a header
 * @throws ProblemError `input.delimiter` if two fit, `input.header` if the table begins further down
 */
function chooseDelimiter(
  name: string,
  trials: readonly DelimiterTrial[],
  { fallback, named, header }: { fallback: string; named: boolean; header: boolean },
): FoundTable {
  const scored = trials.map((trial) => scoreTrial(trial, header)).filter(({ width }) => width > 1);
  const atTop = scored.filter(({ headerRow }) => headerRow.index === 0);
  const all = atTop.some(({ fit, prose }) => fit >= LIKELY_HEADER && !prose) ? atTop : scored;
  const plausible = all.some(({ prose }) => !prose) ? all.filter(({ prose }) => !prose) : all;
  const [best, second] = plausible.toSorted((one, other) => other.fit - one.fit || other.width - one.width);
  if (header && (best?.fit ?? 0) < LIKELY_HEADER) refusePreamble(name, trials, best?.width ?? 1);
  const preferred = named ? all.find(({ delimiter }) => delimiter === fallback) : undefined;
  if (best === undefined) return { delimiter: fallback };
  const isClear =
    preferred !== undefined ||
    second === undefined ||
    best.fit - second.fit >= CLEAR_MARGIN ||
    (best.fit >= second.fit && best.width >= 2 * second.width);
  if (isClear) return tableOf(name, preferred ?? best);
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

/** @throws ProblemError `input.header` if it is not clear which row is the header */
function tableOf(name: string, { delimiter, rows, lines, headerRow }: ScoredTrial): FoundTable {
  if (!headerRow.isClear) throw headerProblem(name, rows, lines, headerRow);
  return { delimiter, line: headerRow.index === 0 ? undefined : lines[headerRow.index] };
}

/** The header under a delimiter that the user has given. */
function findHeader(name: string, trial: DelimiterTrial): FoundTable {
  return tableOf(name, scoreTrial(trial, true));
}

const FIRST_ROW: HeaderRow = { index: 0, isClear: true };

function scoreTrial(trial: DelimiterTrial, header: boolean): ScoredTrial {
  const headerRow = header ? findHeaderRow(trial.rows) : FIRST_ROW;
  const scored = scoreFrom(trial, headerRow);
  const isTable = headerRow.index === 0 || (scored.fit >= TABLE_SHARE && !scored.prose);
  return isTable ? scored : scoreFrom(trial, FIRST_ROW);
}

function scoreFrom(trial: DelimiterTrial, headerRow: HeaderRow): ScoredTrial {
  const rows = trial.rows.slice(headerRow.index);
  const [first = [], ...others] = rows;
  const width = first.length;
  const fitting = others.filter((cells) => fits(cells, width)).length;
  const fit = others.length === 0 ? 1 : fitting / others.length;
  return { ...trial, headerRow, width, fit, prose: isProse(rows, trial.delimiter) };
}

/** Spreadsheets write empty cells after the last column. */
function fits(cells: readonly string[], width: number): boolean {
  return cells.length >= width && cells.slice(width).every((cell) => cell.trim() === '');
}

/** Whether the delimiter occurs only where prose has it or, for a comma, where a number has it. */
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

/** A delimiter as a command-line option. */
function asOption(delimiter: string): string {
  return delimiter === '\t' ? '`--delimiter tab`' : `\`--delimiter '${delimiter}'\``;
}

/** Refuses lines before the table, such as a title or the date of the export. */
function refusePreamble(name: string, trials: readonly DelimiterTrial[], width: number): void {
  for (const { delimiter, rows, lines } of trials) {
    const others = rows.slice(1);
    const widths = new Map<number, number>();
    for (const cells of others) widths.set(cells.length, (widths.get(cells.length) ?? 0) + 1);
    const [most, times] = [...widths].toSorted(([, one], [, other]) => other - one)[0] ?? [0, 0];
    if (most <= width || times < 2 || times / others.length < TABLE_SHARE) continue;
    if (isProse(others, delimiter)) continue;
    const line = lines[rows.findIndex((cells) => cells.length === most)];
    throw new ProblemError({
      code: 'input.header',
      message: `The first line of '${name}' has ${width === 1 ? 'one cell' : `${width} cells`}, but most lines below have ${most}, separated by ${delimiterName(delimiter)}; expected the header first.`,
      where: `${name}:${lines[0] ?? 1}`,
      hint: `If the header is on line ${line}, use \`--header-line ${line}\`.`,
    });
  }
}
