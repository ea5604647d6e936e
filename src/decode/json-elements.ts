/**
 * Where the elements of one JSON array begin and end (RFC 8259): the rows of a file `[ {…}, {…} ]`, in the same
 * terms as bounds.ts and with the same limits. Brackets are counted and strings are respected; whether an element
 * is JSON, and an object, is the parser's to say, so that a problem in one element costs that element.
 *
 * What stands between elements belongs to no row. An array that is not closed, and anything behind its end, is
 * no row either: it shows that the input is torn or is something else, and is thrown as a problem.
 */
import { RAW_LIMIT } from '../model/row.ts';
import type { BoundsProblem, RowBounds, RowScanner, RowScannerOptions, RowSlice } from './row-bounds.ts';

/** What is wrong with the array itself. `at`: offset in the decoded text. */
export interface ArrayProblem {
  readonly kind: 'open' | 'behind';
  readonly at: number;
  readonly line: number;
}

const EXCERPT_BYTES = 3 * RAW_LIMIT;

const LF = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN = new Set([0x5b, 0x7b]);
const CLOSE = new Set([0x5d, 0x7d]);
const ARRAY_END = 0x5d;
const WHITE = new Set([0x20, 0x09, LF, 0x0d]);

/**
 * Begins behind the array's opening bracket, or behind any element of it.
 *
 * @param refuse makes the problem of a problem of the array itself, which is thrown.
 */
export function createElementScanner(
  options: Pick<RowScannerOptions, 'maxRowBytes' | 'start'>,
  refuse: (problem: ArrayProblem) => Error,
): RowScanner {
  const { maxRowBytes } = options;
  /** What is held: the element in hand. */
  let store: Buffer = Buffer.alloc(0);
  /** Offset of the store's first byte, and of the next byte to look at within it. */
  let offset = options.start.byte;
  let at = 0;
  let line = options.start.line;
  /** The element in hand: where it begins in the store, its line, and how deep its brackets are open. */
  let element: { from: number; start: number; line: number } | undefined;
  let depth = 0;
  let inString = false;
  let escaped = false;
  let closed = false;
  /** Set for an element that is too long to be kept. */
  let problem: BoundsProblem | undefined;
  /** Behind the last element that is complete. */
  let done = { end: offset, line };
  let rows: RowBounds[] = [];

  function push(chunk: Uint8Array): RowSlice {
    rows = [];
    const keep = element === undefined || problem !== undefined ? at : element.from;
    store = Buffer.concat([store.subarray(keep), chunk]);
    offset += keep;
    at -= keep;
    if (element !== undefined) element.from -= keep;
    scan();
    return slice();
  }

  function end(): RowSlice {
    rows = [];
    if (!closed) {
      // A number or a word that the input's end cuts is torn as much as an object is.
      throw refuse({ kind: 'open', at: offset + at, line });
    }
    return slice();
  }

  function slice(): RowSlice {
    return { bytes: store, offset, rows, ...done };
  }

  function scan(): void {
    for (; at < store.length; at += 1) {
      const byte = store[at] ?? 0;
      if (closed) behind(byte);
      else if (element === undefined) between(byte);
      else inside(byte, element);
      if (byte === LF) line += 1;
    }
    if (element !== undefined) measure(element);
  }

  function behind(byte: number): void {
    if (!WHITE.has(byte)) throw refuse({ kind: 'behind', at: offset + at, line });
    reach();
  }

  function between(byte: number): void {
    if (WHITE.has(byte) || byte === COMMA) return;
    if (byte === ARRAY_END) {
      closed = true;
      reach();
      return;
    }
    element = { from: at, start: offset + at, line };
    depth = 0;
    inString = false;
    escaped = false;
    problem = undefined;
    inside(byte, element);
  }

  /** The array's end, and white space behind it, are accounted for as they come. */
  function reach(): void {
    done = { end: offset + at + 1, line: store[at] === LF ? line + 1 : line };
  }

  function inside(byte: number, current: { from: number; start: number; line: number }): void {
    if (inString) {
      if (escaped) escaped = false;
      else if (byte === BACKSLASH) escaped = true;
      else if (byte === QUOTE) {
        inString = false;
        if (depth === 0) finish(current, at + 1);
      }
      return;
    }
    if (byte === QUOTE) inString = true;
    else if (OPEN.has(byte)) depth += 1;
    else if (CLOSE.has(byte) && depth > 0) {
      depth -= 1;
      if (depth === 0) finish(current, at + 1);
    } else if (depth === 0 && (byte === COMMA || byte === ARRAY_END)) {
      // The end of a number or of a word: the byte itself is looked at once more, between elements.
      finish(current, at);
      between(byte);
    }
  }

  function finish(current: { from: number; start: number; line: number }, index: number): void {
    measure(current, index);
    const span = { start: current.start, end: offset + index, line: current.line, nextLine: line };
    rows.push(problem === undefined ? span : { ...span, problem });
    done = { end: span.end, line };
    element = undefined;
  }

  /** An element that has become too long is passed over, up to its end. */
  function measure(current: { from: number; start: number }, index: number = at): void {
    if (problem !== undefined || offset + index - current.start <= maxRowBytes) return;
    const from = current.from;
    const excerpt = Buffer.from(store.subarray(from, Math.min(index, from + EXCERPT_BYTES)));
    problem = { kind: 'size', excerpt };
  }

  return { push, end };
}
