/**
 * Reads the rows of one input with a fast reader and the reference path. The fast reader reads the rows that it
 * understands; where it stops, the reference path takes over. They switch only between rows, so the output is the same as
 * from the reference path alone. Without a fast reader, the reference path reads all rows.
 *
 * The reference path is slow to start, so each time it is needed again soon it reads twice as many lines.
 */
import type { FastReader } from '../model/fast-reader.ts';
import type { ReadPosition } from '../model/position.ts';
import type { RowBlock } from './format.ts';
import type { RowScanner, RowSlice } from './row-bounds.ts';

/** Longest unfinished row that waits for the next chunk. A longer one is left to the reference path. */
const CARRY_BYTES = 64 * 1024;
/** Bytes given to the fast reader at a time, so that the caller can do other work in between. */
const FAST_BYTES = 128 * 1024;
/** Bytes given to the reference path at a time. */
const REFERENCE_BYTES = 64 * 1024;
const MAX_LINES = 4096;
const LINE_FEED = 0x0a;

interface HandoffDeps {
  readonly fastReader: FastReader | undefined;
  /** A scanner of the reference path that starts at a position. */
  startScan(position: ReadPosition): RowScanner;
  /** The rows of a slice that begins at a position. */
  readBlock(slice: RowSlice, before: ReadPosition): RowBlock;
}

/**
 * @param chunks all bytes of the text, from offset 0
 * @param from where the first row begins
 * @param whole whether the chunks end where the input ends
 */
export async function* readBlocks(
  chunks: AsyncIterable<Uint8Array>,
  from: ReadPosition,
  whole: boolean,
  deps: HandoffDeps,
): AsyncGenerator<RowBlock> {
  const handoff = new Handoff(deps, from);
  let bytesToSkip = from.byte;
  for await (const chunk of chunks) {
    const skipped = Math.min(bytesToSkip, chunk.length);
    bytesToSkip -= skipped;
    if (skipped === chunk.length) continue;
    yield* handoff.push(Buffer.from(chunk.buffer, chunk.byteOffset + skipped, chunk.length - skipped));
  }
  yield* handoff.end(whole);
}

class Handoff {
  readonly #deps: HandoffDeps;
  #position: ReadPosition;
  /** A copy of the unfinished row: the chunk's memory may be reused. */
  #carry: Buffer | undefined;
  /** The reference path's scanner while it is its turn. */
  #scanner: RowScanner | undefined;
  /** Offset after the last byte that the scanner was given. */
  #scannedTo = 0;
  /** Lines that the reference path still reads in this turn, and how many it was given. */
  #linesLeft = Number.POSITIVE_INFINITY;
  #turnLines = 1;

  constructor(deps: HandoffDeps, from: ReadPosition) {
    this.#deps = deps;
    this.#position = from;
    // Also at the end of the input: the scanner detects an unclosed JSON array.
    if (deps.fastReader === undefined) this.#scanner = deps.startScan(from);
  }

  *push(chunk: Buffer): Generator<RowBlock> {
    for (const part of this.#carry === undefined ? [chunk] : splitAfterFirstLine(chunk)) {
      const bytes: Buffer = this.#carry === undefined ? part : Buffer.concat([this.#carry, part]);
      this.#carry = undefined;
      yield* this.#read(bytes);
    }
  }

  *end(whole: boolean): Generator<RowBlock> {
    // The rest may still hold whole rows, for example after a quote that never closes.
    if (this.#carry !== undefined) {
      this.#scanner = this.#deps.startScan(this.#position);
      yield* this.#blockOf(this.#scanner.push(this.#carry));
    }
    if (whole && this.#scanner !== undefined) yield* this.#blockOf(this.#scanner.end());
  }

  *#read(bytes: Buffer): Generator<RowBlock> {
    const { fastReader } = this.#deps;
    for (let at = 0, size = FAST_BYTES; at < bytes.length; ) {
      if (this.#scanner === undefined && fastReader !== undefined) {
        const end = Math.min(at + size, bytes.length);
        const before = this.#position;
        const read = fastReader.read(bytes.subarray(0, end), at, before);
        const rows = read.rows - before.rows;
        // A row that is longer than what was given needs more bytes.
        size = read.needsMoreBytes && rows === 0 ? 2 * size : FAST_BYTES;
        at += read.byte - before.byte;
        if (read.byte > before.byte) {
          this.#position = { rows: read.rows, line: read.line, byte: read.byte };
          yield { rows: [], fastRows: rows, cursor: this.#position };
        }
        if (at === bytes.length) return;
        if (read.needsMoreBytes && end < bytes.length) continue;
        if (read.needsMoreBytes && bytes.length - at <= CARRY_BYTES) {
          this.#carry = Buffer.from(bytes.subarray(at));
          return;
        }
        // The turn gets longer each time it is needed, and shorter by the rows that the fast reader read before it.
        this.#turnLines = Math.min(Math.max(1, this.#turnLines * 2 - rows), MAX_LINES);
        this.#linesLeft = this.#turnLines;
        this.#scannedTo = this.#position.byte;
      }
      this.#scanner ??= this.#deps.startScan(this.#position);
      at += yield* this.#scan(this.#scanner, bytes.subarray(at, at + REFERENCE_BYTES));
    }
  }

  /** Gives the reference path the lines of its turn. Returns how many bytes those are. */
  *#scan(scanner: RowScanner, bytes: Buffer): Generator<RowBlock, number> {
    const { end, count } = findLineEnds(bytes, Math.max(1, this.#linesLeft));
    this.#linesLeft -= count;
    this.#scannedTo += end;
    const slice = scanner.push(bytes.subarray(0, end));
    // The turn can end only where the scanner holds no unfinished row.
    if (this.#linesLeft <= 0 && slice.end === this.#scannedTo) this.#scanner = undefined;
    yield* this.#blockOf(slice);
    return end;
  }

  *#blockOf(slice: RowSlice): Generator<RowBlock> {
    if (slice.end <= this.#position.byte) return;
    const block = this.#deps.readBlock(slice, this.#position);
    this.#position = block.cursor;
    yield block;
  }
}

/** Splits after the first line end, so that only the row that spans two chunks is copied. */
function splitAfterFirstLine(bytes: Buffer): readonly Buffer[] {
  const end = bytes.indexOf(LINE_FEED) + 1;
  return end === 0 || end === bytes.length ? [bytes] : [bytes.subarray(0, end), bytes.subarray(end)];
}

/** The index after the `max`th line feed, or after the last byte, and the number of line feeds before it. */
function findLineEnds(bytes: Buffer, max: number): { readonly end: number; readonly count: number } {
  if (max === Number.POSITIVE_INFINITY) return { end: bytes.length, count: 0 };
  let end = 0;
  for (let count = 0; count < max; count += 1) {
    const feed = bytes.indexOf(LINE_FEED, end);
    if (feed < 0) return { end: bytes.length, count };
    end = feed + 1;
  }
  return { end, count: max };
}
