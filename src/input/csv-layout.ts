/**
 * Detects the layout of a CSV input before its header is read: which character ends lines, which separates and which
 * quotes cells, and where the header (or, without one, the first row) begins.
 */
import { excerpt } from '../lib/excerpt.ts';
import { plural } from '../lib/units.ts';
import type { DecodeOptions } from '../model/decode-options.ts';
import { ProblemError } from '../model/problem.ts';
import { type CellDialect, isBlankRow, parseRows } from './csv-cells.ts';
import { CANDIDATES, chooseDelimiter, type DelimiterTrial, type FoundTable, findHeader } from './delimiter.ts';
import type { Head } from './format.ts';
import { createHeadCellParser } from './head-cells.ts';
import { type ByteDialect, createRowScanner } from './row-bounds.ts';

export interface CsvLayout extends CellDialect {
  readonly delimiter: string;
  /** Empty if there is no quoting. */
  readonly quote: string;
  readonly header: boolean;
  readonly start: { readonly byte: number; readonly line: number };
  /** What the user should know about it. */
  readonly description: readonly string[];
}

const LF = 0x0a;
const CR = 0x0d;

/** How much of the head is parsed with each candidate delimiter. */
const TRIAL_BYTES = 64 * 1024;
const TRIAL_ROWS = 200;

/**
 * The first line of one of our rejects files. It has its header on line 1 and quotes with `"` whatever the original
 * input had, so that it can be uploaded with the same mapping and options.
 */
const OWN_REJECTS = /^"?_line"?([\x20-\x7e\t])"?_reason"?(?:\1|[\r\n]|$)/;

/** A first line that names the delimiter. Excel writes and reads it. */
const SEPARATOR_LINE = /^"?sep=(.)"?[ \t]*(?:\r?\n|\r|$)/i;

/** @throws ProblemError `option.delimiter`, `option.quote`, `option.header_line`, `input.delimiter`, `input.header`. */
export function detectLayout(head: Head, options: DecodeOptions): CsvLayout {
  const first = head.bytes.toString('latin1', 0, 200);
  const own = OWN_REJECTS.exec(first)?.[1];
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
  const lineEnd = hasCarriageReturnLineEnds(head.bytes, quote) ? ('\r' as const) : undefined;
  const header = own !== undefined || options.header;
  const startLine = own === undefined ? (options.headerLine ?? (separator === null ? 1 : 2)) : 1;
  if (own === undefined) checkHeaderOptions(options);
  const lineEndByte = lineEnd === undefined ? LF : CR;
  const start = lineStart(head, startLine, lineEndByte);
  const isSearched = header && own === undefined && options.headerLine === undefined;
  const { delimiter, line } = findTable(head, start, isSearched, { quote, lineEnd, delimiter: given });
  checkQuote(quote, delimiter);
  return {
    delimiter,
    quote,
    lineEnd,
    header,
    start: line === undefined ? start : lineStart(head, line, lineEndByte),
    description: [
      ...(own === undefined ? [] : ['rejects of an upload']),
      ...(separator === null ? [] : ['a line "sep="']),
      ...(lineEnd === undefined ? [] : ['lines ended by carriage returns']),
      ...(startLine > 1 && separator === null ? [`header on line ${startLine}`] : []),
      ...(line === undefined ? [] : [`header on line ${line} (${linesBefore(line, startLine)} not read)`]),
    ],
  };
}

function linesBefore(line: number, first: number): string {
  return line - 1 === first ? `line ${first} is` : `lines ${first} to ${line - 1} are`;
}

