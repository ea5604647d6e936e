/**
 * Finds where rows begin and end, over bytes of UTF-8. Every engine follows these rules, and the result does not depend
 * on where the chunks are cut. RFC 4180, with these decisions where it is silent:
 * - A line feed ends a row; a carriage return before it belongs to the line end. A lone carriage return is data. If the
 *   dialect says that carriage returns end rows, the two swap their roles.
 * - A quote opens only as the first byte of a cell. Elsewhere in an unquoted cell it is data.
 * - Text after a closing quote breaks the row, which ends with that line. But if that quote is on a later line and at the
 *   beginning of a cell, it opens a cell, and an earlier quote was left open. Otherwise one missing quote would also cost
 *   the good row after it.
 * - A quote left open (to the end of the input, for more than `maxRowBytes`, or as above) breaks only the line on which
 *   its row starts. Scanning continues on the next line.
 * - A row of more than `maxRowBytes` before its line feed is broken and ends with its line.
 *
 * Memory: at most `maxRowBytes` and one chunk. Bytes scanned inside a quote that never closed are not scanned again, so
 * a file full of such quotes takes no longer than another.
 */
import { EXCERPT_BYTES } from './utf8-text.ts';

/** The bytes that decide where a row ends. Without a quote, every line end ends a row. */
export interface ByteDialect {
  readonly delimiter?: number | undefined;
  readonly quote?: number | undefined;
  /** The byte that ends a line. Default: a line feed. */
  readonly lineEnd?: number | undefined;
}

/** The bounds of one row that is not blank. Offsets count from the beginning of the input. */
export interface RowBounds {
  readonly start: number;
  /** After the line end. */
  readonly end: number;
  /** Physical line on which the row starts, from 1. */
  readonly line: number;
  /** Physical line after the row. The end of the input ends a line. */
  readonly nextLine: number;
  readonly problem?: BoundsProblem | undefined;
}

export interface BoundsProblem {
  /** `text`: text after a closing quote. `open`: a quote that never closes. `size`: more than maxRowBytes. */
  readonly kind: 'text' | 'open' | 'size';
  /** Offset of the quote that causes it. Absent if there is none, or if it is after the row. */
  readonly at?: number;
  /** The row's first bytes, if the row is too long to be stored. */
  readonly excerpt?: Buffer;
}

/** The rows that a chunk completed. */
export interface RowSlice {
  /** The bytes of the rows. The next call of push overwrites them. */
  readonly bytes: Buffer;
  /** Offset of `bytes` in the input. */
  readonly offset: number;
  readonly rows: readonly RowBounds[];
  /** Offset after the last complete row or blank line. */
  readonly end: number;
  /** Physical line of that offset. */
  readonly line: number;
}

/** The bytes of a row; only the first ones if the row is too long. */
export function bytesOf({ bytes, offset }: RowSlice, { start, end, problem }: RowBounds): Buffer {
  return problem?.excerpt ?? bytes.subarray(start - offset, end - offset);
}

export interface RowScanner {
  push(chunk: Uint8Array): RowSlice;
  /** The rows that end with the input. Call once, after the last push. */
  end(): RowSlice;
}

export interface RowScannerOptions extends ByteDialect {
  /** An integer of at least 1. */
  readonly maxRowBytes: number;
  /** Position of the first chunk in the input. */
  readonly start: { readonly byte: number; readonly line: number };
}

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;

/** State of the scan before the next byte. */
const CELL = 0; // first byte of a cell
const PLAIN = 1; // inside an unquoted cell
const QUOTED = 2; // inside a quoted cell
const CLOSED = 3; // after a quote in a quoted cell: closed, or half of a doubled quote
const CLOSED_CR = 4; // after that and a carriage return
const BROKEN = 5; // after text that follows a closing quote: skip to the line end

