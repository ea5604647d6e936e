/**
 * Bytes to rows. A new format is one file, and one line in the table below (and its name in FormatName).
 *
 * The bytes are decoded to UTF-8 first (transcode.ts), and all positions are offsets of that text: for an input in
 * UTF-8, offsets of the input itself. Every row of an input comes out once, in order, as a row or as a broken row with its reason; blank lines do
 * not count. Memory is bounded by the longest row allowed, whatever the input.
 */
import { isUtf8 } from 'node:buffer';
import type { FastReader } from '../model/fast-reader.ts';
import type { BrokenRow, Content, Issue, Position, ReadPosition, Row } from '../model/row.ts';
import { csv } from './csv.ts';
import { detectInputIn } from './detect-format.ts';
import { encodingNamed } from './encoding-labels.ts';
import type { DecodeOptions, DetectedInput, Format, FormatName, ParsedRow, RowBlock } from './format.ts';
import { decodeWithFastReader } from './handoff.ts';
import { json } from './json.ts';
import { ndjson } from './ndjson.ts';
import type { BoundsProblem, RowBounds, RowScanner, RowSlice } from './row-bounds.ts';
import { transcodeAll } from './transcode.ts';
import { count, excerpt, rawText, undecodableIssue } from './utf8-text.ts';

export { guessProblem } from './encoding.ts';
export type { DecodeOptions, DetectedInput, EncodingGuess, RowBlock } from './format.ts';

const formats: Readonly<Record<FormatName, Format>> = { csv, ndjson, json };

/** How many bytes are looked at in one go. */
const BLOCK_BYTES = 64 * 1024;

/** The same for a head: whoever looks at one wants its first rows, and seldom all. */
const LOOK_BYTES = 16 * 1024;

/**
 * Detects an input's encoding and format from its head. An encoding that is only guessed (`guessed`) is no
 * problem here: whoever plans the run asks, or refuses with {@link guessProblem}.
 *
 * @throws ProblemError `input.empty`, `input.encoding`, `input.binary`, `input.header`, `input.format`,
 * `input.delimiter`, `option.encoding`, `option.delimiter`, `option.quote`, `option.header_line`.
 */
export function detectInput(
  input: { readonly name: string; readonly head: Buffer; readonly headIsWhole: boolean },
  options: DecodeOptions,
): DetectedInput {
  return detectInputIn(formats, input, options);
}

/** The text of an input as UTF-8: what the positions of its rows count. */
export function textOf(
  chunks: AsyncIterable<Uint8Array>,
  detected: Pick<DetectedInput, 'encoding'>,
): AsyncIterable<Uint8Array> {
  const encoding = encodingNamed(detected.encoding);
  return encoding.kind === 'utf-8' ? chunks : transcodeAll(chunks, encoding);
}

/**
 * Reads the rows of an input.
 *
 * @param source index of the input in the run.
 * @param chunks all bytes of the input, from offset 0, cut anywhere.
 * @param from where to begin instead of behind the header: the beginning of a row, and how many rows lie before it.
 * @param whole whether the end of the chunks is the input's own end. Where a pipe broke off, and of a head, a last row
 *   that has not ended is left out: nobody can say what it was to become.
 * @param fastReader takes the rows that it understands away; blocks hold the others, and say how far it came.
 * @returns blocks of rows in order; the last one's cursor stands at the input's end. An input that ends with its
 * header gives no block. Rejects where `chunks` does, and with a ProblemError `input.failed` where a JSON array is
 * not closed or not all there is.
 */
export function decode(
  source: number,
  chunks: AsyncIterable<Uint8Array>,
  detected: DetectedInput,
  options: DecodeOptions,
  from: ReadPosition = { rows: 0, ...detected.body },
  whole = true,
  fastReader?: FastReader,
): AsyncGenerator<RowBlock> {
  const { parse } = formats[detected.format];
  return decodeBy(parse, source, chunks, detected, options, from, whole, fastReader);
}

async function* decodeBy(
  read: Format['parse'],
  source: number,
  chunks: AsyncIterable<Uint8Array>,
  detected: DetectedInput,
  options: DecodeOptions,
  from: ReadPosition,
  whole: boolean,
  fastReader?: FastReader,
): AsyncGenerator<RowBlock> {
  const format = formats[detected.format];
  const scanFrom = ({ byte, line }: ReadPosition): RowScanner =>
    format.createScanner({ ...detected, body: { byte, line } }, options, detected.name);

  const blockOf = (slice: RowSlice, { rows: before }: ReadPosition): RowBlock => {
    const parse = (healthy: readonly RowBounds[]): ParsedRow[] => read(slice, healthy, detected, options);
    const rows = rowsOf(slice, source, before, parse, options, detected.encoding);
    return { rows, cursor: { rows: before + rows.length, line: slice.line, byte: slice.end } };
  };

  const text = textOf(chunks, detected);
  if (fastReader !== undefined) {
    yield* decodeWithFastReader(text, from, whole, { fastReader, startScan: scanFrom, readBlock: blockOf });
    return;
  }
  const scan = scanFrom(from);
  let place = from;
  let ahead = from.byte;
  for await (const chunk of text) {
    const skip = Math.min(ahead, chunk.length);
    ahead -= skip;
    for (let start = skip; start < chunk.length; start += BLOCK_BYTES) {
      const slice = scan.push(chunk.subarray(start, start + BLOCK_BYTES));
      if (slice.end <= place.byte) continue;
      const block = blockOf(slice, place);
      place = block.cursor;
      yield block;
    }
  }
  if (!whole) return;
  const slice = scan.end();
  if (slice.end > place.byte) yield blockOf(slice, place);
}