/** @param form its delimiter is absent if it must be detected */
function findTable(head: Head, start: CsvLayout['start'], isSearched: boolean, form: CellDialect): FoundTable {
  const given = form.delimiter;
  if (given !== undefined && !isSearched) return { delimiter: given };
  const from = start.byte - head.offset;
  const sample = head.bytes.subarray(from, from + TRIAL_BYTES);
  const isWhole = head.whole && from + sample.length === head.bytes.length;
  const trials = (given === undefined ? CANDIDATES : [given]).flatMap((delimiter) => {
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
  start: CsvLayout['start'],
  dialect: CellDialect & { readonly delimiter: string },
): DelimiterTrial | undefined {
  const scanner = createRowScanner({ ...byteDialect(dialect), maxRowBytes: bytes.length + 1, start });
  const bounds = [...scanner.push(bytes).rows];
  // A row that the sample cuts counts only if it is the only one.
  if (bounds.length === 0 || isWhole) bounds.push(...scanner.end().rows);
  const [first] = bounds;
  if (first === undefined || first.problem !== undefined) return undefined;
  const readable = bounds.filter((row) => row.problem === undefined).slice(0, TRIAL_ROWS);
  const slice = { bytes, offset: start.byte, rows: readable, end: 0, line: 0 };
  const rows: (readonly string[])[] = [];
  const lines: number[] = [];
  for (const [index, cells] of parseRows(slice, readable, createHeadCellParser(dialect)).entries()) {
    if ('issue' in cells || isBlankRow(cells.content)) continue;
    rows.push(cells.content);
    lines.push(readable[index]?.line ?? 0);
  }
  return { delimiter: dialect.delimiter, rows, lines };
}

export function byteDialect({ delimiter, quote, lineEnd }: CellDialect): ByteDialect {
  return {
    delimiter: delimiter?.charCodeAt(0),
    quote: quote === undefined || quote === '' ? undefined : quote.charCodeAt(0),
    lineEnd: lineEnd === undefined ? undefined : CR,
  };
}

/**
 * Whether carriage returns alone end the lines: at least one is outside quotes, and no line feed is. `quote` may be
 * empty. The delimiter is not yet known, so a quote may open after any candidate.
 */
export function hasCarriageReturnLineEnds(bytes: Buffer, quote: string): boolean {
  const quoteByte = quote === '' ? -1 : quote.charCodeAt(0);
  const opensAfter = new Set([LF, CR, quoteByte, ...CANDIDATES.map((candidate) => candidate.charCodeAt(0))]);
  let quoted = false;
  let returns = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quoteByte) {
      if (quoted) quoted = false;
      else if (at === 0 || opensAfter.has(bytes[at - 1] ?? 0)) quoted = true;
    } else if (!quoted && byte === LF) return false;
    else if (!quoted && byte === CR) returns = true;
  }
  return returns;
}

/** @throws ProblemError `option.header_line` */
export function checkHeaderOptions({ header, headerLine }: DecodeOptions): void {
  if (header || headerLine === undefined) return;
  throw new ProblemError({
    code: 'option.header_line',
    message: '--header-line names the line of the header, but --no-header says there is none.',
    hint: 'Use one of them.',
  });
}

/** The first byte of a physical line, as an offset in the input. */
export function lineStart(head: Head, line: number, end: number): CsvLayout['start'] {
  let at = 0;
  for (let n = 1; n < line; n += 1) {
    const found = head.bytes.indexOf(end, at);
    if (found < 0 || found + 1 === head.bytes.length) {
      throw new ProblemError({
        code: 'option.header_line',
        message: `--header-line is ${line}, but ${
          head.whole
            ? `'${head.name}' has only ${plural(n, 'line')}`
            : `that line is not in the first ${plural(head.bytes.length, 'byte')} of '${head.name}'`
        }.`,
        where: head.name,
        hint: '`--header-line` counts the lines of the file from 1, including blank lines.',
      });
    }
    at = found + 1;
  }
  return { byte: head.offset + at, line };
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
        ? `--quote and --delimiter are the same character, '${quote}'.`
        : `--quote is '${excerpt(quote)}'; expected one ASCII character, or "" for none.`,
    hint: "The default is `--quote '\"'`. For input without quoting, use `--quote ''`.",
  });
}
