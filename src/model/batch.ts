/** Sealed batches: the request body, the rows that it was made from, and which rows a batch accounts for (decision 0001). */
import { z } from 'zod';
import { type Content, cursor, type Data, type Position, type RowRange, rowPlace, rowRange, type Span } from './row.ts';

/**
 * Up to 100 records, sealed: numbered, digested and never cut again. An object, not plain data: `offsets` and `rows` may
 * be computed on first access, from memory that `release` returns.
 */
export interface Batch {
  /** `1`, `2`, …; the parts of the split batch `12` are `12.1` and `12.2`. */
  readonly id: string;
  readonly records: number;
  readonly payload: Uint8Array;
  /** Digest of the payload (lib/digest.ts), which identifies the batch. */
  readonly digest: string;
  /** The rows of the records; one range per input. */
  readonly ranges: readonly RowRange[];
  /**
   * Offsets of the records in the payload, and of the next one that would follow. Record n ends before
   * `offsets[n + 1] - 1`, the offset of a comma or of the end of the array.
   */
  readonly offsets: readonly number[];
  readonly rows: readonly BatchRow[];
  /**
   * Lets a later batch reuse the memory of this one. Called at most once: by deliver/ after the batch is delivered and
   * its request is written completely, or for a batch of another shard. `payload`, `offsets` and `rows` are invalid afterwards. Calling it is
   * optional: memory that is not released is garbage collected, at about 15 % more CPU time.
   */
  readonly release?: (() => void) | undefined;
}

export interface BatchRow {
  readonly position: Position;
  /** The row, for the rejects file. Absent if the input is not available. */
  readonly content?: Content | string | undefined;
}

/**
 * A batch of some records of another one.
 *
 * @param isWanted by the index of the record; at least one record is wanted
 */
export function selectRecords(
  batch: Batch,
  isWanted: (index: number) => boolean,
  digestOf: (payload: Uint8Array) => string,
): Batch {
  const { id, payload, offsets } = batch;
  const at = (index: number): number => offsets[index] ?? payload.byteLength;
  const pieces = [payload.subarray(0, at(0))];
  const selected = { offsets: [at(0)], rows: [] as BatchRow[] };
  for (const [index, row] of batch.rows.entries()) {
    if (!isWanted(index)) continue;
    // With the character after it, a comma or the end of the array.
    const record = payload.subarray(at(index), at(index + 1));
    pieces.push(record);
    selected.offsets.push((selected.offsets.at(-1) ?? 0) + record.byteLength);
    selected.rows.push(row);
  }
  const [records, end] = [Buffer.concat(pieces), payload.subarray(at(batch.records) - 1)];
  const body = Buffer.concat([records.subarray(0, -1), end]);
  const ranges = rangesOf(selected.rows.map(({ position }) => position));
  return { id, records: selected.rows.length, payload: body, digest: digestOf(body), ranges, ...selected };
}

export function spansOf({ spans, firstRow, firstLine, lastRow }: Omit<RowRange, 'source'>): readonly Span[] {
  return spans ?? [[firstRow, firstLine, lastRow - firstRow + 1]];
}

export function rowsOf(range: RowRange) {
  const { source } = range;
  return spansOf(range).flatMap(([row, line, rows]) =>
    Array.from({ length: rows }, (_, n) => ({ source, row: row + n, line: line + n })),
  );
}

export interface MutableRange extends RowRange {
  lastRow: number;
  lastLine: number;
  end: number;
  spans?: Span[];
}

/** Rows on consecutive lines, and their bytes. `row`, `line`: of the first one; `rows`: how many. */
export interface ConsecutiveRows {
  readonly source: number;
  readonly row: number;
  readonly line: number;
  readonly rows: number;
  readonly start: number;
  readonly end: number;
}

export function extendRanges(ranges: MutableRange[], { source, row, line, rows, start, end }: ConsecutiveRows): void {
  const lastRow = row + rows - 1;
  const lastLine = line + rows - 1;
  const last = ranges.at(-1);
  if (last === undefined || last.source !== source) {
    ranges.push({ source, firstRow: row, lastRow, firstLine: line, lastLine, start, end });
    return;
  }
  // Rows between were dropped, or a row has several lines.
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

/** The ranges of single rows, in their order: one range per input. */
function rangesOf(rows: readonly Position[]): readonly RowRange[] {
  const ranges: MutableRange[] = [];
  for (const { source, row, line, start, end } of rows) {
    extendRanges(ranges, { source, row, line, rows: 1, start, end });
  }
  return ranges;
}

/** Sorts batches by their rows: they settle in any order, and the parts of a split one are sealed late. */
export function byFirstRow({ ranges: [one] }: Ranged, { ranges: [other] }: Ranged): number {
  if (one === undefined || other === undefined) return 0;
  return one.source - other.source || one.firstRow - other.firstRow;
}

type Ranged = Pick<Batch, 'ranges'>;

export const shard = z
  .object({ index: z.int().describe('From 0'), of: z.int().describe('Number of shards') })
  .describe('The part of a divided run that this run sends. Absent if the run is not divided');
/** Batch k, from 0, belongs to the shard with the index k modulo `of`. */
export type Shard = Data<typeof shard>;
const dropped = z.object({ invalid: z.int(), skipped: z.int(), duplicate: z.int() });

/** Numbers of rows that are in no batch, by reason. */
export type Dropped = Data<typeof dropped>;
const sentRows = z.object({
  run: z.string().describe('The earlier run'),
  state: z.enum(['delivered', 'unknown']).describe('unknown: they may or may not have arrived'),
  rows: z.int(),
});

/** Rows whose records an earlier run has sent. */
export type SentRows = Data<typeof sentRows>;
const sealedKeys = z.object({ keys: z.string(), ranges: z.array(rowRange) });

/** The rows of a batch, and the keys of their records as in `batch.sealed`. */
export type SealedKeys = Data<typeof sealedKeys>;
const excluded = z
  .object({
    batches: z.int().describe('Batches that were cut and not sealed'),
    rows: z.int().describe('Rows of other shards, including rows that became no record'),
    invalid: z.int().describe('Invalid rows of other shards'),
    skipped: z.int().describe('Rows of other shards that an option has skipped'),
    sealed: z.array(sealedKeys).optional().describe('With --dedupe, the records of other shards'),
  })
  .describe('What this run leaves out since its last commit: what belongs to other shards, or was sent before');
/** The rows of other shards, which a shard reads and does not count as read. */
export type Excluded = Data<typeof excluded>;

export const commit = z.object({
  cursors: z.array(cursor).describe('Every row before them is in a sealed batch or in dropped'),
  dropped: dropped.describe('Rows that are in no batch, by reason'),
  notes: z.record(z.string(), z.int()).describe('Number of records by remark, such as date_only:detected_at'),
  firstNotes: z.record(z.string(), rowPlace).optional().describe('Where some notes of the run apply first'),
  sentBefore: z.array(sentRows).optional().describe('The skipped rows that earlier runs have sent'),
  excluded: excluded.optional(),
});

/**
 * One step of accounting: every row before `cursors` is in a sealed batch or in `dropped`. Rows after the last commit do
 * not count as read, and a resume reads them again.
 */
export type Commit = Data<typeof commit>;
