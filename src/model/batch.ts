/** Sealed batches: the request body, and the rows that it was made from. Types only. */
import type { Position, RowRange } from './position.ts';
import type { Content } from './row.ts';

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
