/** The rules by which throttle.ts slows down and stops all sending: backoff, circuit breaker, concurrency. Pure. */
import type { AnswerHeaders } from '../model/outcome.ts';

const BASE_MS = 250;
export const CEILING_MS = 30_000;
/** More than a day is an error in a header. */
const ABSURD_MS = 24 * 60 * 60 * 1000;

/**
 * Exponential backoff with full jitter: uniform between zero and a ceiling that doubles with each failure.
 * @param failures consecutive failures, from 1
 * @param random in [0, 1)
 * @returns milliseconds
 */
export function backoff(failures: number, random: number): number {
  return Math.round(random * Math.min(CEILING_MS, BASE_MS * 2 ** (failures - 1)));
}

export interface RetryAfter {
  /** Absent if no header gives a valid time; then the backoff decides. */
  readonly ms?: number;
  /** The text of a header that is absurd or cannot be parsed, for the message. */
  readonly invalid?: string;
}

/**
 * Reads `Retry-After` (RFC 9110, 10.2.3: seconds or an HTTP-date), else `RateLimit` and `RateLimit-Reset` (drafts of
 * the IETF httpapi group: seconds until the window ends).
 * @param now milliseconds since the epoch
 * @param maxWaitMs replaces an absurdly long wait
 */
export function readRetryAfter(headers: AnswerHeaders, now: number, maxWaitMs: number): RetryAfter {
  // `limit=100, remaining=0, reset=12` in older drafts, `"default";r=0;t=12` in newer ones.
  const windowEnd = /(?:\breset|;\s*t)\s*=\s*(\d+)/i.exec(headers.ratelimit ?? '')?.[1];
  const text = headers['retry-after'] ?? headers['ratelimit-reset'] ?? windowEnd;
  if (text === undefined) return {};
  const ms = /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) * 1000 : httpDate(text) - now;
  if (Number.isNaN(ms)) return { invalid: text };
  if (ms > ABSURD_MS) return { ms: maxWaitMs, invalid: text };
  return { ms: Math.max(0, Math.ceil(ms)) };
}

/** Milliseconds since the epoch, or NaN. Date.parse alone would take "wait 5" for a date in May. */
function httpDate(text: string): number {
  if (!/\d\d:\d\d:\d\d/.test(text)) return Number.NaN;
  // The form of asctime has no zone, and means UTC (RFC 9110, 5.6.7).
  return Date.parse(/ \d{4}\s*$/.test(text) ? `${text} GMT` : text);
}

const OPEN_AFTER = 5;

/**
 * After {@link OPEN_AFTER} failures in a row one batch probes, and the others wait. One delivery closes the breaker; after
 * `retry_max_time` without one the run stops. Waits that the service asked for (up to `max_wait`) and sleep of the machine
 * do not count. Sleep is not visible on every monotonic clock, so the time between two failures is capped.
 */
export interface Breaker {
  /** In a row. A service that asks to wait has not failed. */
  readonly failures: number;
  /** Without a delivery, and how much of that the service asked for. */
  readonly lastedMs: number;
  readonly askedMs: number;
  readonly last: { readonly at: number; readonly askedMs: number } | undefined;
}

export const CLOSED: Breaker = { failures: 0, lastedMs: 0, askedMs: 0, last: undefined };

export interface BreakerReading {
  readonly at: number;
  /** How much more waiting the service asked for. Absent if an attempt failed, or its outcome is unknown. */
  readonly askedMs?: number | undefined;
}

export interface BreakerLimits {
  readonly retryMaxTimeMs: number;
  readonly maxWaitMs: number;
  /** The longest time between two failures of an outage while the machine is awake, without requested waits. */
  readonly longestGapMs: number;
}

export function nextBreaker(
  { failures, lastedMs, askedMs, last }: Breaker,
  reading: BreakerReading,
  { longestGapMs }: Pick<BreakerLimits, 'longestGapMs'>,
): Breaker {
  const { at, askedMs: asked = 0 } = reading;
  const gap = last === undefined ? 0 : Math.min(at - last.at, longestGapMs + last.askedMs);
  return {
    failures: failures + (reading.askedMs === undefined ? 1 : 0),
    lastedMs: lastedMs + gap,
    askedMs: askedMs + asked,
    last: { at, askedMs: asked },
  };
}

export function isOpen(breaker: Breaker): boolean {
  return breaker.failures >= OPEN_AFTER;
}

/** Milliseconds of outage until the run stops; below 0, it stops now. */
export function msUntilSpent(breaker: Breaker, limits: Pick<BreakerLimits, 'retryMaxTimeMs' | 'maxWaitMs'>): number {
  return limits.retryMaxTimeMs - breaker.lastedMs + Math.min(breaker.askedMs, limits.maxWaitMs);
}

/**
 * Starts at the ceiling, halves when the service is too busy, and grows by one after a round of good answers. A reading counts
 * only if its attempt started after the last reduction: eight 429 answers at once halve the limit once.
 */
export interface Concurrency {
  readonly limit: number;
  readonly ceiling: number;
  /** Number of reductions. */
  readonly round: number;
  readonly good: number;
}

/** The result of one attempt. `busy`: decide.ts says so. `neutral`: any other failure. */
export interface ConcurrencyReading {
  readonly kind: 'good' | 'busy' | 'neutral';
  /** {@link Concurrency.round} when the attempt started. */
  readonly round: number;
}

export function startConcurrency(ceiling: number): Concurrency {
  return { limit: ceiling, ceiling, round: 0, good: 0 };
}

export function adaptConcurrency(state: Concurrency, { kind, round }: ConcurrencyReading): Concurrency {
  if (kind === 'neutral' || round < state.round) return state;
  if (kind === 'busy') {
    return { ...state, limit: Math.max(1, Math.floor(state.limit / 2)), round: state.round + 1, good: 0 };
  }
  if (state.limit >= state.ceiling) return state;
  const good = state.good + 1;
  return good < state.limit ? { ...state, good } : { ...state, limit: state.limit + 1, good: 0 };
}
