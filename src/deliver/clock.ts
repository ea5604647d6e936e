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
 * Starts a stopwatch. The returned function tells whether the machine slept since, and how many milliseconds it was awake
 * and asleep. During sleep some monotonic clocks stand still, so the two clocks diverge; others continue, so a timer is
 * late. A wall clock that is set forward looks the same and does no harm: what failed meanwhile is tried once more.
 *
 * @param longestMs the longest time that it can take while the machine is awake
 */
export function startStopwatch(clock: Pick<Clock, 'now' | 'date'>, longestMs: number) {
  const startedAt = clock.now();
  const startDate = clock.date();
  return () => {
    const monotonicMs = clock.now() - startedAt;
    const wallMs = clock.date() - startDate;
    const slept = wallMs - monotonicMs > JUMP_MS || monotonicMs > longestMs + JUMP_MS;
    const awakeMs = slept ? Math.min(monotonicMs, longestMs) : monotonicMs;
    return { slept, awakeMs, asleepMs: monotonicMs - awakeMs };
  };
}

/** Times of day as ISO 8601 in UTC. */
export function isoTime(clock: Pick<Clock, 'date'>): () => string {
  return () => new Date(clock.date()).toISOString();
}
