/**
 * Bytes to rows. Takes an input's head and chunks of bytes; gives its detected format and encoding, and blocks of rows
 * and broken rows: each row once, in order, without blank lines. Memory is bounded by the longest row allowed.
 */
import { isUtf8 } from 'node:buffer';
import path from 'node:path';
import { formatList, LINE_FEED } from '../lib/text.ts';
import { plural } from '../lib/units.ts';
import type { DecodeOptions } from '../model/decode-options.ts';
import type { FastReader } from '../model/fast-reader.ts';
import {
  formatTraits,
  type InputFormat,
  inputFormats,
  type PackedTable,
  type SheetTable,
} from '../model/input-format.ts';
import { ProblemError } from '../model/problem.ts';
import { isRejectsFile, REJECTS_HEADER, rejectsFormat } from '../model/rejects-file.ts';
import type { BrokenRow, Content, Issue, Position, ReadPosition, Row } from '../model/row.ts';
import { csv } from './csv.ts';
import { delimiterName } from './csv-layout.ts';
import {
  bytesOf,
  type DetectedInput,
  type Format,
  type Head,
  type RowBlock,
  type RowBounds,
  type RowSlice,
  type TransformRows,
} from './decode-types.ts';
import { isWhite, readHead } from './encoding.ts';
import { json } from './json.ts';
import { hasCarriageReturnLineEnds, LineScanner, withLineFeeds } from './line-scanner.ts';
import { ndjson } from './ndjson.ts';
import { parquet } from './parquet.ts';
import { boundsIssue, rawRow, transcode, undecodableIssue } from './transcode.ts';
import { readMarked, xlsx } from './xlsx.ts';

const formats: Readonly<Record<InputFormat, Format>> = { ndjson, xlsx, json, parquet, csv };

const HEAD_BLOCK_BYTES = 16 * 1024;

const SHEETS_SHOWN = 10;

/**
 * The format comes from the option, the file name or the first characters, in this order. A guessed encoding is no error here:
 * the caller asks the user, or throws the problem of `guessProblem`.
 *
 * @throws ProblemError `input.empty`, `input.encoding`, `input.binary`, `input.header`, `input.format`,
 * `input.delimiter`, `option.encoding`, `option.delimiter`, `option.quote`, `option.header_line`.
 */
export function detectInput(
  input: {
    readonly name: string;
    readonly head: Buffer;
    readonly headIsWhole: boolean;
    readonly table?: PackedTable | undefined;
  },
  given: DecodeOptions,
): DetectedInput {
  const { name, table } = input;
  if (table?.format === 'parquet' && table.columns !== undefined) {
    const { columns } = table;
    const description = ['Parquet', plural(columns.length, 'column')];
    const body = { byte: 0, line: 1 };
    return { name, format: 'parquet', encoding: 'utf-8', hasReturns: false, columns, body, description };
  }
  const head = readHead(input, table === undefined ? given.encoding : 'utf-8');
  const { bytes, encodingName, guessed, alsoUtf8 } = head;
  const own = table === undefined ? rejectsOptions(bytes.toString('latin1', 0, 200)) : undefined;
  const options = { ...given, ...own };
  const format = table?.format ?? options.format ?? formatOf(head);
  const { title, isText, hasCells } = formatTraits[format];
  checkHeaderOptions(name, options, hasCells ? undefined : title);
  const hasReturns = hasCarriageReturnLineEnds(bytes, format === 'csv' ? (options.quote ?? '"') : '');
  const withFeeds = hasReturns ? withLineFeeds(bytes) : bytes;
  const lines = linesOf(withFeeds, head, formats[format]);
  const { notes = [], ...found } = formats[format].detect({ ...head, bytes: lines }, options);
  const description = [
    title,
    ...(table?.format === 'xlsx' ? [describeSheet(table)] : []),
    ...(found.delimiter === undefined ? [] : [delimiterName(found.delimiter)]),
    ...(isText ? [head.encoding] : []),
    ...(own === undefined ? [] : ['rejects of an upload']),
    ...notes,
    plural(found.columns.length, 'column'),
    ...(hasReturns ? ['lines ended by carriage returns'] : []),
  ];
  return { ...found, format, description, name, encoding: encodingName, hasReturns, guessed, alsoUtf8 };
}

/** A rejects file can be uploaded with the options of its run, which are about another file. */
function rejectsOptions(start: string): Partial<DecodeOptions> | undefined {
  const format = rejectsFormat(start);
  if (format !== 'csv') return format && { format, headerLine: undefined };
  return { format, delimiter: REJECTS_HEADER.exec(start)?.[1], quote: '"', header: true, headerLine: 1 };
}

