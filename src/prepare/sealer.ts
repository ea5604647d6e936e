/**
 * Packs records into sealed batches. Pure and deterministic: the rows and the limits alone decide what is in a batch, so a
 * resumed run cuts the same batches.
 *
 * Records are written into the body of the open batch as they arrive: one at a time as JSON text, or many at once as bytes.
 * A sealed batch owns its buffer; the next batch gets another one.
 */

import { BufferPool, grown, type Memory } from '../lib/buffers.ts';
import type { DigestOf } from '../lib/digest.ts';
import { plural } from '../lib/units.ts';
import {
  type Batch,
  type BatchRow,
  type Commit,
  type Dropped,
  extendRanges,
  type MutableRange,
} from '../model/batch.ts';
import { positionInChunk, type RecordChunk, ROW_NUMBERS } from '../model/fast-reader.ts';
import type { PreparedBatch } from '../model/prepared.ts';
import { hasPlace } from '../model/problem.ts';
import type { Content, Cursor, Issue, Position, RowPlace } from '../model/row.ts';

export interface BatchLimits {
  /** Key of the request body that has the array of records. */
  readonly envelope: string;
  readonly records: number;
  /** Maximum bytes of a request body. */
  readonly bytes: number;
}

export type ReadRow = (source: number, bytes: Buffer) => Content | string;

export interface SealerOptions {
  readonly sealedBefore?: number | undefined;
  readonly digestOf: DigestOf;
  /** Reads a row of a chunk from its bytes. Default: such rows have no content. */
  readonly readRow?: ReadRow;
}

/** Batches are about as large as the one before; with this share of spare bytes a buffer rarely grows. */
const SPARE = 1 / 8;
const COMMA = 0x2c;
const EMPTY: Memory = Buffer.alloc(0);
const CLOSE = ']}';

function maxRecordBytes({ envelope, bytes }: Omit<BatchLimits, 'records'>): number {
  return bytes - `{"${envelope}":[${CLOSE}`.length;
}

/** The issue of a record, as JSON text, that does not fit into a request. */
export function sizeIssue(json: string, limits: Omit<BatchLimits, 'records'>): Issue | undefined {
  const most = maxRecordBytes(limits);
  // A UTF-16 code unit has at most three bytes in UTF-8, so most records need not be counted.
  const size = json.length * 3 <= most ? 0 : Buffer.byteLength(json);
  if (size <= most) return undefined;
  const expected = `a request body of at most ${plural(limits.bytes, 'byte')} (max_bytes)`;
  return { code: 'size', found: `a record of ${plural(size, 'byte')}`, expected };
}

export class Sealer {
  readonly maxRecordBytes: number;
  readonly #limits: BatchLimits;
  readonly #open: string;
  readonly #digestOf: DigestOf;
  readonly #readRow: ReadRow | undefined;
  readonly #pool = new BufferPool();
  readonly #commit = new CommitBuilder();
  #sealed: number;
  #body: Memory;
  #length: number;
  /** The rows of chunks as in the input, whose own memory is reused. */
  #text = EMPTY;
  #textLength = 0;
  #records = 0;
  #ranges: MutableRange[] = [];
  #parts: Part[] = [];

  constructor(limits: BatchLimits, { sealedBefore = 0, digestOf, readRow }: SealerOptions) {
    this.#limits = limits;
    this.#open = `{"${limits.envelope}":[`;
    this.maxRecordBytes = maxRecordBytes(limits);
    this.#digestOf = digestOf;
    this.#readRow = readRow;
    this.#sealed = sealedBefore;
    this.#body = this.#pool.take(0);
    this.#body.write(this.#open);
    this.#length = this.#open.length;
  }

  recordsLeft(): number {
    return this.#limits.records - this.#records;
  }

