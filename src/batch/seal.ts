/**
 * Records to sealed batches. Pure and deterministic: what is in a batch follows from the rows and the limits
 * alone, so that a resumed run cuts the same batches again. Times, threads and answers play no part.
 */
import { createHash } from 'node:crypto';
import type { BatchRow, Commit, Cursor, RowRange, Span } from '../model/batch.ts';
import type { PreparedBatch } from '../model/prepared.ts';
import type { Content, Position } from '../model/row.ts';

export interface BatchLimits {
  /** Key of the request body that holds the array of records. */
  readonly envelope: string;
  /** Records a batch, from 1. */
  readonly records: number;
  /** Bytes of a request body. */
  readonly bytes: number;
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

/** @param sealedBefore batches of this run that were sealed already: numbering goes on behind them */
export function createSealer(limits: BatchLimits, sealedBefore = 0): Sealer {
  const open = `{"${limits.envelope}":[`;
  const close = ']}';
  const frame = open.length + close.length;

  let sealed = sealedBefore;
  let records: string[] = [];
  let bytes = frame;
  let ranges: Range[] = [];
  let offsets: number[] = [open.length];
  let rows: BatchRow[] = [];
  let dropped = { invalid: 0, skipped: 0, duplicate: 0 };
  let notes = new Map<string, number>();
  let cursors = new Map<number, Cursor>();

  const advance = (position: Position): void => {
    cursors.set(position.source, {
      source: position.source,
      rows: position.row,
      line: position.nextLine,
      byte: position.end,
    });
  };

  const takeCommit = (): Commit => {
    const commit = { cursors: [...cursors.values()], dropped, notes: Object.fromEntries(notes) };
    dropped = { invalid: 0, skipped: 0, duplicate: 0 };
    notes = new Map();
    cursors = new Map();
    return commit;
  };

  const seal = (): PreparedBatch => {
    const payload = Buffer.from(open + records.join(',') + close);
    sealed += 1;
    const batch = {
      id: String(sealed),
      records: records.length,
      payload,
      digest: createHash('sha256').update(payload).digest('hex'),
      ranges,
      offsets,
      rows,
    };
    records = [];
    bytes = frame;
    ranges = [];
    offsets = [open.length];
    rows = [];
    return { kind: 'batch', batch, commit: takeCommit() };
  };

  return {
    // A UTF-16 code unit is at most three bytes of UTF-8, so that most records need no counting.
    fits: (json) =>
      frame + json.length * 3 <= limits.bytes || frame + Buffer.byteLength(json) <= limits.bytes,

    add(position, json, recordNotes, content) {
      const size = Buffer.byteLength(json);
      const full = records.length > 0 && bytes + 1 + size > limits.bytes;
      const before = full ? seal() : undefined;
      bytes += size + (records.length > 0 ? 1 : 0);
      records.push(json);
      offsets.push(bytes - close.length + 1);
      rows.push(content === undefined ? { position } : { position, content });
      extend(ranges, position);
      advance(position);
      for (const note of recordNotes) notes.set(note, (notes.get(note) ?? 0) + 1);
      if (before !== undefined || records.length < limits.records) return before;
      return seal();
    },

    drop(position, why, note) {
      dropped[why] += 1;
      if (note !== undefined) notes.set(note, (notes.get(note) ?? 0) + 1);
      advance(position);
    },

    reach: (cursor) => void cursors.set(cursor.source, cursor),

    flush: () => (records.length > 0 ? seal() : undefined),

    commit: () => (records.length > 0 ? undefined : takeCommit()),
  };
}

type Range = { -readonly [Key in keyof RowRange]: RowRange[Key] } & { spans?: Span[] };

function extend(ranges: Range[], position: Position): void {
  const last = ranges.at(-1);
  if (last !== undefined && last.source === position.source) {
    // Rows were dropped in between, or one of them has several lines.
    if (position.row !== last.lastRow + 1 || position.line !== last.lastLine + 1) {
      last.spans ??= [[last.firstRow, last.firstLine, last.lastRow - last.firstRow + 1]];
      last.spans.push([position.row, position.line, 0]);
    }
    const span = last.spans?.pop();
    if (span !== undefined) last.spans?.push([span[0], span[1], span[2] + 1]);
    last.lastRow = position.row;
    last.lastLine = position.line;
    last.end = position.end;
    return;
  }
  ranges.push({
    source: position.source,
    firstRow: position.row,
    lastRow: position.row,
    firstLine: position.line,
    lastLine: position.line,
    start: position.start,
    end: position.end,
  });
}
