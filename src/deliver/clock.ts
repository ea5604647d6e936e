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

/** What a wait may take longer than it should, in milliseconds, before the machine is taken to have slept. */
const JUMP_MS = 10_000;

/** Two readings of the clocks, one at each end of a wait or an attempt. */
export interface Elapsed {
  readonly monotonicMs: number;
  readonly wallMs: number;
  /** The longest that it can have taken awake. */
  readonly longestMs: number;
}

/**
 * Whether the machine slept meanwhile, and the milliseconds that passed awake. Pure. In sleep the wall clock goes
 * on; the monotonic clock stands still on some systems, so that the two part, and goes on as well on others, so
 * that a timer is late. A wall clock that somebody sets forward looks the same, and does no harm: what failed
 * meanwhile is tried once more.
 */
export function sleptIn({ monotonicMs, wallMs, longestMs }: Elapsed): { slept: boolean; awakeMs: number } {
  const slept = wallMs - monotonicMs > JUMP_MS || monotonicMs > longestMs + JUMP_MS;
  return { slept, awakeMs: slept ? Math.min(monotonicMs, longestMs) : monotonicMs };
}

/** Times of day as ISO 8601, UTC. Many facts fall into one millisecond, whose text is made once. */
export function isoTime(clock: Pick<Clock, 'date'>): () => string {
  let at = Number.NaN;
  let text = '';
  return () => {
    const date = clock.date();
    if (date !== at) {
      at = date;
      text = new Date(date).toISOString();
    }
    return text;
  };
}
