/**
 * How a CSV input is laid out, before its header is read: which character ends lines, which separates and which
 * quotes cells, and where the header (or, without one, the first row) begins.
 */
import { ProblemError } from '../model/problem.ts';
import { type CellParser, parseRows } from './csv-cells.ts';
import { CANDIDATES, chooseDelimiter, type DelimiterTrial } from './delimiter.ts';
import type { DecodeOptions, Head } from './format.ts';
import { type ByteDialect, createRowScanner } from './row-bounds.ts';
import { count, excerptOf } from './utf8-text.ts';

export interface CsvLayout {
  readonly delimiter: string;
  /** Empty where nothing quotes. */
  readonly quote: string;
  /** Present where carriage returns end the lines. */
  readonly lineEnd?: '\r';
  readonly header: boolean;
  readonly start: { readonly byte: number; readonly line: number };
  /** What was found and is worth saying. */
  readonly description: readonly string[];
}

const LF = 0x0a;
const CR = 0x0d;

/** How much of the head is tried with each candidate. */
const TRIAL_BYTES = 64 * 1024;
const TRIAL_ROWS = 200;

/**
 * The first line of a rejects file of this program. Whatever the input was that it came from, it has its header
 * on the first line and quotes with `"`, so that it can be uploaded with the mapping of that input.
 */
const OWN_REJECTS = /^"?_line"?([\x20-\x7e\t])"?_reason"?(?:\1|[\r\n]|$)/;

/** Excel writes it, and reads it, as the first line: the delimiter of the file. */
const SEPARATOR_LINE = /^"?sep=(.)"?[ \t]*(?:\r?\n|\r|$)/i;

/** @throws ProblemError `option.delimiter`, `option.quote`, `option.header_line`, `input.delimiter`, `input.header`. */
export function detectLayout(
  head: Head,
  options: DecodeOptions,
  parser: (d: Dialects) => CellParser,
): CsvLayout {
  const first = head.bytes.toString('latin1', 0, 200);
  const own = OWN_REJECTS.exec(first)?.[1];
  const separator = own === undefined ? SEPARATOR_LINE.exec(first) : null;
  const quote = own === undefined ? (options.quote ?? '"') : '"';
  const given = own ?? givenDelimiter(options) ?? separator?.[1];
  if (given !== undefined && !isOneByte(given)) throw badDelimiter(given);
  judgeQuote(quote, given);
  const lineEnd = hasCarriageReturnLineEnds(head.bytes, quote) ? ('\r' as const) : undefined;
  const header = own !== undefined || options.header;
  const startLine = own === undefined ? (options.headerLine ?? (separator === null ? 1 : 2)) : 1;
  if (!options.header && options.headerLine !== undefined && own === undefined) throw headerTwice();
  const start = lineStart(head, startLine, lineEnd === undefined ? LF : CR);
  const form = { quote, ...(lineEnd === undefined ? {} : { lineEnd }) };
  const named = head.name.toLowerCase().endsWith('.tsv');
  const delimiter =
    given ??
    chooseDelimiter(
      head.name,
      CANDIDATES.flatMap((candidate) => {
        // One that stands nowhere separates nothing, neither the header nor a table below a preamble.
        if (candidate === quote || !sampleOf(head, start).includes(candidate)) return [];
        const dialect = { ...form, delimiter: candidate };
        return trial(head, start, dialect, parser(dialect)) ?? [];
      }),
      { fallback: named ? '\t' : ',', named, header },
    );
  judgeQuote(quote, delimiter);
  return {
    delimiter,
    ...form,
    header,
    start,
    description: [
      ...(own === undefined ? [] : ['rejects of an upload']),
      ...(separator === null ? [] : ['a line "sep="']),
      ...(lineEnd === undefined ? [] : ['lines ended by carriage returns']),
      ...(startLine > 1 && separator === null ? [`header on line ${startLine}`] : []),
    ],
  };
}

export interface Dialects {
  readonly delimiter?: string;
  readonly quote?: string;
  readonly lineEnd?: '\r';
}

export function byteDialect({ delimiter, quote, lineEnd }: Dialects): ByteDialect {
  return {
    ...(delimiter === undefined ? {} : { delimiter: delimiter.charCodeAt(0) }),
    ...(quote === undefined || quote === '' ? {} : { quote: quote.charCodeAt(0) }),
    ...(lineEnd === undefined ? {} : { lineEnd: CR }),
  };
}

/**
 * Whether carriage returns alone end the lines: one does, outside quotes, and no line feed does. `quote` may be
 * empty. The delimiter is not known here, so that a quote opens behind any of the candidates.
 */
