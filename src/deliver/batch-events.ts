/** The events of one batch, built from its progress. Pure. */
import type { Batch } from '../model/batch.ts';
import type { AttemptFailed, AttemptStarted, BatchSettled, BatchSplit } from '../model/event.ts';
import type { Outcome, Receipt } from '../model/outcome.ts';
import type { BatchProgress } from './batch-progress.ts';

export function attemptStarted({ batch, attempts }: BatchProgress, time: string): AttemptStarted {
  return {
    event: 'attempt.started',
    time,
    batch: batch.id,
    attempt: attempts + 1,
    bytes: batch.payload.byteLength,
  };
}

export function attemptFailed(
  { batch, attempts, status, error = '', maybeProcessed }: BatchProgress,
  time: string,
  failure: {
    readonly ms: number;
    readonly next: AttemptFailed['next'];
    readonly afterMs?: number | undefined;
  },
): AttemptFailed {
  const { ms, next, afterMs } = failure;
  return {
    event: 'attempt.failed',
    time,
    batch: batch.id,
    attempt: attempts,
    ms,
    status,
    error,
    maybeProcessed,
    next,
    afterMs,
  };
}

/** The parts inherit `maybeProcessed`: they are as unknown as their batch. */
export function batchSplit(
  { batch, attempts, status, error = '', maybeProcessed }: BatchProgress,
  time: string,
  parts: readonly Batch[],
): BatchSplit {
  return {
    event: 'batch.split',
    time,
    batch: batch.id,
    attempts,
    status,
    error,
    parts: parts.map(({ id, digest, records, payload, ranges }) => ({
      batch: id,
      digest,
      records,
      bytes: payload.byteLength,
      ranges,
      maybeProcessed: maybeProcessed ? true : undefined,
    })),
  };
}

/** @param now monotonic milliseconds */
export function batchSettled(
  progress: BatchProgress,
  time: string,
  now: number,
  settled: {
    readonly outcome: Outcome;
    readonly receipt?: Receipt | undefined;
    readonly unaccounted?: number;
  },
): BatchSettled {
  const { batch, attempts, startedAt = now, asleepMs, status, error } = progress;
  const { outcome, receipt, unaccounted = 0 } = settled;
  return {
    event: 'batch.settled',
    time,
    batch: batch.id,
    outcome,
    attempts,
    ms: Math.round(now - startedAt - asleepMs),
    status,
    receipt,
    unaccounted,
    error: outcome === 'delivered' ? undefined : error,
  };
}
