/** The state of one batch while it is delivered. */
import type { Batch } from '../model/batch.ts';

/** What earlier attempts left behind: those of an earlier part of the run, or of the batch that this one is a part of. */
export interface EarlierAttempts {
  readonly attempts: number;
  readonly maybeProcessed: boolean;
  /** The batch is a part of one that was split. */
  readonly isPart?: boolean | undefined;
}

export interface BatchProgress {
  readonly batch: Batch;
  readonly isPart: boolean;
  attempts: number;
  /** Attempts that count against `--retries`. */
  failures: number;
  /** An attempt may have been processed, and no receipt came since. */
  maybeProcessed: boolean;
  /** Start of the first attempt on the monotonic clock. */
  startedAt: number | undefined;
  /** Milliseconds since then during which the machine slept. */
  asleepMs: number;
  /** HTTP status of the last attempt, if it was answered. */
  status: number | undefined;
  /** Why the last attempt did not deliver the batch. */
  error: string | undefined;
}

export function startProgress(batch: Batch, earlier: EarlierAttempts | undefined): BatchProgress {
  return {
    batch,
    isPart: earlier?.isPart === true,
    attempts: earlier?.attempts ?? 0,
    failures: 0,
    maybeProcessed: earlier?.maybeProcessed ?? false,
    startedAt: undefined,
    asleepMs: 0,
    status: undefined,
    error: undefined,
  };
}