export function hasCarriageReturnLineEnds(bytes: Buffer, quote: string): boolean {
  const mark = quote === '' ? -1 : quote.charCodeAt(0);
  const opensBehind = new Set([LF, CR, mark, ...CANDIDATES.map((candidate) => candidate.charCodeAt(0))]);
  let quoted = false;
  let returns = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === mark) {
      if (quoted) quoted = false;
      else if (at === 0 || opensBehind.has(bytes[at - 1] ?? 0)) quoted = true;
    } else if (!quoted && byte === LF) return false;
    else if (!quoted && byte === CR) returns = true;
  }
  return returns;
}

/** Offset of a physical line's first byte, in the input. */
function lineStart(head: Head, line: number, end: number): { byte: number; line: number } {
  let at = 0;
  for (let n = 1; n < line; n += 1) {
    const found = head.bytes.indexOf(end, at);
    if (found < 0 || found + 1 === head.bytes.length) throw beyond(head, line, n);
    at = found + 1;
  }
  return { byte: head.offset + at, line };
}

/** The bytes that every candidate is tried with. */
function sampleOf(head: Head, start: { byte: number }): Buffer {
  const from = start.byte - head.offset;
  return head.bytes.subarray(from, from + TRIAL_BYTES);
}

/** The first rows under a candidate, or nothing where the first one can't be read. */
function trial(
  head: Head,
  start: { byte: number; line: number },
  dialect: Dialects & { delimiter: string },
  parser: CellParser,
): DelimiterTrial | undefined {
  const bytes = sampleOf(head, start);
  const scan = createRowScanner({ ...byteDialect(dialect), maxRowBytes: bytes.length + 1, start });
  let slice = scan.push(bytes);
  // A row that the sample's end cuts says nothing, but where it is the only one.
  if (
    slice.rows.length === 0 ||
    (head.whole && start.byte - head.offset + bytes.length === head.bytes.length)
  ) {
    const rest = scan.end();
    slice = { ...rest, rows: [...slice.rows, ...rest.rows], bytes, offset: start.byte };
  }
  const spans = slice.rows.filter((row) => row.problem === undefined).slice(0, TRIAL_ROWS);
  if (spans[0] === undefined || spans[0] !== slice.rows[0]) return undefined;
  const rows: (readonly string[])[] = [];
  const lines: number[] = [];
  for (const [index, cells] of parseRows(slice, spans, parser).entries()) {
    if ('issue' in cells) continue;
    rows.push(cells.content);
    lines.push(spans[index]?.line ?? 0);
  }
  return { delimiter: dialect.delimiter, rows, lines };
}

function givenDelimiter({ delimiter }: DecodeOptions): string | undefined {
  return delimiter === 'tab' || delimiter === '\\t' ? '\t' : delimiter;
}

/** One byte in UTF-8, and none that ends a row. */
function isOneByte(text: string): boolean {
  return text.length === 1 && text > '\0' && text <= '\x7f' && text !== '\n' && text !== '\r';
}

function badDelimiter(given: string): ProblemError {
  return new ProblemError({
    code: 'option.delimiter',
    message: `--delimiter is '${excerptOf(given)}'; expected one ASCII character, or the word tab.`,
    hint: "For a semicolon, write `--delimiter ';'`.",
  });
}

function judgeQuote(quote: string, delimiter: string | undefined): void {
  if (quote === '' || (isOneByte(quote) && quote !== delimiter)) return;
  throw new ProblemError({
    code: 'option.quote',
    message:
      quote === delimiter
        ? `--quote and --delimiter are the same character, '${quote}'.`
        : `--quote is '${excerptOf(quote)}'; expected one ASCII character, or nothing.`,
    hint: "Usual are `--quote '\"'`, and `--quote ''` where no character quotes.",
  });
}

function headerTwice(): ProblemError {
  return new ProblemError({
    code: 'option.header_line',
    message: '--header-line names the line of a header, and --no-header says that there is none.',
    hint: 'Give one of them.',
  });
}

function beyond(head: Head, line: number, last: number): ProblemError {
  return new ProblemError({
    code: 'option.header_line',
    message: head.whole
      ? `The header of '${head.name}' should be on line ${line}, but the file has ${count(last, 'line')}.`
      : `The header of '${head.name}' should be on line ${line}, but that is not within its first ${count(head.bytes.length, 'byte')}.`,
    where: head.name,
    hint: '`--header-line` counts the lines of the file from 1, blank ones too.',
  });
}
