/** What a run is asked to do, and what it needs from outside. Types only. */
import type { Claims } from '../claims/index.ts';
import type { Clock, DeliveryOptions, EarlierAttempts, Transport } from '../deliver/index.ts';
import type { OpenInput } from '../input/open-inputs.ts';
import type { Lock } from '../journal/lock.ts';
import type { BatchReopened } from '../model/event.ts';
import type { Stop } from '../model/outcome.ts';
import type { Prepared } from '../model/prepared.ts';
import type { RunReader, RunState } from '../model/run-state.ts';
import type { PrepareJob } from '../prepare/index.ts';
import type { RowLimits } from './row-limits.ts';
import type { RunFiles } from './run-files.ts';
import type { FindSent, ShardJob } from './select-records.ts';

export interface RunJob extends Pick<PrepareJob, 'contract' | 'variant'>, Partial<Pick<PrepareJob, 'skip' | 'limit'>> {
  readonly inputs: readonly {
    readonly source: Pick<OpenInput, 'name' | 'size' | 'spool' | 'close'>;
    readonly textSize?: number | undefined;
  }[];
  readonly shard?: ShardJob | undefined;
}

export interface UploadJob extends RunJob {
  readonly run: string;
  /** Where batches come from: the inputs (prepare/), or the payloads in the run folder (stored-batches.ts). */
  readonly prepare: () => AsyncIterable<readonly Prepared[]>;
  readonly delivery: Omit<DeliveryOptions, 'contract'>;
  /** How long requests in flight may take after an interruption, in milliseconds. */
  readonly graceMs: number;
  readonly limits?: RowLimits;
  /** Whether the journal holds the keys of records, for claims and `--dedupe`. */
  readonly recordKeys?: boolean;
  readonly findSent?: FindSent | undefined;
  readonly resume?: ResumeState | undefined;
}

export interface ResumeState {
  /** The state so far; the run continues it. */
  readonly runState: RunState;
  /** Batches that are sent again, or settled, by id. */
  readonly unsettled: ReadonlyMap<string, UnsettledBatch>;
  /** Refused rows that stay in the rejects files, and the lengths of the files. Undefined if they are listed anew. */
  readonly listed?:
    | { readonly batches: ReadonlySet<string>; readonly bytes: Readonly<Record<number, number>> }
    | undefined;
  readonly baseUrl: string;
}

export interface UnsettledBatch extends EarlierAttempts {
  readonly from: BatchReopened['from'] | 'pending';
  readonly why: BatchReopened['why'];
  /** `settle` as unknown: it may have been processed, and nothing documents that sending it twice is harmless. */
  readonly next: 'send' | 'settle';
}

export interface UploadDeps {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly runFiles: RunFiles;
  readonly readers: readonly RunReader[];
  readonly onStop?: ((stop: Stop) => void) | undefined;
  /** The session of the claims on its records. Absent if it claims nothing. */
  readonly claims?: Pick<Claims, 'confirm'> | undefined;
  /** The lock of the run. It must be held for every write into the run folder and for every attempt. */
  readonly lock: Pick<Lock, 'lost' | 'confirm'>;
  /** Aborted when the user or the system ends the run; the reason is the signal's name. */
  readonly signal: AbortSignal;
}
