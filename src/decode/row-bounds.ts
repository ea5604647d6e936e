/**
 * Where a row begins and ends: the one place that decides it, for every format, over bytes of UTF-8.
 *
 * Bytes come in chunks of any size; the rows found do not depend on where the chunks are cut. RFC 4180, with
 * these decisions where it is silent:
 * - A line feed ends a row, and a carriage return before it belongs to the line end. A lone one is data. Where the
 *   dialect says that a carriage return ends rows (files of old Macintosh programs), it takes the line feed's
 *   place in all of this, and a line feed is data.
 * - A quote opens only as the first byte of a cell; elsewhere in an unquoted cell it is data.
 * - Text behind a closing quote breaks the row, and the row ends with that line. But where that "closing" quote
 *   stands on a later line and at the beginning of a cell, it is an opening one, and it is an earlier quote that
 *   was left open: without this, one forgotten quote would swallow the good row behind it.
 * - A quote left open (to the end of the input, for more than `maxRowBytes`, or as above) breaks the row, which
 *   is then the line on which it starts; reading goes on at the next line.
 * - A row of more than `maxRowBytes` before its line feed is broken and ends with its line.
 *
 * Limits: no more than `maxRowBytes` and one chunk are held. What was scanned inside a quote that never closed is
 * not scanned again for the rows behind it, so that a file full of such quotes takes no longer than another.
 */
import { RAW_LIMIT } from '../model/row.ts';

/** The bytes that decide where a row ends. Without a quote, every line feed ends one. */
export interface ByteDialect {
  readonly delimiter?: number;
  readonly quote?: number;
  /** The byte that ends a line: a line feed where it is absent, else a carriage return. */
  readonly lineEnd?: number;
}

/** One row that is not blank. Offsets are those of the input. */
export interface RowBounds {
  readonly start: number;
  /** Behind the line end. */
  readonly end: number;
  /** Physical line on which the row starts, from 1. */
  readonly line: number;
  /** Physical line behind the row. The input's end counts as the end of a line. */
  readonly nextLine: number;
  readonly problem?: BoundsProblem;
}

export interface BoundsProblem {
  /** `text`: behind a closing quote. `open`: a quote that never closes. `size`: more than maxRowBytes. */
  readonly kind: 'text' | 'open' | 'size';
  /** Offset of the quote at problem; absent where none is, or where it stands behind the row. */
  readonly at?: number;
  /** The row's first bytes, where the row itself is not kept because of its length. */
  readonly excerpt?: Buffer;
}

/** The rows that a chunk completed. */
export interface RowSlice {
  /** The bytes in which the rows lie. Overwritten by the next call of push. */
  readonly bytes: Buffer;
  /** Offset of `bytes` in the input. */
  readonly offset: number;
  readonly rows: readonly RowBounds[];
  /** Offset behind the last complete row or blank line. */
  readonly end: number;
  /** Physical line of that offset. */
  readonly line: number;
}

export interface RowScanner {
  push(chunk: Uint8Array): RowSlice;
  /** The rows that end with the input. To be called once, behind the last push. */
  end(): RowSlice;
}

export interface RowScannerOptions extends ByteDialect {
  /** An integer of at least 1. */
  readonly maxRowBytes: number;
  /** Where the first chunk stands in the input. */
  readonly start: { readonly byte: number; readonly line: number };
}

/** A character of UTF-16 has at most three bytes in UTF-8. */
const EXCERPT_BYTES = 3 * RAW_LIMIT;

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;

/** Where in a row the next byte stands. */
const CELL = 0; // first byte of a cell
const PLAIN = 1; // inside an unquoted cell
const QUOTED = 2; // inside a quoted cell
const CLOSED = 3; // behind a quote in a quoted cell: closed, or half of a doubled quote
const CLOSED_CR = 4; // behind that, a carriage return
const BEHIND = 5; // text behind a closing quote: on to the line end

