/**
 * Records to sealed batches. Pure and deterministic: what is in a batch follows from the rows and the limits
 * alone, so that a resumed run cuts the same batches again. Times, threads and answers play no part.
 *
 * The body of the open batch is written into one buffer as its records come: one by one as JSON text, or many at once
 * as bytes. What is sealed takes the buffer along, and the next batch gets another one.
 */

import type { DigestOf } from '../lib/digest.ts';
import { grown, type Memory } from '../lib/growing-buffer.ts';
import type { Commit, Cursor, RowRange, SentRows, Span } from '../model/batch.ts';
import { type RecordChunk, ROW_NUMBERS } from '../model/fast-reader.ts';
import type { PreparedBatch } from '../model/prepared.ts';
import type { Notes } from '../model/record.ts';
import type { Content, Position } from '../model/row.ts';
import { BatchOfParts, type Part, type ReadRow } from './batch-rows.ts';
import { createPool } from './pool.ts';

export interface BatchLimits {
  /** Key of the request body that holds the array of records. */
  readonly envelope: string;
  /** Records a batch, from 1. */
  readonly records: number;
  /** Bytes of a request body. */
  readonly bytes: number;
}

export interface SealerOptions {
  /** Batches of this run that were sealed already: numbering goes on behind them. Default: 0. */
  readonly sealedBefore?: number | undefined;
  /**
   * Names payloads. Undefined where batches are not sent but counted alone: they have no digest and no rows, and of a payload
   * only the length means anything.
   */
  readonly digestOf: DigestOf | undefined;
  /** Reads a row of a run when somebody asks for it. Default: it has no content. */
  readonly readRow?: ReadRow;
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
  /** Bytes that it has room for, with the commas between them, from 0. */
  bytes(): number;
  /**
   * Takes several records at once: at most {@link Sealer.records}, and of at most {@link Sealer.bytes} together; but one
   * alone may be as large as {@link Sealer.most}. Returns the batch that they complete, or that the one has no room in.
   */
  put(run: RecordChunk): PreparedBatch | undefined;
  /** Takes a row that goes into no batch. */
  drop(
    position: Position,
    why: 'invalid' | 'skipped' | 'duplicate',
    sentBefore?: Omit<SentRows, 'rows'>,
  ): void;
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

const FIRST_BYTES = 64 * 1024;
/** Batches are about as large as the one before: this much more room seldom has to grow. */
const SPARE = 1 / 8;
const COMMA = 0x2c;
const NOTHING = Buffer.alloc(0);

export function createSealer(
  limits: BatchLimits,
  { sealedBefore = 0, digestOf, readRow }: SealerOptions,
): Sealer {
  const open = `{"${limits.envelope}":[`;
  const close = ']}';
  const frame = open.length + close.length;
  const sent = digestOf !== undefined;

  let sealed = sealedBefore;
  const pool = createPool();
  let body = pool.take(FIRST_BYTES);
  body.write(open);
  /** Behind the last record in `body`. */
  let length = open.length;
  /** The rows of runs as they stand in the input, for whoever asks: the input's own memory is used again. */
  let text: Memory = NOTHING;
  let textLength = 0;
  let records = 0;
  let ranges: Range[] = [];
  let parts: Part[] = [];
  let dropped = { invalid: 0, skipped: 0, duplicate: 0 };
  let notes = new Map<string, { count: number }>();
  let sentBefore = new Map<string, SentRows>();
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
    const sent = sentBefore.size === 0 ? undefined : [...sentBefore.values()];
    const commit = { cursors: [...cursors.values()], dropped, notes: counted(notes), sentBefore: sent };
    dropped = { invalid: 0, skipped: 0, duplicate: 0 };
    notes = new Map();
    sentBefore = new Map();
    cursors = new Map();
    return commit;
  };

  const seal = (): PreparedBatch => {
    room(close.length);
    body.write(close, length);
    const payload = body.subarray(0, length + close.length);
    sealed += 1;
    const digest = digestOf?.(payload) ?? '';
    // A batch without rows of runs must not share the memory of the next one's.
    const hasText = textLength > 0;
    const used = hasText ? [body, text] : [body];
    const batch = new BatchOfParts(
      { id: String(sealed), records, payload, digest, ranges },
      { parts, firstOffset: open.length, text: hasText ? text : NOTHING },
      readRow,
      () => used.splice(0).forEach(pool.giveBack),
    );
    if (sent) {
      body = pool.take(Math.ceil(payload.length * (1 + SPARE)));
      body.write(open);
      if (hasText) text = pool.take(Math.ceil(textLength * (1 + SPARE)));
    }
    length = open.length;
    textLength = 0;
    records = 0;
    ranges = [];
    parts = [];
    return { kind: 'batch', batch, commit: takeCommit() };
  };

