/**
 * Bytes to rows. Takes an input's head and chunks of bytes; gives its detected format and encoding, and blocks of rows
 * and broken rows. A new format is one file, one line in `formats`, and its name in model/input-format.ts, where
 * the rest is told. May import model, lib and csv-parse.
 *
 * Text is transcoded to UTF-8 first, and every position is an offset in that text. Each row comes out once, in order;
 * blank lines do not count. Memory is bounded by the longest row allowed.
 */
import { isUtf8 } from 'node:buffer';
import path from 'node:path';
import { isRejectsFile } from '../lib/rejects-columns.ts';
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
import type { Position, ReadPosition } from '../model/position.ts';
import type { BrokenRow, Content, Issue, Row } from '../model/row.ts';
import { csv } from './csv.ts';
import { isWhite, readHead } from './encoding.ts';
import { readMarked } from './error-cells.ts';
import type { DetectedInput, Format, Head, ParseRows, RowBlock } from './format.ts';
import { readBlocks } from './handoff.ts';
import { json } from './json.ts';
import { ndjson } from './ndjson.ts';
import { parquet, parquetColumns } from './parquet.ts';
import { bytesOf, type RowBounds, type RowSlice } from './row-bounds.ts';
import { transcode } from './transcode.ts';
import { excerptOfBytes, rawText, undecodableIssue } from './utf8-text.ts';
import { xlsx } from './xlsx.ts';

export type { DecodeOptions } from '../model/decode-options.ts';
export { guessProblem } from './encoding-guess.ts';
export type { DetectedInput, EncodingGuess, RowBlock } from './format.ts';

const formats: Readonly<Record<InputFormat, Format>> = { csv, ndjson, json, xlsx, parquet };

/** Bytes of a head scanned at a time: callers want its first rows, rarely all of them. */
const HEAD_BLOCK_BYTES = 16 * 1024;

