/** Holds the one reason why a run stops, and stops the run on an interruption. */
import { setMaxListeners } from 'node:events';
import { FolderLostError, type Lock, LockLostError } from '../journal/lock.ts';
import { messageOf } from '../lib/text.ts';
import { type RunStop, type Stop, StorageError } from '../model/outcome.ts';
import type { UploadDeps } from './job.ts';

export function createRunStop(): RunStop {
  const controller = new AbortController();
  // Every batch in flight listens, so many listeners are not a leak.
  setMaxListeners(0, controller.signal);
  let first: Stop | undefined;
  return {
    signal: controller.signal,
    get reason() {
      return first;
    },
    stop(reason) {
      first ??= reason;
      controller.abort();
    },
    stopReading(reason) {
      first ??= reason;
    },
  };
}

/** On a signal, requests in flight have a grace period. Returns a function that disposes of it and the listeners. */
export function stopOnInterruption(
  runStop: RunStop,
  graceMs: number,
  { signal, clock, transport, lock: { lost } }: Pick<UploadDeps, 'signal' | 'clock' | 'transport' | 'lock'>,
): () => void {
  const onLost = (): void => runStop.stop(lostStop(lost.reason));
  lost.addEventListener('abort', onLost);
  const disposed = new AbortController();
  const onAbort = (): void => {
    runStop.stop({ code: 'signal', message: `The run was interrupted (${String(signal.reason)}).` });
    void clock.sleep(graceMs, disposed.signal).then(() => transport.abandon());
  };
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  return () => {
    lost.removeEventListener('abort', onLost);
    signal.removeEventListener('abort', onAbort);
    disposed.abort();
  };
}

function lostStop(error: unknown): Stop | undefined {
  if (error instanceof LockLostError) return { code: 'lost', message: error.message, hint: error.problems[0]?.hint };
  return error instanceof FolderLostError ? { code: 'folder', message: error.message } : undefined;
}

/** Writes into the run folder, as long as the lock is held. A failure stops the run. */
export class FolderGuard {
  readonly #runStop: RunStop;
  readonly #lock: Pick<Lock, 'confirm'>;
  readonly #folder: string;
  isBroken = false;

  constructor(runStop: RunStop, lock: Pick<Lock, 'confirm'>, folder: string) {
    this.#runStop = runStop;
    this.#lock = lock;
    this.#folder = folder;
  }

  /** @throws StorageError */
  readonly write = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      this.#lock.confirm();
      return await work();
    } catch (error) {
      throw this.fail(error);
    }
  };

  fail(error: unknown): StorageError {
    this.isBroken = true;
    this.#runStop.stop(
      lostStop(error) ?? {
        code: 'storage',
        message: `The run folder ${this.#folder} cannot be written (${messageOf(error)}), so sending has stopped.`,
        hint: 'Free disk space, and check that you may write to it.',
      },
    );
    return new StorageError(error);
  }
}
