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

/** Times of day as ISO 8601 in UTC. */
export function isoTime(clock: Pick<Clock, 'date'>): () => string {
  return () => new Date(clock.date()).toISOString();
}