export function createRowScanner(options: RowScannerOptions): RowScanner {
  const { maxRowBytes } = options;
  // No byte equals -1.
  const delimiter = options.delimiter ?? -1;
  const quote = options.quote ?? -1;
  const LF = options.lineEnd ?? LINE_FEED;

  /** The unfinished row, followed by bytes not yet scanned. */
  let store: Buffer = Buffer.alloc(0);
  let length = 0;
  /** Offset of the store's first byte in the input. */
  let offset = options.start.byte;
  /** Where the current row begins in the store, and on which line. */
  let from = 0;
  let line = options.start.line;
  /** The next byte to scan, and the state there. */
  let at = 0;
  let state = CELL;
  /** Line feeds inside the current row so far. */
  let inner = 0;
  /** The last quote that opened or closed a cell of this row. */
  let opened = 0;
  let closed = 0;
  /**
   * The last stretch of a quoted cell that turned out not to close: at each of its line feeds the scan was inside the
   * cell. A later scan that is inside a cell at one of them continues at the end of the stretch. Offsets of the input.
   */
  let stretch: { from: number; to: number; opened: number; line: number } | undefined;
  /** A row that is too long to be stored: its bytes are skipped up to the next line feed. */
  let skipping: { start: number; line: number; problem: BoundsProblem } | undefined;

  let rows: RowBounds[] = [];

  function push(chunk: Uint8Array): RowSlice {
    rows = [];
    if (from > 0) {
      store.copyWithin(0, from, length);
      offset += from;
      length -= from;
      at -= from;
      opened -= from;
      closed -= from;
      from = 0;
    }
    append(chunk);
    scan(false);
    return slice();
  }

  function end(): RowSlice {
    rows = [];
    scan(true);
    return slice();
  }

  function slice(): RowSlice {
    const reached =
      skipping === undefined ? { end: offset + from, line } : { end: skipping.start, line: skipping.line };
    return { bytes: store.subarray(0, from), offset, rows, ...reached };
  }

  function append(chunk: Uint8Array): void {
    const needed = length + chunk.length;
    if (needed > store.length) {
      const room = Math.max(needed, Math.min(2 * store.length, maxRowBytes + 1 + chunk.length));
      const larger = Buffer.allocUnsafe(room);
      store.copy(larger, 0, 0, length);
      store = larger;
    }
    store.set(chunk, length);
    length = needed;
  }

  function scan(last: boolean): void {
    for (;;) {
      if (skipping !== undefined) {
        if (!skip(last)) return;
        continue;
      }
      const limit = Math.min(length, from + maxRowBytes + 1);
      const rowEnd = seek(limit);
      if (rowEnd === 'reopened') leftOpen(limit, last);
      else if (rowEnd !== undefined) finish(rowEnd);
      else if (limit - from > maxRowBytes) tooLong(limit, last);
      else if (last && from < length) lastRow();
      else return;
    }
  }

  /** Scans to the row's line feed. Returns the index after it, or nothing if `limit` comes first. */
  function seek(limit: number): number | 'reopened' | undefined {
    if (quote < 0) {
      const feed = store.indexOf(LF, at);
      at = feed >= 0 && feed < limit ? feed + 1 : limit;
      return feed >= 0 && feed < limit ? at : undefined;
    }
    const bytes = store;
    let i = at;
    let s = state;
    let found: number | 'reopened' | undefined;
    scanning: while (i < limit) {
      if (s === PLAIN) {
        while (i < limit) {
          const byte = bytes[i++];
          if (byte === delimiter) {
            s = CELL;
            break;
          }
          if (byte === LF) {
            found = i;
            break scanning;
          }
        }
      } else if (s === QUOTED) {
        while (i < limit) {
          const byte = bytes[i++];
          if (byte === quote) {
            s = CLOSED;
            closed = i - 1;
            break;
          }
          if (byte !== LF) continue;
          inner += 1;
          if (stretch === undefined || offset + i <= stretch.from || offset + i >= stretch.to) continue;
          if (stretch.to > offset + limit) continue;
          i = stretch.to - offset;
          opened = stretch.opened - offset;
          inner = stretch.line - line;
        }
      } else {
        const byte = bytes[i++];
        if (byte === LF) {
          found = i;
          break;
        }
        if (s === CELL) {
          if (byte === quote) {
            s = QUOTED;
            opened = i - 1;
          } else if (byte !== delimiter) s = PLAIN;
        } else if (s === CLOSED && byte === quote) s = QUOTED;
        else if (s === CLOSED && byte === delimiter) s = CELL;
        else if (s === CLOSED && byte === CR) s = CLOSED_CR;
        else if (s !== BROKEN) {
          s = BROKEN;
          const before = bytes[closed - 1];
          if (inner > 0 && (before === delimiter || before === LF)) {
            found = 'reopened';
            break;
          }
        }
      }
    }
    at = i;
    state = s;
    return found;
  }

  /** The row ends at `rowEnd`, after its line feed if it has one. */
  function finish(rowEnd: number): void {
    const problem: BoundsProblem | undefined = state === BROKEN ? { kind: 'text', at: offset + closed } : undefined;
    const nextLine = line + inner + 1;
    if (problem !== undefined || inner > 0 || !isBlank(rowEnd)) emit(rowEnd, nextLine, problem);
    line = nextLine;
    next(rowEnd);
  }

  function emit(rowEnd: number, nextLine: number, problem: BoundsProblem | undefined): void {
    const span = { start: offset + from, end: offset + rowEnd, line, nextLine };
    rows.push(problem === undefined ? span : { ...span, problem });
  }

  function next(index: number): void {
    from = index;
    at = index;
    state = CELL;
    inner = 0;
  }

  /** Whether the row is white space only. A space or tab that is the delimiter makes cells. */
  function isBlank(rowEnd: number): boolean {
    for (let i = from; i < rowEnd; i += 1) {
      const byte = store[i];
      if (byte === delimiter || (byte !== LINE_FEED && byte !== CR && byte !== SPACE && byte !== TAB)) return false;
    }
    return true;
  }

  /** The input ends inside the row. */
  function lastRow(): void {
    if (state === QUOTED) leftOpen(length, true);
    else {
      if (state === CLOSED_CR) state = BROKEN;
      finish(length);
    }
  }

  /** Shortens the row to the line on which it starts, and scans the next line again. */
  function leftOpen(limit: number, last: boolean): void {
    const feed = store.indexOf(LF, from);
    if (feed >= 0 && feed < limit) {
      const to = offset + (state === QUOTED ? at : closed);
      stretch = { from: offset + feed, to, opened: offset + opened, line: line + inner };
      emit(feed + 1, line + 1, openFault(feed));
      line += 1;
      next(feed + 1);
    } else if (last && limit === length && limit - from <= maxRowBytes) {
      emit(length, line + 1, openFault(length));
      line += 1;
      next(length);
    } else {
      inner = 0;
      startSkipping(openFault(limit), limit);
    }
  }

  function openFault(lineEnd: number): BoundsProblem {
    return opened < lineEnd ? { kind: 'open', at: offset + opened } : { kind: 'open' };
  }

  function tooLong(limit: number, last: boolean): void {
    if (state === QUOTED) leftOpen(limit, last);
    else startSkipping(state === BROKEN ? { kind: 'text', at: offset + closed } : { kind: 'size' }, limit);
  }

  function startSkipping(problem: BoundsProblem, limit: number): void {
    const excerpt = Buffer.from(store.subarray(from, Math.min(limit, from + EXCERPT_BYTES)));
    skipping = { start: offset + from, line, problem: { ...problem, excerpt } };
    line += inner;
    next(limit);
  }

  /** Skips bytes up to a line feed. Returns whether the row has ended. */
  function skip(last: boolean): boolean {
    if (skipping === undefined) return true;
    const feed = store.indexOf(LF, from);
    const fed = feed >= 0 && feed < length;
    next(fed ? feed + 1 : length);
    if (!fed && !last) return false;
    line += 1;
    rows.push({ ...skipping, end: offset + from, nextLine: line });
    skipping = undefined;
    return true;
  }

  return { push, end };
}
