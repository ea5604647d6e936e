/**
 * Adaptive concurrency. Pure. It starts at the ceiling, halves when the service is too busy, and grows by one after a
 * round of good answers (additive increase, multiplicative decrease).
 *
 * Attempts of one round that meet a busy service all report the same fact, so a reading counts only if its attempt
 * started after the last reduction: eight 429 answers at once halve the limit once.
 */

export interface Concurrency {
  /** Maximum requests in flight. */
  readonly limit: number;
  readonly ceiling: number;
  /** Counts the reductions. */
  readonly round: number;
  /** Good answers since the last change. */
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
