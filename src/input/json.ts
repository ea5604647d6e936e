/**
 * JSON: one array of objects, `[ {…}, {…} ]`. It becomes NDJSON as it is read, because it may be larger than memory. The line of an
 * element is the one on which it begins in the file; after elements that begin on one line, a later one.
 */
import { LINE_FEED } from '../lib/text.ts';
import { ProblemError } from '../model/problem.ts';
import type { Format, LineMaker } from './decode-types.ts';
import { isWhite } from './encoding.ts';
import { ndjson } from './ndjson.ts';

export const json: Format = {
  ...ndjson,
  recognises: (start) => /^\[\s*[{[\]]/.test(start),
  lines: (name) => new ArrayLines(name),
  restore: (row) =>
    row.includes(LINE_END) ? Buffer.from(row.map((byte) => (byte === LINE_END ? LINE_FEED : byte))) : row,
};

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN = new Set([0x5b, 0x7b]);
const CLOSE = new Set([0x5d, 0x7d]);
const ARRAY_START = 0x5b;
const ARRAY_END = 0x5d;
const BYTE_ORDER_MARK = new Set([0xef, 0xbb, 0xbf]);
/** In place of a line feed in a string: invalid JSON, as that is. */
const LINE_END = 0x1d;

/** Chunks of one JSON array (RFC 8259) as lines. It counts brackets and respects strings; the parser checks each element. */
class ArrayLines implements LineMaker {
  readonly #name: string;
  /** Open brackets: 1 between the elements. */
  #depth = 0;
  #isClosed = false;
  #inString = false;
  #isEscaped = false;
  #line = 1;
  #bytes = 0;
  /** Line ends written minus line ends read. */
  #ahead = 0;
  #out: Buffer = Buffer.alloc(0);
  #length = 0;
  #last = LINE_FEED;

  /** @param name of the input, for errors */
  constructor(name: string) {
    this.#name = name;
  }

  /** @throws ProblemError `input.format` if the text is no array, `input.failed` if it contains more */
  push(chunk: Uint8Array): Buffer {
    this.#out = Buffer.allocUnsafe(2 * chunk.length + Math.max(0, -this.#ahead));
    this.#length = 0;
    for (const byte of chunk) {
      this.#bytes += 1;
      if (byte === LINE_FEED) {
        this.#line += 1;
        this.#ahead -= 1;
      }
      if (this.#inString) this.#writeInString(byte);
      else if (this.#depth > 0) this.#writeInArray(byte);
      else this.#writeOutside(byte);
    }
    return this.#out.subarray(0, this.#length);
  }

  /** @throws ProblemError `input.failed` if the array is not closed */
  end(): void {
    if (this.#isClosed) return;
    throw this.#problem(
      'input.failed',
      `'${this.#name}' is truncated: it ends at byte ${this.#bytes}, before the array is closed.`,
      'Export it again.',
    );
  }

  #writeInString(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#inString = false;
    this.#write(byte === LINE_FEED ? LINE_END : byte);
  }

  #writeInArray(byte: number): void {
    if (byte === QUOTE) this.#inString = true;
    else if (OPEN.has(byte)) this.#depth += 1;
    else if (this.#depth > 1 && CLOSE.has(byte)) this.#depth -= 1;
    else if (byte === ARRAY_END) {
      this.#depth = 0;
      this.#isClosed = true;
      return;
    }
    if (this.#depth === 1 && byte === COMMA) this.#endLine();
    else if (this.#depth === 1 && byte === LINE_FEED && this.#ahead < 0) this.#endLine();
    else if (!isWhite(byte)) this.#write(byte);
    else if (this.#last !== SPACE && this.#last !== LINE_FEED) this.#write(SPACE);
  }

  #writeOutside(byte: number): void {
    if (byte === ARRAY_START && !this.#isClosed) this.#depth = 1;
    else if (!isWhite(byte) && !BYTE_ORDER_MARK.has(byte)) throw this.#outside();
    else if (byte === LINE_FEED) this.#endLine();
    else this.#write(byte);
  }

  #write(byte: number): void {
    this.#out[this.#length] = byte;
    this.#length += 1;
    this.#last = byte;
  }

  /** Ends the line, and writes the line ends that were read in the element. */
  #endLine(): void {
    do {
      this.#write(LINE_FEED);
      this.#ahead += 1;
    } while (this.#ahead < 0);
  }

  #outside(): ProblemError {
    return this.#isClosed
      ? this.#problem(
          'input.failed',
          `'${this.#name}' contains data after the end of the array, from byte ${this.#bytes - 1} on; expected a single array.`,
          'Put all objects into one array, or write one object per line and use `--format ndjson`.',
        )
      : this.#problem(
          'input.format',
          `'${this.#name}' is not a JSON array; expected an array of objects, such as \`[ {…}, {…} ]\`.`,
          'For one object per line, use `--format ndjson`; for CSV, `--format csv`. If the rows are in an array inside an object, extract it: `jq .items FILE`.',
        );
  }

  #problem(code: string, message: string, hint: string): ProblemError {
    return new ProblemError({ code, message, where: `${this.#name}:${this.#line}`, hint });
  }
}
