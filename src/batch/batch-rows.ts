/**
 * A sealed batch that computes `rows` and `offsets` on first access. Only batches that are split, refused or not delivered
 * need them.
 */
import type { Batch, BatchRow } from '../model/batch.ts';
import { positionInChunk, type RecordChunk, ROW_NUMBERS } from '../model/fast-reader.ts';
import type { Content } from '../model/row.ts';

/** Parses one row of an input from its bytes. */
export type ReadRow = (source: number, bytes: Buffer) => Content | string;

/** Records of consecutive rows that were added together. */
export interface Part extends Pick<RecordChunk, 'source' | 'firstRow' | 'count' | 'rows' | 'offset' | 'line'> {
  /** Offset of the first row in the batch's text, for the records of a chunk. */
  readonly text?: number | undefined;
  readonly content?: Content | string | undefined;
}

interface BatchParts {
  readonly parts: readonly Part[];
  /** Offset of the first record in the payload. */
  readonly firstOffset: number;
  /** The rows of all chunks as in the input. */
  readonly text: Buffer;
}

/**
 * A class, because V8 gives each object literal with getters its own hidden class, which keeps the rows of the batch in
 * memory until a major garbage collection.
 */
export class BatchOfParts implements Batch {
  readonly id: string;
  readonly records: number;
  readonly payload: Uint8Array;
  readonly digest: string;
  readonly ranges: Batch['ranges'];
  readonly release: (() => void) | undefined;
  readonly #parts: BatchParts;
  readonly #readRow: ReadRow | undefined;
  #rows: readonly BatchRow[] | undefined;
  #offsets: readonly number[] | undefined;

  constructor(sealed: Omit<Batch, 'rows' | 'offsets'>, parts: BatchParts, readRow: ReadRow | undefined) {
    this.id = sealed.id;
    this.records = sealed.records;
    this.payload = sealed.payload;
    this.digest = sealed.digest;
    this.ranges = sealed.ranges;
    this.release = sealed.release;
    this.#parts = parts;
    this.#readRow = readRow;
  }

  get rows(): readonly BatchRow[] {
    const { parts, text } = this.#parts;
    this.#rows ??= parts.flatMap((part) => createRows(part, text, this.#readRow));
    return this.#rows;
  }

  get offsets(): readonly number[] {
    this.#offsets ??= computeOffsets(this.#parts.parts, this.#parts.firstOffset);
    return this.#offsets;
  }
}

function createRows(part: Part, text: Buffer, readRow: ReadRow | undefined): readonly BatchRow[] {
  const { source, count, offset, rows, content } = part;
  return Array.from({ length: count }, (_, index) => {
    const position = positionInChunk(part, index);
    if (part.text === undefined || readRow === undefined) return { position, content };
    const at = part.text - (rows[0] ?? 0) - offset;
    return { position, content: readRow(source, text.subarray(at + position.start, at + position.end)) };
  });
}

function computeOffsets(parts: readonly Part[], firstOffset: number): readonly number[] {
  const offsets = [firstOffset];
  for (const { rows } of parts) {
    for (let size = ROW_NUMBERS - 1; size < rows.length; size += ROW_NUMBERS) {
      offsets.push((offsets.at(-1) ?? 0) + (rows[size] ?? 0) + 1);
    }
  }
  return offsets;
}
