/**
 * Finds where the elements of one JSON array begin and end (RFC 8259): the rows of a file `[ {…}, {…} ]`, as
 * row-bounds.ts does for lines and with the same limits. It counts brackets and respects strings; the parser checks each
 * element, so that a problem in one costs only that row.
 *
 * An array that is not closed, and anything after its end, means that the input is truncated or not an array of
 * objects: it is thrown as a problem of the whole input.
 */
import { RAW_LIMIT } from '../model/row.ts';
import type { BoundsProblem, RowBounds, RowScanner, RowScannerOptions, RowSlice } from './row-bounds.ts';

/** A problem of the array itself. `at`: offset in the decoded text. */
export interface ArrayProblem {
  readonly kind: 'open' | 'trailing';
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
 * Starts after the array's opening bracket, or after any of its elements.
 *
 * @param toError makes the error that is thrown for a problem of the array itself.
 */
export function createElementScanner(
  options: Pick<RowScannerOptions, 'maxRowBytes' | 'start'>,
  toError: (problem: ArrayProblem) => Error,
): RowScanner {
  const { maxRowBytes } = options;
  /** The bytes of the current element, and those not yet scanned. */
  let store: Buffer = Buffer.alloc(0);
  /** Offset of the store's first byte, and the index of the next byte to scan. */
  let offset = options.start.byte;
  let at = 0;
  let line = options.start.line;
  /** The current element: where it begins in the store, its line, and how many brackets are open. */
  let element: { from: number; start: number; line: number } | undefined;
  let depth = 0;
  let inString = false;
  let escaped = false;
  let closed = false;
  /** Set for an element that is too long to be stored. */
  let problem: BoundsProblem | undefined;
  /** After the last complete element. */
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
      // The end of the input may cut a number or a word as well as an object.
      throw toError({ kind: 'open', at: offset + at, line });
    }
    return slice();
  }

  function slice(): RowSlice {
    return { bytes: store, offset, rows, ...done };
  }

  function scan(): void {
    for (; at < store.length; at += 1) {
      const byte = store[at] ?? 0;
      if (closed) scanAfterArray(byte);
      else if (element === undefined) scanBetween(byte);
      else scanInside(byte, element);
      if (byte === LF) line += 1;
    }
    if (element !== undefined) measure(element);
  }

  function scanAfterArray(byte: number): void {
    if (!WHITE.has(byte)) throw toError({ kind: 'trailing', at: offset + at, line });
    reach();
  }

  function scanBetween(byte: number): void {
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
    scanInside(byte, element);
  }

  /** Moves the end of the slice past the array's end, and past white space after it. */
  function reach(): void {
    done = { end: offset + at + 1, line: store[at] === LF ? line + 1 : line };
  }

  function scanInside(byte: number, current: { from: number; start: number; line: number }): void {
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
      // The byte after a number or a word does not belong to it.
      finish(current, at);
      scanBetween(byte);
    }
  }

  function finish(current: { from: number; start: number; line: number }, index: number): void {
    measure(current, index);
    const span = { start: current.start, end: offset + index, line: current.line, nextLine: line };
    rows.push(problem === undefined ? span : { ...span, problem });
    done = { end: span.end, line };
    element = undefined;
  }

  /** Marks an element as too long; its bytes are then skipped up to its end. */
  function measure(current: { from: number; start: number }, index: number = at): void {
    if (problem !== undefined || offset + index - current.start <= maxRowBytes) return;
    const from = current.from;
    const excerpt = Buffer.from(store.subarray(from, Math.min(index, from + EXCERPT_BYTES)));
    problem = { kind: 'size', excerpt };
  }

  return { push, end };
}
