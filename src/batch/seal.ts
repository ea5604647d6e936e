/**
 * Records to sealed batches. Pure and deterministic: what is in a batch follows from the rows and the limits
 * alone, so that a resumed run cuts the same batches again. Times, threads and answers play no part.
 *
 * The body of the open batch is written into one buffer as its records come. A record comes as JSON text, or its
 * maker writes the bytes into that buffer itself ({@link Sealer.room}, {@link Sealer.put}); what is sealed is a copy
 * of its own, because it is under way while the next batch is written.
 */
import { createHash } from 'node:crypto';
import type { Batch, BatchRow, Commit, Cursor, RowRange, Span } from '../model/batch.ts';
import type { PutRecord } from '../model/engine.ts';
import type { PreparedBatch } from '../model/prepared.ts';
import type { Notes } from '../model/record.ts';
import type { Content, Position } from '../model/row.ts';

export interface BatchLimits {
  /** Key of the request body that holds the array of records. */
  readonly envelope: string;
  /** Records a batch, from 1. */
  readonly records: number;
  /** Bytes of a request body. */
  readonly bytes: number;
}

/** Rows whose content is read only when somebody asks for it. */
export interface HeldRows {
  /** The row at these offsets of the input. */
  content(start: number, end: number): Content | string;
}

export interface Sealer {
  /** Whether a record, as JSON text, fits into any batch at all. */
  fits(json: string): boolean;
  /** Takes one record as JSON text, with the row that it was made from; returns the batch that this completes. */
  add(
    position: Position,
    json: string,
    notes: readonly string[],
    content?: Content | string,
  ): PreparedBatch | undefined;
  /** Bytes that a record may have so that it fits into any batch at all. */
  readonly most: number;
  /** The buffer of the open batch, with room for a record of so many bytes. To be asked for anew behind each call. */
  room(bytes: number): Buffer;
  /** Where in that buffer the next record begins. */
  place(): number;
  /**
   * As {@link Sealer.add}, of a record of `size` bytes, at most {@link Sealer.most}, that stands at `place()`
   * already.
   */
  readonly put: PutRecord<HeldRows | undefined, PreparedBatch | undefined>;
  /** Takes a row that goes into no batch. */
  drop(position: Position, why: 'invalid' | 'skipped' | 'duplicate', note?: string): void;
  /** Takes the end of an input, so that nothing before `cursor` is left over, blank lines included. */
  reach(cursor: Cursor): void;
  /** Seals what is left, after the last input. */
  flush(): PreparedBatch | undefined;
  /**
   * Accounts for dropped rows that no batch will carry. Undefined where an open batch holds rows back: its own
   * commit will account for them.
   */
  commit(): Commit | undefined;
}

/** Numbers of a position, in the order in which they are kept. */
const NUMBERS = 6;
const FIRST_BYTES = 64 * 1024;
const COMMA = 0x2c;

