/** Why a run stops: shared by all parts that can stop it or must react to a stop. */
import type { Stop } from './outcome.ts';

/** The first reason to stop, and a signal. Made by run/run-stop.ts, one for each run. */
export interface RunStop {
  /** Aborted by {@link RunStop.stop}: no new request starts, and requests in flight may finish. */
  readonly signal: AbortSignal;
  /** The first reason given. Undefined while there is none. */
  readonly reason: Stop | undefined;
  /** Ends sending. Only the first reason counts; a bug gives none, because its error is thrown. */
  stop(reason?: Stop): void;
  /** Ends reading: an input failed. Batches that are already prepared are still sent. */
  stopReading(reason: Stop): void;
}

/** A file of the run folder could not be written, and the run was stopped because of it. */
export class StorageError extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = 'StorageError';
  }
}

/** The exit code of an interruption: 143 for process signals other than SIGINT, else 130. */
export function signalExitCode(signal: string | undefined): 130 | 143 {
  return signal === 'SIGTERM' || signal === 'SIGHUP' ? 143 : 130;
}
