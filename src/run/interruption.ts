/** What an interruption means: nothing new starts, and attempts in flight have a grace to finish in. */
import type { Delivery } from '../deliver/index.ts';
import type { UploadDeps } from './job.ts';

/** Halts delivery when the signal comes. Call what it returns when delivery is over. */
export function heedInterruption(
  { signal, clock }: Pick<UploadDeps, 'signal' | 'clock'>,
  graceMs: number,
  delivery: Pick<Delivery, 'halt' | 'abandon'>,
): () => void {
  const over = new AbortController();
  const interrupt = (): void => {
    delivery.halt({ code: 'signal', message: `The run was interrupted (${String(signal.reason)}).` });
    void clock.sleep(graceMs, over.signal).then(delivery.abandon);
  };
  signal.addEventListener('abort', interrupt, { once: true });
  if (signal.aborted) interrupt();
  return () => {
    signal.removeEventListener('abort', interrupt);
    over.abort();
  };
}