function checkHeaderOptions(name: string, { header, headerLine }: DecodeOptions, withoutHeader?: string): void {
  if (headerLine === undefined || (header && withoutHeader === undefined)) return;
  throw new ProblemError({
    code: 'option.header_line',
    message:
      withoutHeader === undefined
        ? '--header-line names the line of the header, but --no-header says there is none.'
        : `--header-line does not apply to '${name}': ${withoutHeader} has no header.`,
    where: name,
    hint: 'Omit one of them, or read the file as CSV with `--format csv`.',
  });
}

function formatOf({ name, bytes }: Head): InputFormat {
  const first = bytes.findIndex((byte) => !isWhite(byte));
  const start = bytes.toString('latin1', Math.max(first, 0), first + 200);
  const recognised = inputFormats.find((format) => formats[format].recognises(start)) ?? 'csv';
  const extension = path.extname(name.replace(/\.gz$/i, '')).toLowerCase();
  const named = inputFormats.find(
    (format) => formatTraits[format].isText && formatTraits[format].extensions.includes(extension),
  );
  // Many programs write NDJSON to a file named .json.
  return named === undefined || (named === 'json' && recognised === 'ndjson') ? recognised : named;
}

export function describeSheet({ sheet, otherSheets }: SheetTable): string {
  const names = otherSheets.map(({ name, hidden }) => `"${name}"${hidden ? ' (hidden)' : ''}`);
  const unread = formatList(names, '', SHEETS_SHOWN);
  return otherSheets.length === 0
    ? `sheet "${sheet}"`
    : `sheet "${sheet}" (not read: ${unread}; --sheet reads another)`;
}

/**
 * The text of an input as UTF-8 with line feeds, and with one element of a JSON array on a line. Positions of its rows are
 * offsets in it.
 *
 * @param whole whether the chunks end where the input ends
 * @throws ProblemError as {@link Format.lines} does
 */
export async function* decodedText(
  chunks: AsyncIterable<Uint8Array>,
  { name, format, encoding, hasReturns }: DetectedInput,
  whole = true,
): AsyncGenerator<Uint8Array> {
  const text = encoding === 'utf-8' ? chunks : transcode(chunks, encoding);
  const maker = formats[format].lines?.(name);
  for await (const chunk of text) {
    const withFeeds = hasReturns ? withLineFeeds(chunk) : chunk;
    yield maker === undefined ? withFeeds : maker.push(withFeeds);
  }
  if (whole) maker?.end();
}

function linesOf(bytes: Buffer, { name, whole }: Head, { lines: toLines }: Format): Buffer {
  const maker = toLines?.(name);
  if (maker === undefined) return bytes;
  const lines = maker.push(bytes);
  if (whole) maker.end();
  return lines;
}

/** Whether decoding changes the size of a text. */
export function isResized({ format, encoding }: Pick<DetectedInput, 'format' | 'encoding'>): boolean {
  return encoding !== 'utf-8' || formats[format].lines !== undefined;
}

export interface DecodeInput {
  readonly source: number;
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly detected: DetectedInput;
  /** Where to begin: the start of a row. Default: after the header. */
  readonly from?: ReadPosition | undefined;
  /** Whether the chunks end where the input ends (default: true). If not, an unfinished last row is left out. */
  readonly whole?: boolean | undefined;
  /** Whether few rows are read, to look at them. */
  readonly isHead?: boolean | undefined;
  /** Reads the rows that it understands. Blocks then hold the other rows, and their cursors show its progress. */
  readonly fastReader?: FastReader | undefined;
}

/**
 * The rows of an input in blocks. The last cursor is the input's end; an input that ends after its header gives no block.
 *
 * Rejects if `chunks` does, and as {@link decodedText} does.
 */
export async function* decode(input: DecodeInput, options: DecodeOptions): AsyncGenerator<RowBlock> {
  const { detected, from = { rows: 0, ...detected.body }, whole = true } = input;
  const reader = new BlockReader(input, options, from);
  let bytesToSkip = from.byte;
  for await (const chunk of decodedText(input.chunks, detected, whole)) {
    const skipped = Math.min(bytesToSkip, chunk.length);
    bytesToSkip -= skipped;
    if (skipped === chunk.length) continue;
    yield* reader.push(Buffer.from(chunk.buffer, chunk.byteOffset + skipped, chunk.length - skipped));
  }
  yield* reader.end(whole);
}