/**
 * Reads the rows of an input's head alone, as {@link decode} gives them: nothing is consumed. A last row that the head
 * may have torn is left out.
 */
export function decodeHead(
  source: number,
  { head, headIsWhole }: { readonly head: Buffer; readonly headIsWhole: boolean },
  detected: DetectedInput,
  options: DecodeOptions,
): AsyncGenerator<RowBlock> {
  const chunks = (async function* () {
    for (let at = 0; at < head.length; at += LOOK_BYTES) yield head.subarray(at, at + LOOK_BYTES);
  })();
  const { parseHead: look, parse } = formats[detected.format];
  const from = { rows: 0, ...detected.body };
  return decodeBy(look ?? parse, source, chunks, detected, options, from, headIsWhole);
}

/**
 * One row that is known to be good, from its bytes: its text where {@link decode} keeps that, else its content.
 * Throws where it is not good.
 */
export function readRow(bytes: Buffer, detected: DetectedInput, options: DecodeOptions): Content | string {
  const format = formats[detected.format];
  const span: RowBounds = { start: 0, end: bytes.length, line: 1, nextLine: 2 };
  const slice: RowSlice = { bytes, offset: 0, rows: [span], end: bytes.length, line: 2 };
  const [parsed] = format.parse(slice, [span], detected, options);
  if (parsed === undefined || !('content' in parsed))
    throw new TypeError('a row that was good is not any more');
  return parsed.text ?? parsed.content;
}

export function isBroken(row: Row | BrokenRow): row is BrokenRow {
  return 'issue' in row;
}

function rowsOf(
  slice: RowSlice,
  source: number,
  before: number,
  parse: (healthy: readonly RowBounds[]) => ParsedRow[],
  options: DecodeOptions,
  encoding: string,
): (Row | BrokenRow)[] {
  const clean = isUtf8(spanned(slice));
  const isHealthy = (span: RowBounds): boolean =>
    span.problem === undefined && (clean || isUtf8(bytesOf(slice, span)));
  const healthy = slice.rows.filter(isHealthy);
  const parsed = parse(healthy);
  let next = 0;
  return slice.rows.map((span, index) => {
    const { start, end, line, nextLine } = span;
    const position: Position = { source, line, nextLine, row: before + index + 1, start, end };
    let result: ParsedRow | undefined;
    if (healthy[next] === span) {
      result = parsed[next];
      next += 1;
    }
    if (result !== undefined && 'content' in result) return { position, ...result };
    const bytes = bytesOf(slice, span);
    const issue = result?.issue ?? issueOf(span, bytes, options, encoding);
    return { position, issue, raw: rawText(bytes) };
  });
}

/** Bytes from the first row that is held to the last. */
function spanned(slice: RowSlice): Buffer {
  const held = slice.rows.filter((row) => row.problem?.excerpt === undefined);
  const first = held[0];
  const last = held.at(-1);
  if (first === undefined || last === undefined) return slice.bytes.subarray(0, 0);
  return slice.bytes.subarray(first.start - slice.offset, last.end - slice.offset);
}

function bytesOf(slice: RowSlice, span: RowBounds): Buffer {
  return span.problem?.excerpt ?? slice.bytes.subarray(span.start - slice.offset, span.end - slice.offset);
}

function issueOf(span: RowBounds, bytes: Buffer, options: DecodeOptions, encoding: string): Issue {
  return span.problem === undefined
    ? undecodableIssue(bytes, span.start, encoding)
    : boundsIssue(span.problem, span, bytes, options);
}

function boundsIssue(problem: BoundsProblem, span: RowBounds, bytes: Buffer, options: DecodeOptions): Issue {
  if (problem.kind === 'size') {
    return {
      code: 'size',
      found: `a row of more than ${count(options.maxRowBytes, 'byte')}`,
      expected: `at most ${count(options.maxRowBytes, 'byte')}`,
      hint: '`--max-row-bytes` allows longer rows.',
    };
  }
  const found = excerpt(bytes.subarray(Math.max(0, (problem.at ?? span.start) - span.start)));
  if (problem.kind === 'open') {
    return {
      code: 'quote',
      found,
      expected: 'a quote that closes',
      hint: 'Close the quote. Where it is text, put the cell in quotes and double it: "5"" disk".',
    };
  }
  return {
    code: 'quote',
    found,
    expected: "the delimiter or the line's end behind a closing quote",
    hint: 'Double a quote that is text inside a quoted cell: "the ""big"" one".',
  };
}
