/** A lock that is held until `lose` is called. */
import { LockLostError } from '../../src/journal/lock.ts';
import type { UploadDeps } from '../../src/run/job.ts';

export function heldLock(): UploadDeps['lock'] & { lose(): void } {
  const lost = new AbortController();
  return {
    lost: lost.signal,
    confirm: () => lost.signal.throwIfAborted(),
    lose: () => lost.abort(new LockLostError('run', undefined)),
  };
}
