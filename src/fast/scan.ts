/**
 * Where the cells of one row of CSV begin and end, in one pass over its bytes. What a row is and where it ends is
 * what decode/bounds.ts says; of that, this scan understands the plain part: no quotes and carriage returns inside
 * unquoted cells, no text behind closing quotes. Of everything else it says that it is unsure.
 */
import { type Block, controls, firstOf, repeated, zeros } from './block.ts';

/** Marks of a cell. */
export const PLAIN = 0;
/** It has bytes that JSON writes with a backslash: quotes, backslashes, control characters. */
const ESCAPED = 1;
/** It has doubled quotes, each of which stands for one. */
export const DOUBLED = 2;

/** The row does not end within the bytes. */
export const SHORT = -1;
/** The row is the reference path's. */
export const UNSURE = -2;

/** The quote that is understood. */
export const QUOTE = 0x22;

const LINE_FEED = 0x0a;
const CR = 0x0d;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;
const QUOTES = repeated(QUOTE);
const BACKSLASHES = repeated(BACKSLASH);

export interface CellScan {
  /** Of each cell of the row scanned last, without its quotes. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly marks: Uint8Array;
  /** Line feeds inside the row scanned last. */
  inner: number;
  /**
   * Scans the row that begins at `from`, which is no blank line. The index behind its line end, or {@link SHORT} or
   * {@link UNSURE}.
   */
  scan(block: Block, from: number): number;
}

/** @param quoted whether {@link QUOTE} quotes; if not, it is a character like any other */
export function createScan(delimiter: number, quoted: boolean, width: number): CellScan {
  const delimiters = repeated(delimiter);
  const starts = new Int32Array(width);
  const ends = new Int32Array(width);
  const marks = new Uint8Array(width);
  const result: CellScan = { starts, ends, marks, inner: 0, scan };

  /** The next byte in an unquoted cell that is more than text, or the bytes' end. */
  function seek({ bytes, view }: Block, from: number): number {
    const { length } = bytes;
    let i = from;
    for (; i + 4 <= length; i += 4) {
      const word = view.getInt32(i, true);
      const found =
        controls(word) | zeros(word ^ delimiters) | zeros(word ^ QUOTES) | zeros(word ^ BACKSLASHES);
      if (found !== 0) return i + firstOf(found);
    }
    for (; i < length; i += 1) {
      const byte = bytes[i] ?? 0;
      if (byte < FIRST_PRINTABLE || byte === delimiter || byte === QUOTE || byte === BACKSLASH) break;
    }
    return i;
  }

  /** The same in a quoted cell, where the delimiter is text. */
  function seekQuoted({ bytes, view }: Block, from: number): number {
    const { length } = bytes;
    let i = from;
    for (; i + 4 <= length; i += 4) {
      const word = view.getInt32(i, true);
      const found = controls(word) | zeros(word ^ QUOTES) | zeros(word ^ BACKSLASHES);
      if (found !== 0) return i + firstOf(found);
    }
    for (; i < length; i += 1) {
      const byte = bytes[i] ?? 0;
      if (byte < FIRST_PRINTABLE || byte === QUOTE || byte === BACKSLASH) break;
    }
    return i;
  }

  function scan(block: Block, from: number): number {
    const { bytes } = block;
    const { length } = bytes;
    let inner = 0;
    let i = from;
    for (let cell = 0; cell < width; cell += 1) {
      if (i >= length) return SHORT;
      let mark = PLAIN;
      if (quoted && bytes[i] === QUOTE) {
        starts[cell] = i + 1;
        for (i = seekQuoted(block, i + 1); ; i = seekQuoted(block, i)) {
          // The byte behind a quote says what the quote means.
          if (i + 1 >= length) return SHORT;
          const byte = bytes[i];
          if (byte === QUOTE) {
            if (bytes[i + 1] !== QUOTE) break;
            mark |= DOUBLED;
            i += 2;
          } else {
            mark |= ESCAPED;
            if (byte === LINE_FEED) inner += 1;
            i += 1;
          }
        }
        ends[cell] = i;
        i += 1;
      } else {
        starts[cell] = i;
        for (i = seek(block, i); i < length; i = seek(block, i + 1)) {
          const byte = bytes[i];
          if (byte === delimiter || byte === LINE_FEED || byte === CR || (quoted && byte === QUOTE)) break;
          mark |= ESCAPED;
        }
        if (i >= length) return SHORT;
        ends[cell] = i;
      }
      marks[cell] = mark;
      let byte = bytes[i];
      if (byte === delimiter) {
        i += 1;
        continue;
      }
      if (byte === CR) {
        i += 1;
        if (i >= length) return SHORT;
        byte = bytes[i];
      }
      if (byte !== LINE_FEED || cell < width - 1) return UNSURE;
      result.inner = inner;
      return i + 1;
    }
    return UNSURE;
  }

  return result;
}
