/** What an upload is asked to do, and what it needs of the world. Types and nothing else. */
import type { Clock, DeliveryOptions, Transport } from '../deliver/index.ts';
import type { Reopened, RunEvent } from '../model/event.ts';
import type { Ledger } from '../model/ledger.ts';
import type { Prepared } from '../model/prepared.ts';
import type { PrepareJob } from '../prepare/index.ts';
import type { OpenInput } from '../source/index.ts';
import type { RowLimits } from './row-limits.ts';
import type { RejectsMark, RunFiles } from './run-files.ts';

/** As much of a job as the flow itself asks for: what is read and how is the business of whoever prepares it. */
export interface RunJob extends Pick<PrepareJob, 'contract' | 'variant'> {
  readonly inputs: readonly {
    readonly source: Pick<OpenInput, 'name' | 'size' | 'spool' | 'close'>;
    readonly textSize?: number;
  }[];
}

export interface UploadJob extends RunJob {
  readonly run: string;
  /** Where the batches come from: the inputs (prepare.ts), or what another run did not deliver (replay.ts). */
  readonly prepare: () => AsyncIterable<readonly Prepared[]>;
  readonly delivery: Omit<DeliveryOptions, 'contract'>;
  /** How long attempts in flight may go on after an interruption, in milliseconds. */
  readonly graceMs: number;
  readonly limits?: RowLimits;
  /** Whether the journal tells the keys of records, for those who ask which were sent. */
  readonly recordKeys?: boolean;
  /** What an earlier part of the run came to. Absent where the run begins. */
  readonly resume?: ResumeState;
}

export interface ResumeState {
  /** The books so far; they go on. */
  readonly ledger: Ledger;
  /** Batches that are not settled for good, by id. */
  readonly unsettled: ReadonlyMap<string, UnsettledBatch>;
  /** How long the rejects files were at the last commit. */
  readonly rejects: RejectsMark;
  /** It goes on at another base URL. */
  readonly baseUrlChanged?: boolean;
}

export interface UnsettledBatch extends Reopened {
  /** `send` it again, or `hold` it: it may have been processed, and nothing documents that twice is harmless. */
  readonly next: 'send' | 'hold';
}

export interface UploadDeps {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly runFiles: RunFiles;
  /** Told of every event once it is in the journal, with the books that include it. */
  readonly readers: readonly ((event: RunEvent, ledger: Ledger) => void)[];
  /** Aborted when the user or the system ends the run; the reason is the signal's name. */
  readonly signal: AbortSignal;
}
