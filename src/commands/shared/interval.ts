/** `--log-interval`: how often the log and the metrics tell the progress of a run. */

const FIRST_MS = 10_000;
const LONG_RUN_MS = 600_000;
const LONG_RUN_EVERY_MS = 60_000;

/**
 * Calls `work` at every interval; by default every 10 seconds, and every minute after ten minutes. Does not keep the process
 * alive. Returns a function that ends it.
 */
export function everyInterval(intervalMs: number | undefined, work: () => void): () => void {
  const began = performance.now();
  let timer: NodeJS.Timeout;
  const schedule = (): void => {
    const isLong = performance.now() - began >= LONG_RUN_MS;
    timer = setTimeout(
      () => {
        work();
        schedule();
      },
      intervalMs ?? (isLong ? LONG_RUN_EVERY_MS : FIRST_MS),
    ).unref();
  };
  schedule();
  return () => clearTimeout(timer);
}
