/** On an interruption no new request starts, and requests in flight have a grace period. */
import type { Delivery } from '../deliver/index.ts';
import type { RunStop } from '../model/run-stop.ts';
import type { UploadDeps } from './job.ts';

export interface InterruptionDeps extends Pick<UploadDeps, 'signal' | 'clock'> {
  readonly runStop: Pick<RunStop, 'stop'>;
  readonly delivery: Pick<Delivery, 'abandon'>;
}

/** Stops the run when the signal is aborted. Returns a function that disposes of the listener and the grace period. */
export function stopOnInterruption(
  graceMs: number,
  { signal, clock, runStop, delivery }: InterruptionDeps,
): () => void {
  const disposed = new AbortController();
  const onAbort = (): void => {
    runStop.stop({ code: 'signal', message: `The run was interrupted (${String(signal.reason)}).` });
    void clock.sleep(graceMs, disposed.signal).then(delivery.abandon);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  return () => {
    signal.removeEventListener('abort', onAbort);
    disposed.abort();
  };
}
