/**
 * How many requests are under way at once. Pure. It starts at the ceiling, is halved when the service is too busy,
 * and grows by one after a round of good answers (additive increase, multiplicative decrease).
 *
 * Each attempt is measured by itself. All attempts of one round that meet a busy service tell the same thing, so a
 * reading counts only where its attempt left under the present pace: eight answers of 429 at once are one halving
 * and not eight.
 */

export interface Concurrency {
  /** Requests at once. */
  readonly places: number;
  readonly ceiling: number;
  /** Counts the halvings: an attempt notes the round that it leaves in. */
  readonly round: number;
  /** Good answers since the last change. */
  readonly good: number;
}

/** What one attempt says about the pace. `busy`: 429, 503, or no answer in time. `neutral`: anything else. */
export interface ConcurrencyReading {
  readonly kind: 'good' | 'busy' | 'neutral';
  /** {@link Concurrency.round} when the attempt left. */
  readonly round: number;
}

export function startConcurrency(ceiling: number): Concurrency {
  return { places: ceiling, ceiling, round: 0, good: 0 };
}

export function adaptConcurrency(pace: Concurrency, { kind, round }: ConcurrencyReading): Concurrency {
  if (kind === 'neutral' || round < pace.round) return pace;
  if (kind === 'busy') {
    return { ...pace, places: Math.max(1, Math.floor(pace.places / 2)), round: pace.round + 1, good: 0 };
  }
  if (pace.places >= pace.ceiling) return pace;
  const good = pace.good + 1;
  return good < pace.places ? { ...pace, good } : { ...pace, places: pace.places + 1, good: 0 };
}
