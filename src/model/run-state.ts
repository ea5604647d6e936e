/** The run state of a run. Types only. */

import type { Passed, SentRows } from './commit.ts';
import type { BatchCounts, RowCounts, ServiceCounts } from './counts.ts';
import type { BatchSealed, EndState, Input, RunEvent } from './event.ts';
import type { BatchState, Stop } from './outcome.ts';
import type { RowPlace } from './position.ts';
import type { RecordType, Variant } from './record.ts';
import type { Shard } from './shard.ts';

/** The totals of all events of a run so far. Written by journal/run-state.ts, read by everything else. */
export interface RunState {
  run: string;
  startedAt: string;
  endedAt?: string | undefined;
  type: RecordType;
  variant?: Variant | undefined;
  shard?: Shard | undefined;
  state: EndState | 'running';
  stop?: Stop | undefined;
  rows: RowCounts;
  batches: BatchCounts;
  service: ServiceCounts;
  sources: SourceState[];
  /** Batches whose outcome can still change, by id, in the order in which they were sealed. */
  open: Map<string, OpenBatch>;
  requests: number;
  retries: number;
  /** Delivered records that were sent again because an earlier attempt may have been processed. */
  resent: number;
  bytesSent: number;
  throttle: ThrottleState;
  notes: Map<string, number>;
  /** Where a note applies first, by note key. Only of notes that have a place (model/note.ts). */
  firstNotes: Map<string, RowPlace>;
  /** Skipped rows that earlier runs have sent. */
  sentBefore: SentRows[];
  /** What a shard has passed over, without the keys. */
  passed: Omit<Passed, 'sealed'>;
}

export interface SourceState extends Input {
  /** Offset up to which every row is accounted for. */
  read: number;
  rows: number;
  /** Whether the end was reached and everything before it is accounted for. */
  ended: boolean;
  digest?: string;
}

/** A batch whose outcome can still change: pending, or exhausted or unknown until a resume sends it again. */
export interface OpenBatch extends Pick<BatchSealed, 'batch' | 'digest' | 'records' | 'bytes' | 'ranges' | 'keys'> {
  /** The batch is a part of one that was split. */
  readonly isPart: boolean;
  state: 'pending' | 'exhausted' | 'unknown';
  attempts: number;
  /** Whether the service may have processed an attempt: its result is missing, or does not rule it out. */
  maybeProcessed: boolean;
  /** Whether it was sent again after that. */
  isResent?: boolean;
  /** When its last attempt was sent: ISO 8601, UTC. */
  sentAt?: string;
}

/** A batch that has entered another state. */
export interface BatchChange {
  readonly batch: OpenBatch;
  /** Undefined for a batch that was just sealed. */
  readonly from: BatchState | undefined;
  readonly to: BatchState | 'split';
}

/** Reads a run: each event, the run state that includes it, and the batches whose state it has changed. */
export type RunReader = (event: RunEvent, runState: RunState, changes: readonly BatchChange[]) => void;

export interface ThrottleState {
  paused: boolean;
  /** Whether the service fails: from the first pause for that to the next delivery. */
  outage: boolean;
  why?: string | undefined;
  /** ISO 8601, UTC. */
  since?: string | undefined;
  ms?: number | undefined;
  concurrency?: number | undefined;
}
