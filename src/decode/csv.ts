/**
 * CSV (RFC 4180) with any one-byte delimiter and quote. Where rows begin and end is decided by bounds.ts; here
 * whole rows become cells, many at once, by csv-parse. Cells are not trimmed.
 *
 * The delimiter is not yet recognised from the content: `delimiterOf` is the place for it.
 */
import { parse } from 'csv-parse/sync';
import { ProblemError } from '../model/problem.ts';
import type { Issue } from '../model/row.ts';
import { bounds, type Dialect, type Slice, type Span } from './bounds.ts';
import { nameColumns, numberColumns } from './columns.ts';
import type { DecodeOptions, Format, Head, Parsed, Recognised } from './format.ts';
import { count, encodingIssue, excerpt, excerptOf, firstBadByte } from './text.ts';

/** Whole rows to cells, one array a row. Throws where it cannot. */
export type CellParser = (rows: Buffer) => string[][];

export const csv: Format = {
  name: 'csv',
  extensions: ['.csv', '.tsv'],

  recognise(head, options) {
    const delimiter = delimiterOf(head, options);
    const quote = quoteOf(options, delimiter);
    const { columns, body } = readColumns(head, { delimiter, quote }, options);
    const said = ['CSV', delimiterName(delimiter), head.encoding, count(columns.length, 'column')];
    if (quote !== '"') said.splice(2, 0, quote === '' ? 'no quotes' : `quote ${quote}`);
    if (!options.header) said.push('no header');
    return { format: 'csv', delimiter, quote, columns, body, said };
  },

  dialect: dialectOf,

  parse(slice, rows, recognised, options) {
    return readRows(slice, rows, cellParser(recognised)).map((cells) =>
      'issue' in cells ? cells : judgeWidth(cells.content, recognised, options),
    );
  },
};

/** A row's cells, or why it has none. */
type Cells = { readonly content: readonly string[] } | { readonly issue: Issue };

/**
 * All rows in one call; where that fails or gives another number of rows, each for itself, so that a fault in
 * one row costs that row.
 */
export function readRows(slice: Slice, rows: readonly Span[], parser: CellParser): Cells[] {
  if (rows.length === 0) return [];
  const all = attempt(parser, joined(slice, rows));
  if (all?.length === rows.length) return all.map((content) => ({ content }));
  return rows.map((row) => {
    const bytes = bytesOf(slice, row);
    const one = attempt(parser, bytes);
    const content = one?.length === 1 ? one[0] : undefined;
    if (content !== undefined) return { content };
    return { issue: { code: 'quote', found: excerpt(bytes), expected: 'a row of CSV' } };
  });
}

function attempt(parser: CellParser, rows: Buffer): string[][] | undefined {
  try {
    return parser(rows);
  } catch (error) {
    // csv-parse's errors are about the rows, and the caller gives each row its own; anything else is a bug.
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('CSV_')) return undefined;
    throw error;
  }
}

export function cellParser(dialect: { readonly delimiter?: string; readonly quote?: string }): CellParser {
  const quote = dialect.quote === undefined || dialect.quote === '' ? null : Buffer.from(dialect.quote);
  const options = {
    delimiter: dialect.delimiter ?? ',',
    quote,
    escape: quote,
    record_delimiter: ['\r\n', '\n'],
    // A quote inside an unquoted cell is data, and the number of cells is judged here.
    relax_quotes: true,
    relax_column_count: true,
  };
  return (rows) => parse(rows, options);
}

/** The rows' bytes without what lies between them: blank lines and broken rows. */
function joined(slice: Slice, rows: readonly Span[]): Buffer {
  const first = rows[0]?.start ?? 0;
  const end = rows.at(-1)?.end ?? 0;
  const together = rows.every((row, index) => index === 0 || row.start === rows[index - 1]?.end);
  if (together) return slice.bytes.subarray(first - slice.offset, end - slice.offset);
  return Buffer.concat(rows.map((row) => bytesOf(slice, row)));
}

function bytesOf(slice: Slice, row: Span): Buffer {
  return slice.bytes.subarray(row.start - slice.offset, row.end - slice.offset);
}

/** Judges the number of cells. Spreadsheets write empty cells behind the last column: those are cut. */
function judgeWidth(cells: readonly string[], recognised: Recognised, options: DecodeOptions): Parsed {
  const width = recognised.columns.length;
  if (cells.length === width) return { content: cells };
  if (cells.length > width) {
    if (cells.slice(width).every((cell) => cell.trim() === '')) return { content: cells.slice(0, width) };
    const name = delimiterName(recognised.delimiter ?? ',');
    return columnsIssue(
      cells,
      width,
      `Probably a cell holds an unquoted ${name}: put that cell in ${recognised.quote === "'" ? 'single ' : ''}quotes.`,
    );
  }
  if (options.ragged === 'pad') {
    return { content: [...cells, ...Array.from({ length: width - cells.length }, () => '')] };
  }
  return columnsIssue(
    cells,
    width,
    cells.some((cell) => cell.includes('\n'))
      ? 'The row goes over several lines: perhaps a quote is left open, or one too many.'
      : 'Cells are missing: complete the row, or let `--ragged pad` fill short rows with empty cells.',
  );
}

