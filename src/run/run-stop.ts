/** Holds the one reason why a run stops, and stops the run on an interruption. */
import { setMaxListeners } from 'node:events';
import type { Stop } from '../model/outcome.ts';
import type { RunStop } from '../model/run-stop.ts';
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

/**
 * When the signal is aborted, no new request starts, and requests in flight have a grace period. Returns a function that
 * disposes of the listener and the grace period.
 */
export function stopOnInterruption(
  runStop: RunStop,
  graceMs: number,
  { signal, clock, transport }: Pick<UploadDeps, 'signal' | 'clock' | 'transport'>,
): () => void {
  const disposed = new AbortController();
  const onAbort = (): void => {
    runStop.stop({ code: 'signal', message: `The run was interrupted (${String(signal.reason)}).` });
    void clock.sleep(graceMs, disposed.signal).then(transport.abandon);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  return () => {
    signal.removeEventListener('abort', onAbort);
    disposed.abort();
  };
}
