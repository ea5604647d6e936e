/**
 * The circuit breaker: what consecutive failures mean for the whole run. Pure; times are passed in.
 *
 * After {@link OPEN_AFTER} consecutive failures it is open: one batch probes, the others wait, and the pause between
 * two probes grows. One delivery closes it. After `--retry-max-time` without a delivery it is spent, and the run stops.
 *
 * Two kinds of time do not count as outage: waits that the service asked for (up to `--max-wait`), and time during
 * which the machine slept. Sleep is not visible on every monotonic clock, so the time between two failures is capped
 * at the longest gap that is possible while awake.
 */

/** Consecutive failures that open the breaker. */
export const OPEN_AFTER = 5;

export interface Breaker {
  /** Consecutive failures. A service that asks to wait is busy and has not failed. */
  readonly failures: number;
  /** Milliseconds without a delivery. */
  readonly lastedMs: number;
  /** How much of it the service asked for. */
  readonly askedMs: number;
  /** Time of the last reading on the monotonic clock, and the wait it asked for. */
  readonly last: { readonly at: number; readonly askedMs: number } | undefined;
  /** Batches exhausted since the last delivery. */
  readonly exhausted: readonly string[];
}

export const CLOSED: Breaker = { failures: 0, lastedMs: 0, askedMs: 0, last: undefined, exhausted: [] };

export type BreakerReading =
  /** A batch was delivered. */
  | { readonly kind: 'good' }
  /** An attempt failed, or its outcome is unknown. */
  | { readonly kind: 'failure'; readonly at: number }
  /** The service asked for this much more waiting. */
  | { readonly kind: 'busy'; readonly at: number; readonly askedMs: number }
  /** A batch spent its retries and was certainly not processed. */
  | { readonly kind: 'exhausted'; readonly batch: string };

export interface BreakerLimits {
  readonly retryMaxTimeMs: number;
  readonly maxWaitMs: number;
  /** The longest time between two failures of an outage while the machine is awake, without requested waits. */
  readonly longestGapMs: number;
}

export function nextBreaker(
  breaker: Breaker,
  reading: BreakerReading,
  limits: Pick<BreakerLimits, 'longestGapMs'>,
): Breaker {
  if (reading.kind === 'good') return CLOSED;
  if (reading.kind === 'exhausted') return { ...breaker, exhausted: [...breaker.exhausted, reading.batch] };
  const { at } = reading;
  const askedMs = reading.kind === 'busy' ? reading.askedMs : 0;
  const { last } = breaker;
  const gap = last === undefined ? 0 : Math.min(at - last.at, limits.longestGapMs + last.askedMs);
  return {
    ...breaker,
    failures: breaker.failures + (reading.kind === 'failure' ? 1 : 0),
    lastedMs: breaker.lastedMs + gap,
    askedMs: breaker.askedMs + askedMs,
    last: { at, askedMs },
  };
}

export function isOpen(breaker: Breaker): boolean {
  return breaker.failures >= OPEN_AFTER;
}

/** Milliseconds of outage until the run stops; below 0, it stops now. */
export function msUntilSpent(breaker: Breaker, limits: Pick<BreakerLimits, 'retryMaxTimeMs' | 'maxWaitMs'>): number {
  return limits.retryMaxTimeMs - breaker.lastedMs + Math.min(breaker.askedMs, limits.maxWaitMs);
}