function columnsIssue(cells: readonly string[], width: number, hint: string): Parsed {
  return {
    issue: { code: 'columns', found: count(cells.length, 'cell'), expected: count(width, 'cell'), hint },
  };
}

function dialectOf(recognised: { readonly delimiter?: string; readonly quote?: string }): Dialect {
  const { delimiter, quote } = recognised;
  return {
    ...(delimiter === undefined ? {} : { delimiter: delimiter.charCodeAt(0) }),
    ...(quote === undefined || quote === '' ? {} : { quote: quote.charCodeAt(0) }),
  };
}

function delimiterOf(head: Head, options: DecodeOptions): string {
  const given = options.delimiter;
  if (given === undefined) return head.name.toLowerCase().endsWith('.tsv') ? '\t' : ',';
  const delimiter = given === 'tab' || given === '\\t' ? '\t' : given;
  if (isOneByte(delimiter)) return delimiter;
  throw new ProblemError({
    code: 'option.delimiter',
    message: `--delimiter is '${excerptOf(given)}'; expected one ASCII character, or the word tab.`,
    hint: "For a semicolon, write `--delimiter ';'`.",
  });
}

function quoteOf(options: DecodeOptions, delimiter: string): string {
  const quote = options.quote ?? '"';
  if (quote === '' || (isOneByte(quote) && quote !== delimiter)) return quote;
  throw new ProblemError({
    code: 'option.quote',
    message:
      quote === delimiter
        ? `--quote and --delimiter are the same character, '${quote}'.`
        : `--quote is '${excerptOf(quote)}'; expected one ASCII character, or nothing.`,
    hint: "Usual are `--quote '\"'`, and `--quote ''` where no character quotes.",
  });
}

/** One byte in UTF-8, and none that ends a row. */
function isOneByte(text: string): boolean {
  return text.length === 1 && text > '\0' && text <= '\x7f' && text !== '\n' && text !== '\r';
}

function delimiterName(delimiter: string): string {
  const names: Readonly<Record<string, string>> = {
    ',': 'comma',
    ';': 'semicolon',
    '\t': 'tab',
    '|': 'vertical bar',
    ' ': 'space',
  };
  return names[delimiter] ?? `delimiter ${delimiter}`;
}

/** The columns, from the header or the first good row; and where the rows begin. */
function readColumns(
  head: Head,
  dialect: { delimiter: string; quote: string },
  options: DecodeOptions,
): Pick<Recognised, 'columns' | 'body'> {
  const start = { byte: head.offset, line: 1 };
  // A header is as long as it likes, within the head; rows are measured as they will be when they are read.
  const maxRowBytes = options.header ? head.bytes.length : options.maxRowBytes;
  const scan = bounds({ ...dialectOf(dialect), maxRowBytes, start });
  const good = (slice: Slice): Span | undefined =>
    slice.rows.find(
      (row) => options.header || (row.fault === undefined && firstBadByte(bytesOf(slice, row)) < 0),
    );
  let slice = scan.push(head.bytes);
  let row = good(slice);
  if (row === undefined && head.whole) {
    slice = scan.end();
    row = good(slice);
  }
  const what = options.header ? 'header' : 'first row';
  if (row === undefined) throw unreadable(head, what);
  if (row.fault !== undefined) throw brokenHeader(head, row);
  const bytes = bytesOf(slice, row);
  if (firstBadByte(bytes) >= 0) {
    const issue = encodingIssue(bytes, row.start);
    throw new ProblemError({
      code: 'input.encoding',
      message: `The header of '${head.name}' is not UTF-8 text: found ${issue.found ?? 'bad bytes'}.`,
      where: `${head.name}:${row.line}`,
      ...(issue.hint === undefined ? {} : { hint: issue.hint }),
    });
  }
  const [cells] = readRows(slice, [row], cellParser(dialect));
  if (cells === undefined || 'issue' in cells) throw unreadable(head, what);
  if (!options.header) return { columns: numberColumns(cells.content.length), body: start };
  return { columns: nameColumns(cells.content), body: { byte: row.end, line: row.nextLine } };
}

function unreadable(head: Head, what: string): ProblemError {
  return new ProblemError({
    code: 'input.header',
    message: head.whole
      ? `'${head.name}' has no row that can be read.`
      : `The ${what} of '${head.name}' does not end within its first ${count(head.bytes.length, 'byte')}.`,
    where: head.name,
    hint: 'Perhaps a quote at its beginning is left open, or the file is not CSV.',
  });
}

function brokenHeader(head: Head, row: Span): ProblemError {
  const open = row.fault?.kind === 'open';
  return new ProblemError({
    code: 'input.header',
    message: `The header of '${head.name}' cannot be read: ${
      open ? 'a quote is opened and never closed' : 'there is text behind a closing quote'
    }.`,
    where: `${head.name}:${row.line}`,
    hint: 'Mend the quotes of that line, or read quotes as text with `--quote ""`.',
  });
}