/** @param sealedBefore batches of this run that were sealed already: numbering goes on behind them */
export function createSealer(limits: BatchLimits, sealedBefore = 0): Sealer {
  const open = `{"${limits.envelope}":[`;
  const close = ']}';
  const frame = open.length + close.length;

  let sealed = sealedBefore;
  let body = Buffer.allocUnsafeSlow(FIRST_BYTES);
  body.write(open);
  /** Behind the last record in `body`. */
  let length = open.length;
  let records = 0;
  let ranges: Range[] = [];
  let offsets: number[] = [open.length];
  let places = new Float64Array(limits.records * NUMBERS);
  let held: (HeldRows | undefined)[] = [];
  let dropped = { invalid: 0, skipped: 0, duplicate: 0 };
  let notes = new Map<string, { count: number }>();
  let cursors = new Map<number, Cursor>();
  /** The input whose cursor was not entered yet, because it goes on with every row; and that cursor. */
  let moving = -1;
  let reachedRow = 0;
  let reachedLine = 0;
  let reachedByte = 0;

  const advance = (source: number, row: number, nextLine: number, end: number): void => {
    if (moving !== source) {
      arrive();
      // Its place in the order of the cursors.
      if (!cursors.has(source)) cursors.set(source, { source, rows: row, line: nextLine, byte: end });
      moving = source;
    }
    reachedRow = row;
    reachedLine = nextLine;
    reachedByte = end;
  };

  const arrive = (): void => {
    if (moving < 0) return;
    cursors.set(moving, { source: moving, rows: reachedRow, line: reachedLine, byte: reachedByte });
    moving = -1;
  };

  const count = (note: string): void => {
    const known = notes.get(note);
    if (known === undefined) notes.set(note, { count: 1 });
    else known.count += 1;
  };

  const takeCommit = (): Commit => {
    arrive();
    const commit = { cursors: [...cursors.values()], dropped, notes: counted(notes) };
    dropped = { invalid: 0, skipped: 0, duplicate: 0 };
    notes = new Map();
    cursors = new Map();
    return commit;
  };

  const seal = (): PreparedBatch => {
    const payload = Buffer.allocUnsafeSlow(length + close.length);
    body.copy(payload, 0, 0, length);
    payload.write(close, length);
    sealed += 1;
    const digest = createHash('sha256').update(payload).digest('hex');
    const batch = batchOf({ id: String(sealed), records, payload, digest, ranges, offsets }, places, held);
    length = open.length;
    records = 0;
    ranges = [];
    offsets = [open.length];
    places = new Float64Array(limits.records * NUMBERS);
    held = [];
    return { kind: 'batch', batch, commit: takeCommit() };
  };

  const place = (): number => (records > 0 ? length + 1 : length);

  const room = (bytes: number): Buffer => {
    const needed = place() + bytes;
    if (needed > body.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * body.length));
      body.copy(larger, 0, 0, length);
      body = larger;
    }
    return body;
  };

  const put: Sealer['put'] = (size, source, row, line, nextLine, start, end, recordNotes, content) => {
    const at = place();
    const full = records > 0 && at + size + close.length > limits.bytes;
    const before = full ? seal() : undefined;
    if (full) body.copyWithin(length, at, at + size);
    else if (records > 0) body[length] = COMMA;
    length = place() + size;
    offsets.push(length + 1);
    const first = records * NUMBERS;
    places[first] = source;
    places[first + 1] = row;
    places[first + 2] = line;
    places[first + 3] = nextLine;
    places[first + 4] = start;
    places[first + 5] = end;
    held.push(content);
    records += 1;
    extend(ranges, source, row, line, start, end);
    advance(source, row, nextLine, end);
    for (const note of recordNotes) count(note);
    return before !== undefined || records < limits.records ? before : seal();
  };

  return {
    // A UTF-16 code unit is at most three bytes of UTF-8, so that most records need no counting.
    fits: (json) =>
      frame + json.length * 3 <= limits.bytes || frame + Buffer.byteLength(json) <= limits.bytes,

    add({ source, row, line, nextLine, start, end }, json, recordNotes, content) {
      const size = room(json.length * 3).write(json, place());
      const rows = content === undefined ? undefined : { content: () => content };
      return put(size, source, row, line, nextLine, start, end, recordNotes, rows);
    },

    most: limits.bytes - frame,
    room,
    place,
    put,

    drop({ source, row, nextLine, end }, why, note) {
      dropped[why] += 1;
      if (note !== undefined) count(note);
      advance(source, row, nextLine, end);
    },

    reach({ source, rows, line, byte }) {
      advance(source, rows, line, byte);
    },

    flush: () => (records > 0 ? seal() : undefined),

    commit: () => (records > 0 ? undefined : takeCommit()),
  };
}

/** A batch whose rows are made when somebody asks for them: where it is split, refused or not delivered. */
function batchOf(
  batch: Omit<Batch, 'rows'>,
  places: Float64Array,
  held: readonly (HeldRows | undefined)[],
): Batch {
  let rows: readonly BatchRow[] | undefined;
  return {
    ...batch,
    get rows() {
      rows ??= held.map((each, index) => rowAt(places.subarray(index * NUMBERS), each));
      return rows;
    },
  };
}

function rowAt(place: Float64Array, held: HeldRows | undefined): BatchRow {
  const [source = 0, row = 0, line = 0, nextLine = 0, start = 0, end = 0] = place;
  const position: Position = { source, line, nextLine, row, start, end };
  return held === undefined ? { position } : { position, content: held.content(start, end) };
}

function counted(notes: ReadonlyMap<string, { readonly count: number }>): Notes {
  return Object.fromEntries([...notes].map(([note, { count }]) => [note, count]));
}

type Range = { -readonly [Key in keyof RowRange]: RowRange[Key] } & { spans?: Span[] };

function extend(
  ranges: Range[],
  source: number,
  row: number,
  line: number,
  start: number,
  end: number,
): void {
  const last = ranges.at(-1);
  if (last !== undefined && last.source === source) {
    // Rows were dropped in between, or one of them has several lines.
    if (row !== last.lastRow + 1 || line !== last.lastLine + 1) {
      last.spans ??= [[last.firstRow, last.firstLine, last.lastRow - last.firstRow + 1]];
      last.spans.push([row, line, 0]);
    }
    const span = last.spans?.pop();
    if (span !== undefined) last.spans?.push([span[0], span[1], span[2] + 1]);
    last.lastRow = row;
    last.lastLine = line;
    last.end = end;
    return;
  }
  ranges.push({ source, firstRow: row, lastRow: row, firstLine: line, lastLine: line, start, end });
}
