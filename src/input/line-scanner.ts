/**
 * Finds where the rows of a text begin and end, over UTF-8, wherever the chunks are cut. The fast path follows the same rules:
 * RFC 4180, with these decisions where it is silent.
 * - A line feed ends a row; a carriage return before it belongs to the line end. A lone carriage return is data.
 * - A quote opens only as the first byte of a cell. Elsewhere in an unquoted cell it is data.
 * - Text after a closing quote breaks the row, which ends with that line. But if that quote is on a later line and at the
 *   beginning of a cell, it opens a cell, and an earlier quote was left open: one missing quote must not also cost the row after it.
 * - A quote left open (to the end of the input, for more than `maxRowBytes`, or as above) breaks only the line on which
 *   its row starts. Scanning continues on the next line.
 * - A row of more than `maxRowBytes` before its line feed is broken and ends with its line.
 *
 * Memory: at most `maxRowBytes` and one chunk, doubled.
 */
import { grown, type Memory } from '../lib/buffers.ts';
import { LINE_FEED } from '../lib/text.ts';
import type { BoundsProblem, RowBounds, RowSlice, TextPosition } from './decode-types.ts';
import { EXCERPT_BYTES, withoutCutCharacter } from './transcode.ts';

/** What separates and quotes cells. Without a quote, every line end ends a row. */
export interface Dialect {
  /** One ASCII character. */
  readonly delimiter?: string | undefined;
  /** One ASCII character. Absent or empty if there is no quoting. */
  readonly quote?: string | undefined;
}

export interface LineScannerOptions extends Dialect {
  readonly maxRowBytes: number;
  readonly start: TextPosition;
}

const TAB = 0x09;
const RETURN = 0x0d;
const SPACE = 0x20;

const OTHER = 0;
const DELIMITER = 1;
const QUOTE = 2;
const CARRIAGE_RETURN = 3;
const LINE_END = 4;

/** States: what comes before the next byte of a row. */
const CELL = 0; // nothing of its cell
const PLAIN = 1; // a part of an unquoted cell
const QUOTED = 2; // a part of a quoted cell
const CLOSED = 3; // a quote in a quoted cell: closed, or half of a doubled quote
const CLOSED_RETURN = 4; // that and a carriage return
const BROKEN = 5; // text after a closing quote: skip to the line end

/** The state after a byte, by state and kind of byte. A line end outside quotes ends the row. */
const NEXT: readonly Uint8Array[] = [
  // OTHER, DELIMITER, QUOTE, CARRIAGE_RETURN, LINE_END
  Uint8Array.of(PLAIN, CELL, QUOTED, PLAIN, CELL), // CELL
  Uint8Array.of(PLAIN, CELL, PLAIN, PLAIN, CELL), // PLAIN
  Uint8Array.of(QUOTED, QUOTED, CLOSED, QUOTED, QUOTED), // QUOTED
  Uint8Array.of(BROKEN, CELL, QUOTED, CLOSED_RETURN, CLOSED), // CLOSED
  Uint8Array.of(BROKEN, BROKEN, BROKEN, BROKEN, CLOSED_RETURN), // CLOSED_RETURN
  Uint8Array.of(BROKEN, BROKEN, BROKEN, BROKEN, BROKEN), // BROKEN
];

function kindsOf({ delimiter, quote }: Dialect): Uint8Array {
  const kinds = new Uint8Array(256);
  kinds[RETURN] = CARRIAGE_RETURN;
  kinds[LINE_FEED] = LINE_END;
  if (delimiter !== undefined) kinds[delimiter.charCodeAt(0)] = DELIMITER;
  if (quote !== undefined && quote !== '') kinds[quote.charCodeAt(0)] = QUOTE;
  return kinds;
}

/** All offsets count from the beginning of the input. */
export class LineScanner {
  readonly #maxRowBytes: number;
  readonly #kinds: Uint8Array;
  readonly #quote: number;
  /** The unfinished row, followed by bytes not yet scanned, and their offsets. */
  #store: Memory = Buffer.alloc(0);
  #offset: number;
  #end: number;
  /** The current row: where it begins, on which line, and the line ends in it so far. */
  #start: number;
  #line: number;
  #inner = 0;
  #at: number;
  #state = CELL;
  /** The last quote that opened and that closed a cell of the row. */
  #opened = 0;
  #closed = 0;
  /** The result of the last search for a quote; -1 after new bytes. */
  #nextQuote = -1;
  /**
   * The last stretch of a quoted cell that turned out not to close. A scan that is inside a cell at one of its line ends continues
   * at its end, so a file full of such quotes takes no longer than another.
   */
  #stretch: { from: number; to: number; opened: number; line: number } | undefined;
  /** A row that is too long to be stored: its bytes are skipped up to the next line end. */
  #skipped: { start: number; line: number; problem: BoundsProblem } | undefined;
  #rows: RowBounds[] = [];

