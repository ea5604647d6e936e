import type { Batch, Commit } from './batch.ts';
import type { Content, Issue, Position } from './row.ts';

/**
 * What the prepare half hands to the deliver half, in the order of the inputs' bytes. Plain data: it can come
 * from another thread, or from another implementation of the prepare half.
 */
export type Prepared =
  | PreparedBatch
  | {
      readonly kind: 'invalid';
      readonly position: Position;
      readonly issues: readonly Issue[];
      readonly content: Content | string;
    }
  | { readonly kind: 'skipped'; readonly position: Position }
  | PreparedEnd;

export interface PreparedBatch {
  readonly kind: 'batch';
  readonly batch: Batch;
  readonly commit: Commit;
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