/**
 * Detects the encoding and the format of an input. The format comes from the option, the file name or the first characters,
 * in this order. A guessed encoding (`guessed`) is not an error here: the caller asks the user, or throws
 * {@link guessProblem}.
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
  options: DecodeOptions,
): DetectedInput {
  const { table } = input;
  if (table?.format === 'parquet' && table.columns !== undefined) return parquetColumns(input.name, table.columns);
  const head = readHead(input, table === undefined ? options.encoding : 'utf-8');
  // The bytes are already decompressed: `in.csv.gz` is CSV.
  const extension = path.extname(head.name.replace(/\.(?:gz|br|zst)$/i, '')).toLowerCase();
  const named = inputFormats.find(
    (name) => formatTraits[name].isText && formatTraits[name].extensions.includes(extension),
  );
  // Many programs write NDJSON to a file named .json.
  const isMisnamed = named === 'json' && formatOf(head) === 'ndjson';
  const format = table?.format ?? options.format ?? (isMisnamed ? 'ndjson' : named) ?? formatOf(head);
  const { name, encodingName, guessed, alsoUtf8 } = head;
  const found = formats[format].detect(head, options);
  const isSheet = table !== undefined && 'sheet' in table;
  const description = isSheet ? describeSheet(table, found.description) : found.description;
  return { ...found, description, name, encoding: encodingName, guessed, alsoUtf8 };
}

/** Names the other sheets, so that none is overlooked. */
function describeSheet({ sheet, otherSheets }: SheetTable, [format = '', ...others]: readonly string[]): string[] {
  const names = otherSheets.slice(0, SHEETS_SHOWN).map(({ name, hidden }) => `"${name}"${hidden ? ' (hidden)' : ''}`);
  const more = otherSheets.length - names.length;
  const unread = [...names, ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
  return [
    format,
    otherSheets.length === 0 ? `sheet "${sheet}"` : `sheet "${sheet}" (not read: ${unread}; --sheet reads another)`,
    ...others,
  ];
}

/** Names of other sheets in the description. */
const SHEETS_SHOWN = 10;

function formatOf({ bytes }: Head): InputFormat {
  const first = bytes.findIndex((byte) => !isWhite(byte));
  const text = bytes.toString('latin1', Math.max(first, 0), first + 200);
  if (text.startsWith('{')) return 'ndjson';
  // The copy of a workbook from a pipe holds the text of its sheet.
  if (/^\["/.test(text)) return 'xlsx';
  return /^\[\s*[{[\]]/.test(text) ? 'json' : 'csv';
}

/** The text of an input as UTF-8. Positions of its rows are offsets in it. */
export function textOf(
  chunks: AsyncIterable<Uint8Array>,
  { encoding }: Pick<DetectedInput, 'encoding'>,
): AsyncIterable<Uint8Array> {
  return encoding === 'utf-8' ? chunks : transcode(chunks, encoding);
}

export interface DecodeInput {
  /** Index of the input in the run. */
  readonly source: number;
  /** All bytes of the input from offset 0, cut anywhere. */
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly detected: DetectedInput;
  /** Where to begin: the start of a row. Default: after the header. */
  readonly from?: ReadPosition | undefined;
  /**
   * Whether the chunks end where the input ends (default: true). If not (a head, a pipe that broke off), an unfinished
   * last row is left out.
   */
  readonly whole?: boolean | undefined;
  /** Reads the rows that it understands. Blocks then hold the other rows, and their cursors show its progress. */
  readonly fastReader?: FastReader | undefined;
}

/**
 * Reads the rows of an input in blocks, in order. The last cursor is the input's end; an input that ends after its
 * header gives no block.
 *
 * Rejects if `chunks` does, and with a ProblemError `input.failed` if a JSON array is not closed or if anything
 * follows it.
 */
export function decode(input: DecodeInput, options: DecodeOptions): AsyncGenerator<RowBlock> {
  return decodeBy(formats[input.detected.format].parse, input, options);
}

/** Reads the rows of an input's head like {@link decode}, without consuming the input. */
export function decodeHead(
  source: number,
  { head, headIsWhole }: { readonly head: Buffer; readonly headIsWhole: boolean },
  detected: DetectedInput,
  options: DecodeOptions,
): AsyncGenerator<RowBlock> {
  const chunks = (async function* () {
    for (let at = 0; at < head.length; at += HEAD_BLOCK_BYTES) yield head.subarray(at, at + HEAD_BLOCK_BYTES);
  })();
  const { parseHead, parse } = formats[detected.format];
  return decodeBy(parseHead ?? parse, { source, chunks, detected, whole: headIsWhole }, options);
}

function decodeBy(parse: ParseRows, input: DecodeInput, options: DecodeOptions): AsyncGenerator<RowBlock> {
  const { source, detected, from = { rows: 0, ...detected.body }, whole = true, fastReader } = input;
  return readBlocks(textOf(input.chunks, detected), from, whole, {
    fastReader,
    startScan: ({ byte, line }) =>
      formats[detected.format].createScanner({ ...detected, body: { byte, line } }, options),
    readBlock(slice, { rows: before }) {
      const rows = rowsOf(slice, source, before, parse, detected, options);
      return { rows, fastRows: 0, cursor: { rows: before + rows.length, line: slice.line, byte: slice.end } };
    },
  });
}

/**
 * Parses the bytes of one row that {@link decode} has parsed before: its text where decode keeps that, else its content.
 * Throws a TypeError if the row does not parse.
 */
export function readRow(bytes: Buffer, detected: DetectedInput, options: DecodeOptions): Content | string {
  const bounds: RowBounds = { start: 0, end: bytes.length, line: 1, nextLine: 2 };
  const slice: RowSlice = { bytes, offset: 0, rows: [bounds], end: bytes.length, line: 2 };
  const [parsed] = formats[detected.format].parse(slice, [bounds], detected, options);
  if (parsed === undefined || !('content' in parsed)) {
    throw new TypeError('a row that parsed before does not parse again');
  }
  return parsed.text ?? parsed.content;
}

export function isBroken(row: Row | BrokenRow): row is BrokenRow {
  return 'issue' in row;
}

/** Parses the well-formed rows of a slice together, and gives each other row its issue. */
function rowsOf(
  slice: RowSlice,
  source: number,
  before: number,
  parse: ParseRows,
  detected: DetectedInput,
  options: DecodeOptions,
): (Row | BrokenRow)[] {
  const wellFormed = slice.rows.filter((row) => row.problem === undefined && isUtf8(bytesOf(slice, row)));
  const parsed = parse(slice, wellFormed, detected, options);
  const rows: (Row | BrokenRow)[] = [];
  const isMarked = isRejectsFile(detected.columns);
  let next = 0;
  for (const bounds of slice.rows) {
    const isWellFormed = wellFormed[next] === bounds;
    const result = isWellFormed ? parsed[next] : { issue: issueOf(slice, bounds, options, detected.encoding) };
    if (isWellFormed) next += 1;
    if (result === undefined) continue;
    const { start, end, line, nextLine } = bounds;
    const position: Position = { source, line, nextLine, row: before + rows.length + 1, start, end };
    if ('content' in result) rows.push({ position, ...(isMarked ? readMarked(result, detected.columns) : result) });
    else {
      const cells = 'cells' in result ? result.cells : undefined;
      rows.push({ position, issue: result.issue, raw: cells ?? rawText(bytesOf(slice, bounds)) });
    }
  }
  return rows;
}

function issueOf(slice: RowSlice, row: RowBounds, { maxRowBytes }: DecodeOptions, encoding: string): Issue {
  const { problem } = row;
  const bytes = bytesOf(slice, row);
  if (problem === undefined) return undecodableIssue(bytes, encoding);
  if (problem.kind === 'size') {
    const limit = plural(maxRowBytes, 'byte');
    return {
      code: 'size',
      found: `a row of more than ${limit}`,
      expected: `at most ${limit}`,
      hint: '`--max-row-bytes` allows longer rows.',
    };
  }
  const found = excerptOfBytes(bytes.subarray(Math.max(0, (problem.at ?? row.start) - row.start)));
  if (problem.kind === 'open') {
    const hint = 'Close the quote. If it is text, quote the cell and double it: "5"" disk".';
    return { code: 'quote', found, expected: 'a closing quote', hint };
  }
  const hint = 'Double a quote that is text inside a quoted cell: "the ""big"" one".';
  return { code: 'quote', found, expected: 'the delimiter or the end of the line after a closing quote', hint };
}