  constructor(options: LineScannerOptions) {
    const { maxRowBytes, start, quote } = options;
    this.#maxRowBytes = maxRowBytes;
    this.#kinds = kindsOf(options);
    this.#quote = quote === undefined || quote === '' ? -1 : quote.charCodeAt(0);
    this.#offset = start.byte;
    this.#end = start.byte;
    this.#start = start.byte;
    this.#at = start.byte;
    this.#line = start.line;
  }

  push(chunk: Uint8Array): RowSlice {
    this.#store.copyWithin(0, this.#start - this.#offset, this.#end - this.#offset);
    this.#offset = this.#start;
    const used = this.#end - this.#offset;
    this.#store = grown(this.#store, used, used + chunk.length);
    this.#store.set(chunk, used);
    this.#end += chunk.length;
    this.#nextQuote = -1;
    return this.#scan(false);
  }

  /** The rows that end with the input. Call once, after the last push. */
  end(): RowSlice {
    return this.#scan(true);
  }

  #scan(isEnd: boolean): RowSlice {
    this.#rows = [];
    while (this.#scanRow(isEnd));
    const { start: end, line } = this.#skipped ?? { start: this.#start, line: this.#line };
    return {
      bytes: this.#store.subarray(0, this.#start - this.#offset),
      offset: this.#offset,
      rows: this.#rows,
      end,
      line,
    };
  }

