/**
 * Records to sealed batches. Pure and deterministic: what is in a batch follows from the rows and the limits
 * alone, so that a resumed run cuts the same batches again. Times, threads and answers play no part.
 *
 * The body of the open batch is written into one buffer as its records come: one by one as JSON text, or many at once
 * as bytes. What is sealed takes the buffer along, and the next batch gets another one.
 */
import { hash } from 'node:crypto';
import type { Batch, BatchRow, Commit, Cursor, RowRange, Span } from '../model/batch.ts';
import { type RecordRun, ROW_NUMBERS } from '../model/engine.ts';
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
  /** Records that the open batch has room for, at least one. */
  records(): number;
  /** Bytes that it has room for, with the commas between them. */
  bytes(): number;
  /**
   * Takes several records at once: at most {@link Sealer.records}, and of at most {@link Sealer.bytes} together; but one
   * alone may be as large as {@link Sealer.most}. Returns the batch that they complete, or that the one has no room in.
   */
  put(run: RecordRun<HeldRows>): PreparedBatch | undefined;
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

/** Numbers that are kept of a record: those of its row's position, and where in the body the next record begins. */
const NUMBERS = 7;
const FIRST_BYTES = 64 * 1024;
/** Bodies are about as long as the one before: this much more room seldom has to grow. */
const SPARE = 1 / 8;
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
  let places = new Float64Array(limits.records * NUMBERS);
  let held: Holding[] = [];
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

  const count = (note: string, times = 1): void => {
    const known = notes.get(note);
    if (known === undefined) notes.set(note, { count: times });
    else known.count += times;
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
    room(close.length);
    body.write(close, length);
    const payload = body.subarray(0, length + close.length);
    sealed += 1;
    const digest = hash('sha256', payload);
    const batch = batchOf(
      { id: String(sealed), records, payload, digest, ranges },
      places,
      held,
      open.length,
    );
    body = Buffer.allocUnsafeSlow(Math.ceil(payload.length * (1 + SPARE)));
    body.write(open);
    length = open.length;
    records = 0;
    ranges = [];
    places = new Float64Array(limits.records * NUMBERS);
    held = [];
    return { kind: 'batch', batch, commit: takeCommit() };
  };

  /** Where the next record begins, behind the comma. */
  const place = (): number => (records > 0 ? length + 1 : length);

  /** Makes sure that so many bytes have room behind the last record and a comma. */
  const room = (bytes: number): void => {
    const needed = place() + bytes;
    if (needed <= body.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * body.length));
    body.copy(larger, 0, 0, length);
    body = larger;
  };

  /** Seals what is open where so many bytes more have no room in it. */
  const makeWay = (bytes: number): PreparedBatch | undefined =>
    records > 0 && place() + bytes + close.length > limits.bytes ? seal() : undefined;

  /** Enters a record that was written at `place()`. */
  const enter = (
    size: number,
    source: number,
    row: number,
    line: number,
    nextLine: number,
    start: number,
    end: number,
  ): void => {
    if (records > 0) body[length] = COMMA;
    length = place() + size;
    const first = records * NUMBERS;
    places[first] = source;
    places[first + 1] = row;
    places[first + 2] = line;
    places[first + 3] = nextLine;
    places[first + 4] = start;
    places[first + 5] = end;
    places[first + 6] = length + 1;
    records += 1;
    extend(ranges, source, row, line, start, end);
  };

  return {
    // A UTF-16 code unit is at most three bytes of UTF-8, so that most records need no counting.
    fits: (json) =>
      frame + json.length * 3 <= limits.bytes || frame + Buffer.byteLength(json) <= limits.bytes,

    add({ source, row, line, nextLine, start, end }, json, recordNotes, content) {
      const size = Buffer.byteLength(json);
      const before = makeWay(size);
      room(size);
      body.write(json, place());
      if (content !== undefined) held.push({ from: records, rows: { content: () => content } });
      else if (held.length > 0) held.push({ from: records, rows: undefined });
      enter(size, source, row, line, nextLine, start, end);
      advance(source, row, nextLine, end);
      for (const note of recordNotes) count(note);
      return before ?? (records < limits.records ? undefined : seal());
    },

    most: limits.bytes - frame,
    records: () => limits.records - records,
    bytes: () => limits.bytes - close.length - place(),

    put({ source, firstRow, count: many, json, rows, offset, line, notes: lists, held: content }) {
      const before = makeWay(json.length);
      room(json.length);
      body.set(json, place());
      held.push({ from: records, rows: content });
      let nextLine = line;
      let end = offset;
      for (let index = 0; index < many; index += 1) {
        const at = index * ROW_NUMBERS;
        const start = offset + (rows[at] ?? 0);
        end = offset + (rows[at + 1] ?? 0);
        const lineOfRow = line + (rows[at + 2] ?? 0);
        nextLine = line + (rows[at + 3] ?? 0);
        enter(rows[at + 4] ?? 0, source, firstRow + index, lineOfRow, nextLine, start, end);
      }
      advance(source, firstRow + many - 1, nextLine, end);
      for (const { list, times } of lists) for (const note of list) count(note, times);
      return before ?? (records < limits.records ? undefined : seal());
    },

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

/** Rows from one record of the batch on, up to where the next ones begin. */
interface Holding {
  readonly from: number;
  readonly rows: HeldRows | undefined;
}

/** A batch whose rows and offsets are made when somebody asks for them: where it is split, refused or not delivered. */
function batchOf(
  batch: Omit<Batch, 'rows' | 'offsets'>,
  places: Float64Array,
  held: readonly Holding[],
  firstOffset: number,
): Batch {
  const numbers = (): readonly number[] => Array.from({ length: batch.records }, (_, index) => index);
  let rows: readonly BatchRow[] | undefined;
  let offsets: readonly number[] | undefined;
  return {
    ...batch,
    get offsets() {
      offsets ??= [firstOffset, ...numbers().map((index) => places[index * NUMBERS + NUMBERS - 1] ?? 0)];
      return offsets;
    },
    get rows() {
      rows ??= numbers().map((index) =>
        rowAt(places.subarray(index * NUMBERS), held.findLast(({ from }) => from <= index)?.rows),
      );
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
