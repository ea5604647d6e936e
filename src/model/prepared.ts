/**
 * The items that prepare/ yields and run/ passes on, in the order of the inputs. All are plain data except the batches, whose
 * receiver owns them: run/ journals a batch and submits it to deliver/, which may release its memory.
 */
import type { Batch, Commit } from './batch.ts';
import type { RowSkipped } from './event.ts';
import type { Content, Issue, Position } from './row.ts';

export type Prepared =
  | PreparedBatch
  | PreparedRebuilt
  | PreparedInvalid
  | PreparedSkipped
  | PreparedDuplicate
  | PreparedEnd;

export interface PreparedBatch {
  readonly kind: 'batch';
  readonly batch: Batch;
  readonly commit: Commit;
  /** The keys of its records as base64, if the journal records them. */
  readonly keys?: string | undefined;
}

/** A batch that was sealed before a resume, rebuilt from the input. */
export interface PreparedRebuilt {
  readonly kind: 'rebuilt';
  readonly batch: Batch;
  /** Whether the payload has the digest in the journal. If not, the input or the mapping has changed. */
  readonly matches: boolean;
}

export interface PreparedInvalid {
  readonly kind: 'invalid';
  readonly position: Position;
  readonly issues: readonly Issue[];
  /** The row, for the rejects file: parsed, or as in the input if it cannot be parsed or written back exactly. */
  readonly content: Content | string;
}

export interface PreparedSkipped extends Omit<RowSkipped, 'event'> {
  readonly kind: 'skipped';
}

/** A row whose record equals that of an earlier row of the run. */
export interface PreparedDuplicate {
  readonly kind: 'duplicate';
  readonly position: Position;
  readonly of: Pick<Position, 'source' | 'line'>;
}

/** An input was read to its end. */
export interface PreparedEnd {
  readonly kind: 'end';
  readonly source: number;
  readonly bytes: number;
  readonly digest: string;
  readonly rows: number;
  readonly commit?: Commit | undefined;
}
