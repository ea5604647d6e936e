/** Time and random numbers, passed in so that no test of delivery sleeps. */
import { setTimeout } from 'node:timers/promises';

export interface Clock {
  /** Monotonic milliseconds, for durations and waits: the wall clock may jump. */
  now(): number;
  /** Milliseconds since the epoch, for times of day. */
  date(): number;
  /** Resolves after `ms` milliseconds, or immediately when the signal is aborted. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** In [0, 1). */
  random(): number;
}

/** Node's longest timer, in milliseconds (about 24 days). */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => Date.now(),
  random: () => Math.random(),
  sleep: (ms, signal) => setTimeout(Math.min(ms, LONGEST_TIMER_MS), undefined, { signal }).catch(() => undefined),
};

/** A wait that is longer than this beyond its end means that the machine slept, in milliseconds. */
const JUMP_MS = 10_000;

/**
 * Whether the machine slept, and how many milliseconds passed while it was awake. During sleep some monotonic clocks
 * stand still, so the two clocks diverge; others continue, so a timer is late. A wall clock that is set forward looks
 * the same and does no harm: what failed meanwhile is tried once more. Pure.
 * @param longestMs the longest time that it can take while the machine is awake
 */
export function detectSleep(
  monotonicMs: number,
  wallMs: number,
  longestMs: number,
): { readonly slept: boolean; readonly awakeMs: number } {
  const slept = wallMs - monotonicMs > JUMP_MS || monotonicMs > longestMs + JUMP_MS;
  return { slept, awakeMs: slept ? Math.min(monotonicMs, longestMs) : monotonicMs };
}

/** Starts a stopwatch. The returned function reads it. @param longestMs as in {@link detectSleep} */
export function startStopwatch(
  clock: Pick<Clock, 'now' | 'date'>,
  longestMs: number,
): () => { readonly slept: boolean; readonly awakeMs: number; readonly asleepMs: number } {
  const startedAt = clock.now();
  const startDate = clock.date();
  return () => {
    const monotonicMs = clock.now() - startedAt;
    const { slept, awakeMs } = detectSleep(monotonicMs, clock.date() - startDate, longestMs);
    return { slept, awakeMs, asleepMs: monotonicMs - awakeMs };
  };
}

/** Times of day as ISO 8601 in UTC. Formats each millisecond once, because many events share one. */
export function isoTime(clock: Pick<Clock, 'date'>): () => string {
  let formatted = Number.NaN;
  let text = '';
  return () => {
    const date = clock.date();
    if (date !== formatted) {
      formatted = date;
      text = new Date(date).toISOString();
    }
    return text;
  };
}
