/** Time and chance, handed in, so that no test of delivery sleeps. */
export interface Clock {
  /** Monotonic milliseconds: for durations and waits. A laptop's wall clock may jump. */
  now(): number;
  /** Milliseconds since the epoch: for times of day. */
  date(): number;
  /** Resolves after so many milliseconds, or at once when the signal is aborted. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** In [0, 1). */
  random(): number;
}

/** A timer can't be set further ahead than this many milliseconds (about 24 days). */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => Date.now(),
  random: () => Math.random(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted === true || ms <= 0) return resolve();
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, Math.min(ms, LONGEST_TIMER_MS));
      signal?.addEventListener('abort', done, { once: true });
    }),
};
