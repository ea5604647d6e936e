/** Sealed batches: what is sent, where it came from, and the accounting that travels with it. Types and nothing else. */
import type { Notes } from './record.ts';
import type { Content, Position, ReadPosition } from './row.ts';

/** Consecutive rows of one input. All bounds are inclusive, but `end`, which is exclusive. */
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
   * The rows that are meant, as stretches of one row a line: first row, its line, how many. Absent where the range is
   * one such stretch. With them every row of a batch can be named by its line without reading the input again.
   */
  readonly spans?: readonly Span[];
}

/** Rows of which each stands on the line behind the one before: row and line of the first, and how many. */
export type Span = readonly [row: number, line: number, rows: number];

/** How far an input is accounted for: everything before is in a sealed batch or was dropped with a reason. */
export interface Cursor extends ReadPosition {
  readonly source: number;
}

/** Rows that became no record, by why. */
export interface Dropped {
  readonly invalid: number;
  readonly skipped: number;
  readonly duplicate: number;
}

/** Up to 100 records, sealed: numbered, digested, never cut anew. */
export interface Batch {
  /** `1`, `2`, …; the parts of the split batch `12` are `12.1` and `12.2`. */
  readonly id: string;
  readonly records: number;
  /** The request body, as it goes on the wire. */
  readonly payload: Uint8Array;
  /** Of the payload, in hexadecimal (src/digest.ts): the identity of the batch. */
  readonly digest: string;
  /** Where the records came from; one range an input. */
  readonly ranges: readonly RowRange[];
  /**
   * Where in the payload each record begins, and last where one more would begin: record n is the bytes from
   * `offsets[n]` up to `offsets[n + 1] - 1`, which is a comma or the end of the array.
   */
  readonly offsets: readonly number[];
  /** The row of each record. */
  readonly rows: readonly BatchRow[];
  /**
   * Lets a later batch reuse the memory of this one. Only the last owner may call it, once nothing refers to the payload
   * or the rows. Optional: memory that is not released is garbage collected, at about 15 % more CPU time.
   */
  release?(): void;
}

/** The row that a record was made from. Kept as long as its batch is under way. */
export interface BatchRow {
  readonly position: Position;
  /** The row, for the rejects file. Absent where the input is not at hand. */
  readonly content?: Content | string;
}

/**
 * One step of accounting: all rows up to `cursors` are now either in a sealed batch or in `dropped`.
 * What has been read behind the last commit does not count as read, and is read again by a resume.
 */
export interface Commit {
  readonly cursors: readonly Cursor[];
  readonly dropped: Dropped;
  readonly notes: Notes;
  /** Which of the skipped rows earlier runs have sent. Absent if none were. */
  readonly sentBefore?: readonly SentRows[] | undefined;
}

/** Rows whose records an earlier run has sent. */
export interface SentRows {
  readonly run: string;
  /** `unknown`: they may or may not have arrived. */
  readonly state: 'delivered' | 'unknown';
  readonly rows: number;
}
