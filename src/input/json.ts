/**
 * JSON: one array of objects, `[ {…}, {…} ]`, read as a stream because it may be larger than memory. Each of its elements is a
 * row, like a line of NDJSON.
 */
import { ProblemError } from '../model/problem.ts';
import { findColumns, parseObject } from './ndjson.ts';
import type {
  BoundsProblem,
  Format,
  Head,
  ParsedRow,
  RowBounds,
  RowScanner,
  RowSlice,
  TextPosition,
} from './row-format.ts';
import { EXCERPT_BYTES, withoutCutCharacter } from './transcode.ts';

export const json: Format = {
  recognises: (start) => /^\[\s*[{[\]]/.test(start),

  detect(head, options) {
    const body = arrayStart(head);
    const scanner = new ElementScanner(options.maxRowBytes, body, head.name);
    return { columns: findColumns(head, body, scanner, false), body };
  },

  createScanner: ({ name }, start, { maxRowBytes }) => new ElementScanner(maxRowBytes, start, name),

  parse: (rows) => rows.map((row) => parseElement(row.toString())),
};

function parseElement(text: string): ParsedRow {
  const parsed = parseObject(text, false);
  // A JSON string cannot contain a line end, so this changes no value and makes the row a line of NDJSON.
  return 'issue' in parsed ? parsed : { ...parsed, text: text.replace(/[\r\n]+[ \t\r\n]*/g, ' ') };
}

/** The position after the opening bracket. */
function arrayStart({ name, bytes, offset }: Head): TextPosition {
  const text = bytes.toString('latin1');
  const open = /^[ \t\r\n]*\[/.exec(text)?.[0];
  if (open !== undefined) return { byte: offset + open.length, line: open.split('\n').length };
  throw new ProblemError({
    code: 'input.format',
    message: `'${name}' is not a JSON array; expected an array of objects, such as \`[ {…}, {…} ]\`.`,
    where: name,
    hint: /^[ \t\r\n]*\{/.test(text)
      ? 'If it has one object per line, use `--format ndjson`. If the rows are in an array inside an object, extract it: `jq .items FILE.json`.'
      : 'For CSV, use `--format csv`.',
  });
}

const LF = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN = new Set([0x5b, 0x7b]);
const CLOSE = new Set([0x5d, 0x7d]);
const ARRAY_END = 0x5d;
const WHITE = new Set([0x20, 0x09, LF, 0x0d]);

/** The current element: its first byte as an offset in the text, and its line. */
interface Element {
  readonly start: number;
  readonly line: number;
  /** Number of open brackets. */
  depth: number;
  inString: boolean;
  isEscaped: boolean;
  /** Set for an element that is too long to be stored. */
  problem?: BoundsProblem;
}

/**
 * Finds where the elements of one JSON array begin and end (RFC 8259), with the limits of the lines of a text. It counts
 * brackets and respects strings; the parser checks each element, so that a problem in one costs only that row.
 *
 * An array that is not closed, and anything after its end, means that the input is truncated or not an array of
 * objects: it is thrown as a problem of the whole input.
 */
class ElementScanner implements RowScanner {
  readonly #maxRowBytes: number;
  readonly #name: string;
  /** The bytes of the current element, and those not yet scanned. */
  #store: Buffer = Buffer.alloc(0);
  /** The offset of the buffer's first byte in the text, and the index of the next byte to scan. */
  #offset: number;
  #at = 0;
  #line: number;
  #element: Element | undefined;
  #isClosed = false;
  /** After the last complete element. */
  #done: Pick<RowSlice, 'end' | 'line'>;
  #rows: RowBounds[] = [];

  /**
   * @param start after the array's opening bracket, or after any of its elements
   * @param name of the input, for errors
   */
  constructor(maxRowBytes: number, start: TextPosition, name: string) {
    this.#maxRowBytes = maxRowBytes;
    this.#name = name;
    this.#offset = start.byte;
    this.#line = start.line;
    this.#done = { end: start.byte, line: start.line };
  }

  push(chunk: Uint8Array): RowSlice {
    const element = this.#element;
    const kept = element === undefined || element.problem !== undefined ? this.#at : element.start - this.#offset;
    this.#store = Buffer.concat([this.#store.subarray(kept), chunk]);
    this.#offset += kept;
    this.#at -= kept;
    this.#rows = [];
    for (; this.#at < this.#store.length; this.#at += 1) {
      const byte = this.#store[this.#at] ?? 0;
      if (this.#element === undefined) this.#scanBetween(byte);
      else this.#scanInside(byte, this.#element);
      if (byte === LF) this.#line += 1;
    }
    if (this.#element !== undefined) this.#measure(this.#element, this.#at);
    return this.#slice();
  }

  end(): RowSlice {
    this.#rows = [];
    if (this.#isClosed) return this.#slice();
    // The end of the input may cut a number or a word as well as an object.
    throw this.#error(
      `'${this.#name}' is truncated: it ends at byte ${this.#offset + this.#at}, before the array is closed.`,
      'Export it again. The complete elements were read; the truncated one was not.',
    );
  }

  #error(message: string, hint: string): ProblemError {
    return new ProblemError({ code: 'input.failed', message, where: `${this.#name}:${this.#line}`, hint });
  }

  #slice(): RowSlice {
    return { bytes: this.#store, offset: this.#offset, rows: this.#rows, ...this.#done };
  }

  #scanBetween(byte: number): void {
    const offset = this.#offset + this.#at;
    if (this.#isClosed && !WHITE.has(byte)) {
      throw this.#error(
        `'${this.#name}' contains data after the end of the array, from byte ${offset} on; expected a single array.`,
        'Put all objects into one array, or write one object per line and use `--format ndjson`.',
      );
    }
    if (byte === ARRAY_END) this.#isClosed = true;
    // The last slice also contains the closing bracket and white space.
    if (this.#isClosed) this.#done = { end: offset + 1, line: byte === LF ? this.#line + 1 : this.#line };
    else if (!WHITE.has(byte) && byte !== COMMA) {
      this.#element = { start: offset, line: this.#line, depth: 0, inString: false, isEscaped: false };
      this.#scanInside(byte, this.#element);
    }
  }

  #scanInside(byte: number, element: Element): void {
    if (element.inString) {
      if (element.isEscaped) element.isEscaped = false;
      else if (byte === BACKSLASH) element.isEscaped = true;
      else if (byte === QUOTE) {
        element.inString = false;
        if (element.depth === 0) this.#finish(element, this.#at + 1);
      }
    } else if (byte === QUOTE) element.inString = true;
    else if (OPEN.has(byte)) element.depth += 1;
    else if (CLOSE.has(byte) && element.depth > 0) {
      element.depth -= 1;
      if (element.depth === 0) this.#finish(element, this.#at + 1);
    } else if (element.depth === 0 && (byte === COMMA || byte === ARRAY_END)) {
      // The byte after a number or a word does not belong to it.
      this.#finish(element, this.#at);
      this.#scanBetween(byte);
    }
  }

  #finish(element: Element, index: number): void {
    this.#measure(element, index);
    const { start, line, problem } = element;
    this.#done = { end: this.#offset + index, line: this.#line };
    this.#rows.push({ start, end: this.#done.end, line, nextLine: this.#line, problem });
    this.#element = undefined;
  }

  /** Marks an element as too long; its bytes are then skipped up to its end. */
  #measure(element: Element, index: number): void {
    const from = element.start - this.#offset;
    if (element.problem !== undefined || index - from <= this.#maxRowBytes) return;
    const end = from + Math.min(this.#maxRowBytes + 1, EXCERPT_BYTES);
    const excerpt = withoutCutCharacter(Buffer.from(this.#store.subarray(from, end)));
    element.problem = { kind: 'size', excerpt };
  }
}