  /** Number of bytes that fit into the open batch, with the commas between records, from 0. */
  bytesLeft(): number {
    return Math.max(0, this.#limits.bytes - CLOSE.length - this.#nextOffset());
  }

  /** Adds a record as JSON text with its row. Returns the batch that this completes. */
  add(
    { source, row, line, nextLine, start, end }: Position,
    json: string,
    notes: readonly string[],
    content?: Content | string,
  ): PreparedBatch | undefined {
    const size = Buffer.byteLength(json);
    const full = this.#sealIfTooSmallFor(size);
    this.#reserve(size);
    this.#body.write(json, this.#nextOffset());
    const rows = [0, end - start, 0, nextLine - line, size];
    this.#addPart({ source, firstRow: row, count: 1, rows, offset: start, line, content }, size);
    extendRanges(this.#ranges, { source, row, line, rows: 1, start, end });
    this.#commit.advance({ source, rows: row, line: nextLine, byte: end });
    for (const note of notes) this.#commit.countPlaced(note, { source, line });
    return full ?? this.#sealIfFull();
  }

  /**
   * Adds a chunk of at most `recordsLeft` records and `bytesLeft` bytes; a single record may have `maxRecordBytes`. Returns
   * the batch that this completes, or the open batch if a single record does not fit into it.
   */
  put(chunk: RecordChunk): PreparedBatch | undefined {
    const { source, firstRow, count, json, rows, offset, line } = chunk;
    const full = this.#sealIfTooSmallFor(json.length);
    this.#reserve(json.length);
    this.#body.set(json, this.#nextOffset());
    const text = this.#copyText(chunk.text);
    this.#addPart({ source, firstRow, count, rows: rows.slice(), offset, line, text }, json.length);
    extendRangesByChunk(this.#ranges, chunk);
    const last = rows.length - ROW_NUMBERS;
    const [, end = 0, , nextLine = 0] = rows.slice(last);
    this.#commit.advance({ source, rows: firstRow + count - 1, line: line + nextLine, byte: offset + end });
    for (const { list, times } of chunk.notes) for (const note of list) this.#commit.countNote(note, times);
    return full ?? this.#sealIfFull();
  }

  /** Whether a note that has a place (model/problem.ts) needs no position any more, because an earlier row has it. */
  isPlaced(note: string): boolean {
    return this.#commit.isPlaced(note);
  }

  drop(position: Position, why: DropReason): void {
    this.#commit.drop(position, why);
  }

  /** Accounts for an input up to `cursor`, including blank lines after the last row. */
  reach(cursor: Cursor): void {
    this.#commit.advance(cursor);
  }

  flush(): PreparedBatch | undefined {
    return this.#records > 0 ? this.seal() : undefined;
  }

  /** Accounts for dropped rows after the last batch. Undefined if the commit of the open batch will include them. */
  commit(): Commit | undefined {
    return this.#records > 0 ? undefined : this.#commit.take();
  }

  seal(id = String(++this.#sealed)): PreparedBatch {
    this.#reserve(CLOSE.length);
    this.#body.write(CLOSE, this.#length);
    const payload = this.#body.subarray(0, this.#length + CLOSE.length);
    const digest = this.#digestOf(payload);
    // A batch without text must not own the buffer that the next batch will write its text into.
    const hasText = this.#textLength > 0;
    const owned = hasText ? [this.#body, this.#text] : [this.#body];
    const batch = new BatchOfParts(
      {
        id,
        records: this.#records,
        payload,
        digest,
        ranges: this.#ranges,
        release: () => {
          for (const memory of owned.splice(0)) this.#pool.giveBack(memory);
        },
      },
      { parts: this.#parts, firstOffset: this.#open.length, text: hasText ? this.#text : EMPTY },
      this.#readRow,
    );
    this.#openNext(payload.length, hasText);
    return { kind: 'batch', batch, commit: this.#commit.take() };
  }

  #openNext(lastLength: number, replaceText: boolean): void {
    this.#body = this.#pool.take(Math.ceil(lastLength * (1 + SPARE)));
    this.#body.write(this.#open);
    if (replaceText) this.#text = this.#pool.take(Math.ceil(this.#textLength * (1 + SPARE)));
    this.#length = this.#open.length;
    this.#textLength = 0;
    this.#records = 0;
    this.#ranges = [];
    this.#parts = [];
  }

  #sealIfFull(): PreparedBatch | undefined {
    return this.#records < this.#limits.records ? undefined : this.seal();
  }

  #sealIfTooSmallFor(size: number): PreparedBatch | undefined {
    if (this.#records === 0) return undefined;
    return this.#nextOffset() + size + CLOSE.length > this.#limits.bytes ? this.seal() : undefined;
  }

  #nextOffset(): number {
    return this.#records > 0 ? this.#length + 1 : this.#length;
  }

  #reserve(size: number): void {
    this.#body = grown(this.#body, this.#length, this.#nextOffset() + size);
  }

  /** Adds a part whose records, `size` bytes in all, are at the next offset. */
  #addPart(part: Part, size: number): void {
    if (this.#records > 0) this.#body[this.#length] = COMMA;
    this.#length = this.#nextOffset() + size;
    this.#parts.push(part);
    this.#records += part.count;
  }

  #copyText(rows: Uint8Array): number {
    const at = this.#textLength;
    this.#text = grown(this.#text, at, at + rows.length);
    this.#text.set(rows, at);
    this.#textLength += rows.length;
    return at;
  }
}

function extendRangesByChunk(
  ranges: MutableRange[],
  { source, firstRow, count, rows, offset, line }: RecordChunk,
): void {
  const number = (index: number, which: number): number => rows[index * ROW_NUMBERS + which] ?? 0;
  const hasOneLinePerRow = number(count - 1, 3) - number(0, 2) === count;
  const step = hasOneLinePerRow ? count : 1;
  for (let index = 0; index < count; index += step) {
    const start = offset + number(index, 0);
    const end = offset + number(index + step - 1, 1);
    const [row, firstLine] = [firstRow + index, line + number(index, 2)];
    extendRanges(ranges, { source, row, line: firstLine, rows: step, start, end });
  }
}

interface Part extends Pick<RecordChunk, 'source' | 'firstRow' | 'count' | 'rows' | 'offset' | 'line'> {
  /** Offset of the first row in the batch's text, for the records of a chunk. */
  readonly text?: number | undefined;
  readonly content?: Content | string | undefined;
}

interface BatchParts {
  readonly parts: readonly Part[];
  /** Offset of the first record in the payload. */
  readonly firstOffset: number;
  readonly text: Buffer;
}

/**
 * A sealed batch that computes `rows` and `offsets` on first access. Only batches that are split, refused or not delivered
 * need them. A class, because V8 gives each object literal with getters its own hidden class, which keeps the rows of the batch in
 * memory until a major garbage collection.
 */
class BatchOfParts implements Batch {
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
    if (part.text === undefined) return { position, content };
    const at = part.text - (rows[0] ?? 0) - offset;
    return { position, content: readRow?.(source, text.subarray(at + position.start, at + position.end)) };
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

export type DropReason = keyof Dropped;

/** Collects what the next commit accounts for: cursors, dropped rows and notes. */
class CommitBuilder {
  #dropped = { invalid: 0, skipped: 0, duplicate: 0 };
  #notes = new Map<string, number>();
  /** Notes of the run that have a place, and the places that the next commit will have. */
  readonly #placed = new Set<string>();
  #firstNotes = new Map<string, RowPlace>();
  /** By input, in the order of their first rows. */
  #cursors = new Map<number, Cursor>();

  advance(cursor: Cursor): void {
    this.#cursors.set(cursor.source, cursor);
  }

  drop({ source, row, nextLine, end }: Position, why: DropReason): void {
    this.#dropped[why] += 1;
    this.advance({ source, rows: row, line: nextLine, byte: end });
  }

  countNote(note: string, times: number): void {
    this.#notes.set(note, (this.#notes.get(note) ?? 0) + times);
  }

  countPlaced(note: string, place: RowPlace): void {
    this.countNote(note, 1);
    if (!hasPlace(note) || this.#placed.has(note)) return;
    this.#placed.add(note);
    this.#firstNotes.set(note, place);
  }

  isPlaced(note: string): boolean {
    return this.#placed.has(note);
  }

  take(): Commit {
    const commit = {
      cursors: [...this.#cursors.values()],
      dropped: this.#dropped,
      notes: Object.fromEntries([...this.#notes].sort(([one], [other]) => rankOf(one) - rankOf(other))),
      firstNotes: this.#firstNotes.size === 0 ? undefined : Object.fromEntries(this.#firstNotes),
    };
    this.#dropped = { invalid: 0, skipped: 0, duplicate: 0 };
    this.#notes = new Map();
    this.#firstNotes = new Map();
    this.#cursors = new Map();
    return commit;
  }
}

/** The reference path finds the notes of a row's mapping before those of its values, the fast path field by field. */
function rankOf(note: string): number {
  return /^(?:omitted|left_out|free_mail):/.test(note) ? 0 : 1;
}