export interface HeadInput {
  readonly source: { readonly head: Buffer; readonly headIsWhole: boolean };
  readonly detected: DetectedInput;
  readonly transform?: TransformRows | undefined;
}

/** The rows of an input's head that `select` takes, and what the transform makes of each. Consumes nothing. */
export async function* headRows(
  { source: { head, headIsWhole }, detected, transform }: HeadInput,
  options: DecodeOptions,
  select: (rows: RowBlock['rows']) => RowBlock['rows'],
  source = 0,
): AsyncGenerator<{ readonly row: Row | BrokenRow; readonly given: Row | BrokenRow | undefined }> {
  const chunks = (async function* () {
    for (let at = 0; at < head.length; at += HEAD_BLOCK_BYTES) yield head.subarray(at, at + HEAD_BLOCK_BYTES);
  })();
  for await (const block of decode({ source, chunks, detected, whole: headIsWhole, isHead: true }, options)) {
    const rows = select(block.rows);
    const given = transform === undefined ? rows : await transform(rows);
    for (const [index, row] of rows.entries()) yield { row, given: given[index] };
  }
}

/** Of a row that {@link decode} has parsed before: its text where decode keeps that, else its content. */
export function readRow(bytes: Buffer, detected: DetectedInput, options: DecodeOptions): Content | string {
  const [parsed] = formats[detected.format].parse([bytes], detected, options);
  if (parsed === undefined || !('content' in parsed)) {
    throw new TypeError('a row that parsed before does not parse again');
  }
  return parsed.text ?? parsed.content;
}

export function isBroken(row: Row | BrokenRow): row is BrokenRow {
  return 'issue' in row;
}

/** Longest unfinished row that waits for the next chunk. A longer one is left to the reference path. */
const CARRY_BYTES = 64 * 1024;
/** Bytes given to the fast reader at a time, so that the caller can do other work in between. */
const FAST_BYTES = 128 * 1024;
const REFERENCE_BYTES = 64 * 1024;
const MAX_LINES = 4096;
/**
 * The fast reader reads the rows that it understands, and the reference path the others, or all without it. They switch only between
 * rows, so the output is the same. The reference path is slow to start, so each time it is needed again soon it reads more lines.
 */
class BlockReader {
  readonly #input: DecodeInput;
  readonly #options: DecodeOptions;
  readonly #format: Format;
  /** Whether it is a rejects file of a workbook or of CSV. */
  readonly #isMarked: boolean;
  #position: ReadPosition;
  /** A copy of the unfinished row: the chunk's memory may be reused. */
  #carry: Buffer | undefined;
  /** The reference path's scanner while it is its turn. */
  #scanner: LineScanner | undefined;
  /** Offset after the last byte that the scanner was given. */
  #scannedTo = 0;
  /** Lines that the reference path still reads in this turn, and how many it was given. */
  #linesLeft = Number.POSITIVE_INFINITY;
  #turnLines = 1;

  constructor(input: DecodeInput, options: DecodeOptions, from: ReadPosition) {
    this.#input = input;
    this.#options = options;
    this.#format = formats[input.detected.format];
    this.#isMarked = isRejectsFile(input.detected.columns);
    this.#position = from;
  }

  *push(chunk: Buffer): Generator<RowBlock> {
    for (const part of this.#carry === undefined ? [chunk] : splitAfterFirstLine(chunk)) {
      const bytes: Buffer = this.#carry === undefined ? part : Buffer.concat([this.#carry, part]);
      this.#carry = undefined;
      yield* this.#read(bytes);
    }
  }

