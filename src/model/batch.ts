/** Sealed batches: the request body, the rows that it was made from, and the accounting of those rows. Types only. */
import type { Notes } from './note.ts';
import type { Content, Position, ReadPosition } from './row.ts';

/** A range of rows of one input. All bounds are inclusive, except `end`. */
export interface RowRange {
  readonly source: number;
  readonly firstRow: number;
  readonly lastRow: number;
  readonly firstLine: number;
  /** Line on which the last row starts. */
  readonly lastLine: number;
  readonly start: number;
  readonly end: number;
  /**
   * The rows of the range that are included. Absent if they are all included and are on consecutive lines. They give the
   * line of every row without reading the input again.
   */
  readonly spans?: readonly Span[] | undefined;
}

/** Rows on consecutive lines: row and line of the first one, and the number of rows. */
export type Span = readonly [row: number, line: number, rows: number];

/** The end of the accounted rows of an input: each row before it is in a sealed batch or was dropped with a reason. */
export interface Cursor extends ReadPosition {
  readonly source: number;
}

/** Numbers of rows that are in no batch, by reason. */
export interface Dropped {
  readonly invalid: number;
  readonly skipped: number;
  readonly duplicate: number;
}

/**
 * Up to 100 records, sealed: numbered, digested and never cut again. An object, not plain data: `offsets` and `rows` may
 * be computed on first access, from memory that `release` returns.
 */
export interface Batch {
  /** `1`, `2`, …; the parts of the split batch `12` are `12.1` and `12.2`. */
  readonly id: string;
  readonly records: number;
  /** The request body. */
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
  /** The row of each record. */
  readonly rows: readonly BatchRow[];
  /**
   * Lets a later batch reuse the memory of this one. Called at most once: by deliver/ after the batch is delivered and
   * its request is written completely, or for a batch of another shard. `payload`, `offsets` and `rows` are invalid afterwards. Calling it is
   * optional: memory that is not released is garbage collected, at about 15 % more CPU time.
   */
  readonly release?: (() => void) | undefined;
}

/** The row that a record was made from. */
export interface BatchRow {
  readonly position: Position;
  /** The row, for the rejects file. Absent if the input is not available. */
  readonly content?: Content | string | undefined;
}

/**
 * One step of accounting: every row before `cursors` is in a sealed batch or in `dropped`. Rows after the last commit do
 * not count as read, and a resume reads them again.
 */
export interface Commit {
  readonly cursors: readonly Cursor[];
  readonly dropped: Dropped;
  readonly notes: Notes;
  /** Where a note of the run applies first, by note key. Only of notes that have a place (model/note.ts). */
  readonly firstNotes?: Readonly<Record<string, RowPlace>> | undefined;
  /** The skipped rows that earlier runs have sent. Absent if there are none. */
  readonly sentBefore?: readonly SentRows[] | undefined;
  /** What a shard has passed over since its last commit. Absent if the run is not divided. */
  readonly passed?: Passed | undefined;
}

/** The rows of other shards, which a shard reads and does not count as read. */
export interface Passed {
  /** Batches that were cut and not sealed: those of other shards, and own ones that earlier runs have sent entirely. */
  readonly batches: number;
  /** Rows of other shards, including dropped ones. */
  readonly rows: number;
  /** Of these, rows that became no record. */
  readonly invalid: number;
  /** Of these, rows that an option has skipped. */
  readonly skipped: number;
  /** With `--dedupe`, the records of the other shards: a resume compares later ones with them. */
  readonly sealed?: readonly SealedKeys[] | undefined;
}

/** The rows of a batch, and the keys of their records as in `batch.sealed`. */
export interface SealedKeys {
  readonly keys: string;
  readonly ranges: readonly RowRange[];
}

/** The line of a row in its input, by the input's index. */
export type RowPlace = Pick<Position, 'source' | 'line'>;

/** Rows whose records an earlier run has sent. */
export interface SentRows {
  readonly run: string;
  /** `unknown`: they may or may not have arrived. */
  readonly state: 'delivered' | 'unknown';
  readonly rows: number;
}
