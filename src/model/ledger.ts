/** The books of a run: what all its facts so far add up to. Types and nothing else. */
import type { RowRange, SentRows } from './batch.ts';
import type { Input, RunState } from './event.ts';
import type { Outcome, Stop } from './outcome.ts';
import type { RecordType, Variant } from './record.ts';

/** The books of a run: what all events so far add up to. Made by journal/fold, read by everybody else. */
export interface Ledger {
  run: string;
  startedAt: string;
  endedAt?: string;
  type: RecordType;
  variant?: Variant;
  state: RunState | 'running';
  stop?: Stop;
  rows: RowCounts;
  batches: BatchCounts;
  service: ServiceCounts;
  sources: SourceState[];
  /** Batches that are sealed and not settled. */
  open: Map<string, OpenBatch>;
  /** Records of batches that ended exhausted, by batch: a stop by an outage puts them back to pending. */
  exhausted: Map<string, number>;
  requests: number;
  retries: number;
  bytesSent: number;
  throttle: { paused: boolean; why?: string; since?: string; ms?: number; concurrency?: number };
  notes: Map<string, number>;
  /** Skipped rows that earlier runs have sent. */
  sentBefore: SentRows[];
}

/**
 * `read` is counted from the inputs' cursors, and every other number from what became of the rows: that they
 * are equal is a proof and not a definition.
 */
export interface RowCounts extends Record<Outcome, number> {
  read: number;
  invalid: number;
  skipped: number;
  duplicate: number;
  pending: number;
}

export interface BatchCounts extends Record<Outcome, number> {
  sealed: number;
  pending: number;
  split: number;
}

/**
 * Sums of the receipts. `unaccounted`: by how many records the receipts differ from what was sent, too few and
 * too many alike.
 */
export interface ServiceCounts {
  accepted: number;
  deduplicated: number;
  rejected: number;
  promoted: number;
  unaccounted: number;
}

export interface SourceState extends Input {
  /** Offset up to which every row is accounted for. */
  read: number;
  rows: number;
  /** Whether the end was reached and everything before it is accounted for. */
  ended: boolean;
  digest?: string;
}

export interface OpenBatch {
  readonly records: number;
  readonly bytes: number;
  readonly ranges: readonly RowRange[];
  attempts: number;
  /** Whether an attempt may have been processed: one is under way, or one failed so that nobody can tell. */
  maybeProcessed: boolean;
}