  *end(whole: boolean): Generator<RowBlock> {
    // The rest may still hold whole rows, for example after a quote that never closes.
    if (this.#carry !== undefined) {
      this.#scanner = this.#startScan();
      yield* this.#blockOf(this.#scanner.push(this.#carry));
    }
    if (whole && this.#scanner !== undefined) yield* this.#blockOf(this.#scanner.end());
  }

  *#read(bytes: Buffer): Generator<RowBlock> {
    const { fastReader } = this.#input;
    for (let at = 0, size = FAST_BYTES; at < bytes.length; ) {
      if (this.#scanner === undefined && fastReader !== undefined) {
        const end = Math.min(at + size, bytes.length);
        const before = this.#position;
        const read = fastReader.read(bytes.subarray(0, end), at, before);
        const rows = read.rows - before.rows;
        size = read.needsMoreBytes && rows === 0 ? 2 * size : FAST_BYTES;
        at += read.byte - before.byte;
        if (read.byte > before.byte) {
          this.#position = { rows: read.rows, line: read.line, byte: read.byte };
          yield { rows: [], fastRows: rows, cursor: this.#position };
        }
        if (at === bytes.length) return;
        if (read.needsMoreBytes && end < bytes.length) continue;
        if (read.needsMoreBytes && bytes.length - at <= CARRY_BYTES) {
          this.#carry = Buffer.from(bytes.subarray(at));
          return;
        }
        // The turn gets longer each time it is needed, and shorter by the rows that the fast reader read before it.
        this.#turnLines = Math.min(Math.max(1, this.#turnLines * 2 - rows), MAX_LINES);
        this.#linesLeft = this.#turnLines;
        this.#scannedTo = this.#position.byte;
      }
      this.#scanner ??= this.#startScan();
      at += yield* this.#scan(this.#scanner, bytes.subarray(at, at + REFERENCE_BYTES));
    }
  }

  #startScan(): LineScanner {
    const { delimiter, quote } = this.#input.detected;
    const { maxRowBytes } = this.#options;
    return new LineScanner({ delimiter, quote, maxRowBytes, start: this.#position });
  }

  /** Gives the reference path the lines of its turn. Returns how many bytes those are. */
  *#scan(scanner: LineScanner, bytes: Buffer): Generator<RowBlock, number> {
    const { end, count } = findLineEnds(bytes, Math.max(1, this.#linesLeft));
    this.#linesLeft -= count;
    this.#scannedTo += end;
    const slice = scanner.push(bytes.subarray(0, end));
    // The turn can end only where the scanner holds no unfinished row.
    if (this.#linesLeft <= 0 && slice.end === this.#scannedTo) this.#scanner = undefined;
    yield* this.#blockOf(slice);
    return end;
  }

  *#blockOf(slice: RowSlice): Generator<RowBlock> {
    if (slice.end <= this.#position.byte) return;
    const rows = this.#rowsOf(slice);
    this.#position = { rows: this.#position.rows + rows.length, line: slice.line, byte: slice.end };
    yield { rows, fastRows: 0, cursor: this.#position };
  }

  #rowsOf(slice: RowSlice): (Row | BrokenRow)[] {
    const { source, detected, isHead = false } = this.#input;
    const { parse, parseHead = parse, restore = (row) => row } = this.#format;
    const isText = isUtf8(slice.bytes);
    const found = slice.rows.map((bounds) => {
      const bytes = restore(bytesOf(slice, bounds));
      return { bounds, bytes, issue: this.#issueOf(bytes, bounds, isText) };
    });
    const sound = found.flatMap(({ bytes, issue }) => (issue === undefined ? [bytes] : []));
    const parsed = (isHead ? parseHead : parse)(sound, detected, this.#options).values();
    const rows: (Row | BrokenRow)[] = [];
    for (const { bounds, bytes, issue } of found) {
      const result = issue === undefined ? parsed.next().value : { issue };
      if (result === undefined) continue;
      const { start, end, line, nextLine } = bounds;
      const row = this.#position.rows + rows.length + 1;
      const position: Position = { source, line, nextLine, row, start, end };
      if ('content' in result) {
        rows.push({ position, ...(this.#isMarked ? readMarked(result, detected.columns) : result) });
      } else if (result.cells === undefined) rows.push({ position, ...rawRow(bytes, bounds, result.issue) });
      else rows.push({ position, issue: result.issue, raw: result.cells });
    }
    return rows;
  }

  /** Why a row cannot be parsed. @param isText whether all rows of its slice are UTF-8 */
  #issueOf(row: Buffer, bounds: RowBounds, isText: boolean): Issue | undefined {
    if (bounds.problem !== undefined) return boundsIssue(row, bounds, this.#options.maxRowBytes);
    return isText || isUtf8(row) ? undefined : undecodableIssue(row, this.#input.detected.encoding);
  }
}

function splitAfterFirstLine(bytes: Buffer): readonly Buffer[] {
  const end = bytes.indexOf(LINE_FEED) + 1;
  return end === 0 || end === bytes.length ? [bytes] : [bytes.subarray(0, end), bytes.subarray(end)];
}

/** The index after the `max`th line feed, or after the last byte, and how many line feeds are before it. */
function findLineEnds(bytes: Buffer, max: number): { readonly end: number; readonly count: number } {
  if (max === Number.POSITIVE_INFINITY) return { end: bytes.length, count: 0 };
  let end = 0;
  for (let count = 0; count < max; count += 1) {
    const feed = bytes.indexOf(LINE_FEED, end);
    if (feed < 0) return { end: bytes.length, count };
    end = feed + 1;
  }
  return { end, count: max };
}