  /** Where the next record begins, behind the comma. */
  const place = (): number => (records > 0 ? length + 1 : length);

  /** Makes sure that so many bytes have room behind the last record and a comma. */
  const room = (bytes: number): void => {
    body = grown(body, length, place() + bytes);
  };

  /** Keeps the rows of a run. Returns where the first of them begins in `text`. */
  const keep = (rows: Uint8Array): number => {
    const at = textLength;
    text = grown(text, at, at + rows.length);
    text.set(rows, at);
    textLength += rows.length;
    return at;
  };

  /** Seals what is open where so many bytes more have no room in it. */
  const makeWay = (bytes: number): PreparedBatch | undefined =>
    records > 0 && place() + bytes + close.length > limits.bytes ? seal() : undefined;

  /** Enters a part whose records were written at `place()`, `size` bytes in all. */
  const enter = (part: Part, size: number): void => {
    if (records > 0) body[length] = COMMA;
    length = place() + size;
    parts.push(part);
    records += part.count;
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
      const rows = Uint32Array.of(0, end - start, 0, nextLine - line, size);
      const kept = content === undefined ? {} : { content };
      enter({ source, firstRow: row, count: 1, rows, offset: start, line, ...kept }, size);
      extend(ranges, source, row, line, 1, start, end);
      advance(source, row, nextLine, end);
      for (const note of recordNotes) count(note);
      return before ?? (records < limits.records ? undefined : seal());
    },

    most: limits.bytes - frame,
    records: () => limits.records - records,
    // Where not even a comma has room there is none, and not less than none.
    bytes: () => Math.max(0, limits.bytes - close.length - place()),

    put(run) {
      const { source, firstRow, count: many, json, rows, offset, line } = run;
      const before = makeWay(json.length);
      room(json.length);
      body.set(json, place());
      const kept = sent ? { text: keep(run.text) } : {};
      enter({ source, firstRow, count: many, rows: rows.slice(), offset, line, ...kept }, json.length);
      extendByRun(ranges, run);
      const last = rows.length - ROW_NUMBERS;
      const nextLine = line + (rows[last + 3] ?? 0);
      advance(source, firstRow + many - 1, nextLine, offset + (rows[last + 1] ?? 0));
      for (const { list, times } of run.notes) for (const note of list) count(note, times);
      return before ?? (records < limits.records ? undefined : seal());
    },

    drop({ source, row, nextLine, end }, why, earlier) {
      dropped[why] += 1;
      if (earlier !== undefined) {
        const key = `${earlier.state} ${earlier.run}`;
        sentBefore.set(key, { ...earlier, rows: (sentBefore.get(key)?.rows ?? 0) + 1 });
      }
      advance(source, row, nextLine, end);
    },

    reach({ source, rows, line, byte }) {
      advance(source, rows, line, byte);
    },

    flush: () => (records > 0 ? seal() : undefined),

    commit: () => (records > 0 ? undefined : takeCommit()),
  };
}

function counted(notes: ReadonlyMap<string, { readonly count: number }>): Notes {
  const all: Record<string, number> = {};
  for (const [note, { count }] of notes) all[note] = count;
  return all;
}

type Range = { -readonly [Key in keyof RowRange]: RowRange[Key] } & { spans?: Span[] };

/** Extends by rows that stand one behind the other, each on one line. */
function extend(
  ranges: Range[],
  source: number,
  row: number,
  line: number,
  rows: number,
  start: number,
  end: number,
): void {
  const lastRow = row + rows - 1;
  const lastLine = line + rows - 1;
  const last = ranges.at(-1);
  if (last === undefined || last.source !== source) {
    ranges.push({ source, firstRow: row, lastRow, firstLine: line, lastLine, start, end });
    return;
  }
  // Rows were dropped in between, or one of them has several lines.
  if (row !== last.lastRow + 1 || line !== last.lastLine + 1) {
    last.spans ??= [[last.firstRow, last.firstLine, last.lastRow - last.firstRow + 1]];
    last.spans.push([row, line, 0]);
  }
  const span = last.spans?.pop();
  if (span !== undefined) last.spans?.push([span[0], span[1], span[2] + rows]);
  last.lastRow = lastRow;
  last.lastLine = lastLine;
  last.end = end;
}

function extendByRun(ranges: Range[], { source, firstRow, count, rows, offset, line }: RecordChunk): void {
  const number = (index: number, which: number): number => rows[index * ROW_NUMBERS + which] ?? 0;
  const isPlain = number(count - 1, 3) - number(0, 2) === count;
  const step = isPlain ? count : 1;
  for (let index = 0; index < count; index += step) {
    const start = offset + number(index, 0);
    const end = offset + number(index + step - 1, 1);
    extend(ranges, source, firstRow + index, line + number(index, 2), step, start, end);
  }
}
