/** The seam between the two halves: what *prepare* hands over and *deliver* takes. Types and nothing else. */
import type { Batch, Commit } from './batch.ts';
import type { RowSkipped } from './event.ts';
import type { Content, Issue, Position } from './row.ts';

/**
 * What the prepare half hands to the deliver half, in the order of the inputs' bytes. Plain data: it can come
 * from another thread, or from another implementation of the prepare half.
 */
export type Prepared =
  | PreparedBatch
  | PreparedAgain
  | PreparedInvalid
  | PreparedSkipped
  | PreparedDuplicate
  | PreparedEnd;

export interface PreparedBatch {
  readonly kind: 'batch';
  readonly batch: Batch;
  readonly commit: Commit;
  /** An earlier run may have had it processed. */
  readonly maybeProcessed?: true | undefined;
}

/** A batch that an earlier part of the run has sealed, cut again from the input. */
export interface PreparedAgain {
  readonly kind: 'again';
  readonly batch: Batch;
  /** Whether the payload is the one that was sealed. If not, the input has changed. */
  readonly matches: boolean;
}

export interface PreparedInvalid {
  readonly kind: 'invalid';
  readonly position: Position;
  readonly issues: readonly Issue[];
  /** The row, for the rejects file: as it was parsed, or as it stands in the input where it could not be. */
  readonly content: Content | string;
}

export interface PreparedSkipped extends Omit<RowSkipped, 'event'> {
  readonly kind: 'skipped';
}

/** A row whose record is the same as that of an earlier row of the run. */
export interface PreparedDuplicate {
  readonly kind: 'duplicate';
  readonly position: Position;
  readonly of: Pick<Position, 'source' | 'line'>;
}

/** An input's last byte was read. */
export interface PreparedEnd {
  readonly kind: 'end';
  readonly source: number;
  readonly bytes: number;
  readonly digest: string;
  readonly rows: number;
  readonly commit?: Commit;
}