  /** Returns whether the row has ended. */
  #scanRow(isEnd: boolean): boolean {
    if (this.#skipped !== undefined) return this.#skip(this.#skipped, isEnd);
    const limit = Math.min(this.#end, this.#start + this.#maxRowBytes + 1);
    const found = this.#seek(limit);
    if (found === 'line-end') this.#finish(this.#at);
    else if (found === 'reopened') this.#breakFirstLine(limit, isEnd);
    else if (limit - this.#start > this.#maxRowBytes) {
      if (this.#state === QUOTED) this.#breakFirstLine(limit, isEnd);
      else this.#startSkipping(this.#state === BROKEN ? { kind: 'text', at: this.#closed } : { kind: 'size' }, limit);
    } else if (isEnd && this.#start < this.#end) this.#finishLast();
    else return false;
    return true;
  }

  /** Scans to the row's line end, and sets the next byte after it. Undefined if `limit` comes first. */
  #seek(limit: number): 'line-end' | 'reopened' | undefined {
    if (this.#state > PLAIN) return this.#seekByByte(limit);
    const lineEnd = Math.min(limit, this.#indexOf(LINE_FEED, this.#at));
    // Only a quote can make a row more than a line.
    if (this.#quoteAfter(this.#at) < lineEnd) return this.#seekByByte(limit);
    if (lineEnd < limit) {
      this.#at = lineEnd + 1;
      return 'line-end';
    }
    if (this.#at < limit) this.#state = this.#kinds[this.#byteAt(limit - 1)] === DELIMITER ? CELL : PLAIN;
    this.#at = limit;
    return undefined;
  }

  /** The next quote, or the end of what is stored. */
  #quoteAfter(from: number): number {
    if (this.#quote < 0) return this.#end;
    if (this.#nextQuote < from) this.#nextQuote = this.#indexOf(this.#quote, from);
    return this.#nextQuote;
  }

  #seekByByte(limit: number): 'line-end' | 'reopened' | undefined {
    const bytes = this.#store;
    const kinds = this.#kinds;
    const offset = this.#offset;
    let state = this.#state;
    let at = this.#at;
    let found: 'line-end' | 'reopened' | undefined;
    while (at < limit && found === undefined) {
      const kind = kinds[bytes[at - offset] ?? 0] ?? OTHER;
      at += 1;
      if (kind === OTHER && (state === PLAIN || state === QUOTED)) continue;
      const next = NEXT[state]?.[kind] ?? BROKEN;
      if (kind === LINE_END) {
        if (state === QUOTED) at = this.#countLine(at, limit);
        else found = 'line-end';
      } else if (next !== state) {
        if (next === CLOSED) this.#closed = at - 1;
        else if (next === QUOTED && state === CELL) this.#opened = at - 1;
        else if (next === BROKEN && this.#opensCell(this.#closed)) found = 'reopened';
        state = next;
      }
    }
    this.#at = at;
    this.#state = state;
    return found;
  }

  #countLine(at: number, limit: number): number {
    this.#inner += 1;
    const stretch = this.#stretch;
    if (stretch === undefined || at <= stretch.from || at >= stretch.to || stretch.to > limit) return at;
    this.#opened = stretch.opened;
    this.#inner = stretch.line - this.#line;
    return stretch.to;
  }

  #opensCell(quote: number): boolean {
    const before = this.#kinds[this.#byteAt(quote - 1)];
    return this.#inner > 0 && (before === DELIMITER || before === LINE_END);
  }

  #finish(end: number): void {
    const problem: BoundsProblem | undefined = this.#state === BROKEN ? { kind: 'text', at: this.#closed } : undefined;
    const nextLine = this.#line + this.#inner + 1;
    if (problem !== undefined || this.#inner > 0 || !this.#isBlank(end)) this.#emit(end, nextLine, problem);
    this.#begin(end, nextLine);
  }

  #finishLast(): void {
    if (this.#state === QUOTED) this.#breakFirstLine(this.#end, true);
    else {
      if (this.#state === CLOSED_RETURN) this.#state = BROKEN;
      this.#finish(this.#end);
    }
  }

  #emit(end: number, nextLine: number, problem: BoundsProblem | undefined): void {
    const bounds = { start: this.#start, end, line: this.#line, nextLine };
    this.#rows.push(problem === undefined ? bounds : { ...bounds, problem });
  }

  #begin(start: number, line: number): void {
    this.#start = start;
    this.#line = line;
    this.#at = start;
    this.#state = CELL;
    this.#inner = 0;
  }

  /** Whether the row is white space only. A space or tab that is the delimiter makes cells. */
  #isBlank(end: number): boolean {
    for (let at = this.#start; at < end; at += 1) {
      const byte = this.#byteAt(at);
      if (this.#kinds[byte] === DELIMITER) return false;
      if (byte !== LINE_FEED && byte !== RETURN && byte !== SPACE && byte !== TAB) return false;
    }
    return true;
  }

  /** A quote was left open: shortens the row to the line on which it starts, and scans the next line again. */
  #breakFirstLine(limit: number, isEnd: boolean): void {
    const lineEnd = this.#indexOf(LINE_FEED, this.#start);
    const isWhole = isEnd && limit === this.#end && limit - this.#start <= this.#maxRowBytes;
    if (lineEnd < limit) {
      const to = this.#state === QUOTED ? this.#at : this.#closed;
      this.#stretch = { from: lineEnd, to, opened: this.#opened, line: this.#line + this.#inner };
    } else if (!isWhole) {
      this.#inner = 0;
      this.#startSkipping(this.#openProblem(limit), limit);
      return;
    }
    const end = Math.min(lineEnd + 1, limit);
    this.#emit(end, this.#line + 1, this.#openProblem(Math.min(lineEnd, limit)));
    this.#begin(end, this.#line + 1);
  }

  #openProblem(lineEnd: number): BoundsProblem {
    return this.#opened < lineEnd ? { kind: 'open', at: this.#opened } : { kind: 'open' };
  }

  #startSkipping(problem: BoundsProblem, limit: number): void {
    const from = this.#start - this.#offset;
    const end = Math.min(limit - this.#offset, from + EXCERPT_BYTES);
    const excerpt = withoutCutCharacter(Buffer.from(this.#store.subarray(from, end)));
    this.#skipped = { start: this.#start, line: this.#line, problem: { ...problem, excerpt } };
    this.#begin(limit, this.#line + this.#inner);
  }

  #skip(skipped: { start: number; line: number; problem: BoundsProblem }, isEnd: boolean): boolean {
    const lineEnd = this.#indexOf(LINE_FEED, this.#start);
    const isFound = lineEnd < this.#end;
    const hasEnded = isFound || isEnd;
    this.#begin(isFound ? lineEnd + 1 : this.#end, hasEnded ? this.#line + 1 : this.#line);
    if (!hasEnded) return false;
    this.#rows.push({ ...skipped, end: this.#start, nextLine: this.#line });
    this.#skipped = undefined;
    return true;
  }

  #byteAt(position: number): number {
    return this.#store[position - this.#offset] ?? 0;
  }

  #indexOf(byte: number, from: number): number {
    const index = this.#store.indexOf(byte, from - this.#offset);
    return index < 0 || index + this.#offset >= this.#end ? this.#end : index + this.#offset;
  }
}

/** The delimiters that detection tries. */
export const DELIMITERS: readonly string[] = [',', ';', '\t', '|', '^'];

/**
 * Whether carriage returns alone end the lines, as on old Macintoshes: at least one is outside quotes, and no line feed is.
 * `quote` may be empty. The delimiter is not yet known, so a quote may open after any candidate.
 */
export function hasCarriageReturnLineEnds(bytes: Buffer, quote: string): boolean {
  if (!bytes.includes(RETURN)) return false;
  const quoteByte = quote === '' ? -1 : quote.charCodeAt(0);
  const opensAfter = new Set([LINE_FEED, RETURN, quoteByte, ...DELIMITERS.map((candidate) => candidate.charCodeAt(0))]);
  let quoted = false;
  let returns = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quoteByte) {
      if (quoted) quoted = false;
      else if (at === 0 || opensAfter.has(bytes[at - 1] ?? 0)) quoted = true;
    } else if (!quoted && byte === LINE_FEED) return false;
    else if (!quoted && byte === RETURN) returns = true;
  }
  return returns;
}

/** The text with line feeds in place of carriage returns, at the same offsets. */
export function withLineFeeds(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.map((byte) => (byte === RETURN ? LINE_FEED : byte)));
}
