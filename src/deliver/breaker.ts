/**
 * The breaker: what consecutive failures mean for the whole run. Pure; times are handed in.
 *
 * It is closed at first. After {@link OPEN_AFTER} failures running, with no good answer between them, it is open:
 * one batch probes, the rest wait, and between two probes there is a pause that grows. One delivery closes it.
 * Without a good answer for longer than `--retry-max-time` it is spent, and the run stops.
 *
 * Two kinds of time are no outage: what the service itself asked to wait (up to `--max-wait`: a service that says
 * "wait" for ever is one), and what a machine slept. The second cannot be seen in a clock, since some monotonic
 * clocks stand still in sleep and others do not; so between two failures no more time counts than can pass awake.
 */

/** Failures running that open the breaker. */
export const OPEN_AFTER = 5;

export interface Breaker {
  /** Failures running. A service that asks to wait is busy and has not failed. */
  readonly failures: number;
  /** Milliseconds without a good answer. */
  readonly lastedMs: number;
  /** How much of it the service asked for. */
  readonly askedMs: number;
  /** When the last reading came, on the monotonic clock, and how long a wait it asked for. */
  readonly last: { readonly at: number; readonly askedMs: number } | undefined;
  /** Batches that ended exhausted since the last good answer. */
  readonly exhausted: readonly string[];
}

export const CLOSED: Breaker = { failures: 0, lastedMs: 0, askedMs: 0, last: undefined, exhausted: [] };

export type BreakerReading =
  /** A batch was delivered. */
  | { readonly kind: 'good' }
  /** An attempt failed, or its outcome is not known. */
  | { readonly kind: 'failure'; readonly at: number }
  /** The service asked for so much more waiting. */
  | { readonly kind: 'busy'; readonly at: number; readonly askedMs: number }
  /** A batch spent its retries, and was certainly not processed. */
  | { readonly kind: 'exhausted'; readonly batch: string };

export interface BreakerLimits {
  readonly retryMaxTimeMs: number;
  readonly maxWaitMs: number;
  /** The longest time between two failures of an outage while the machine is awake, asked waits left out. */
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

export function isSpent(breaker: Breaker, limits: BreakerLimits): boolean {
  return breaker.lastedMs - Math.min(breaker.askedMs, limits.maxWaitMs) > limits.retryMaxTimeMs;
}