export function createRowScanner(options: RowScannerOptions): RowScanner {
  const { maxRowBytes } = options;
  // No byte equals -1.
  const delimiter = options.delimiter ?? -1;
  const quote = options.quote ?? -1;
  const LF = options.lineEnd ?? LINE_FEED;

  /** The unfinished row, and behind it what was not looked at. */
  let store: Buffer = Buffer.alloc(0);
  let length = 0;
  /** Offset of the store's first byte in the input. */
  let offset = options.start.byte;
  /** Where the row in hand begins in the store, and on which line. */
  let from = 0;
  let line = options.start.line;
  /** Next byte to look at, and what is known there. */
  let at = 0;
  let state = CELL;
  /** Line feeds inside the row so far. */
  let inner = 0;
  /** The last quote that opened or closed a cell of this row. */
  let opened = 0;
  let closed = 0;
  /**
   * The last stretch that was scanned in vain: at each of its line feeds the scan stood inside a quoted cell. A
   * later scan that stands so at one of them goes the same way to the end of the stretch. Offsets of the input.
   */
  let stretch: { from: number; to: number; opened: number; line: number } | undefined;
  /** A row that is too long to be kept: its bytes are passed over up to the next line feed. */
  let passing: { start: number; line: number; problem: BoundsProblem } | undefined;

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
    const behind =
      passing === undefined ? { end: offset + from, line } : { end: passing.start, line: passing.line };
    return { bytes: store.subarray(0, from), offset, rows, ...behind };
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
      if (passing !== undefined) {
        if (!pass(last)) return;
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

  /** Goes on to the row's line feed; gives the index behind it, or nothing where `limit` comes first. */
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
        else if (s !== BEHIND) {
          s = BEHIND;
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

  /** The row ends at `rowEnd`; the line feed before it, if there is one, is its own. */
  function finish(rowEnd: number): void {
    const problem: BoundsProblem | undefined =
      state === BEHIND ? { kind: 'text', at: offset + closed } : undefined;
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

  /** White space alone. A space or tab that is the delimiter makes cells. */
  function isBlank(rowEnd: number): boolean {
    for (let i = from; i < rowEnd; i += 1) {
      const byte = store[i];
      if (byte === delimiter || (byte !== LINE_FEED && byte !== CR && byte !== SPACE && byte !== TAB))
        return false;
    }
    return true;
  }

  /** The input ends inside the row. */
  function lastRow(): void {
    if (state === QUOTED) leftOpen(length, true);
    else {
      if (state === CLOSED_CR) state = BEHIND;
      finish(length);
    }
  }

  /** The row shrinks to the line on which it starts; what follows is read anew. */
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
      startPassing(openFault(limit), limit);
    }
  }

  function openFault(lineEnd: number): BoundsProblem {
    return opened < lineEnd ? { kind: 'open', at: offset + opened } : { kind: 'open' };
  }

  function tooLong(limit: number, last: boolean): void {
    if (state === QUOTED) leftOpen(limit, last);
    else startPassing(state === BEHIND ? { kind: 'text', at: offset + closed } : { kind: 'size' }, limit);
  }

  function startPassing(problem: BoundsProblem, limit: number): void {
    const excerpt = Buffer.from(store.subarray(from, Math.min(limit, from + EXCERPT_BYTES)));
    passing = { start: offset + from, line, problem: { ...problem, excerpt } };
    line += inner;
    next(limit);
  }

  /** Passes over bytes up to a line feed. Whether the row has ended. */
  function pass(last: boolean): boolean {
    if (passing === undefined) return true;
    const feed = store.indexOf(LF, from);
    const fed = feed >= 0 && feed < length;
    next(fed ? feed + 1 : length);
    if (!fed && !last) return false;
    line += 1;
    rows.push({ ...passing, end: offset + from, nextLine: line });
    passing = undefined;
    return true;
  }

  return { push, end };
}
