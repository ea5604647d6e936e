/**
 * When a request may leave under `--rate`. Pure: a value that is asked and told, with the time handed in; it
 * starts no timer.
 *
 * The rate is a promise about what the *server* sees: in no window of the rate's unit more than `count` requests.
 * A request arrives some time after it leaves, and that time varies, so the window of a request is counted from a
 * moment at which it has certainly arrived: its answer, or, where that takes longer, a bound on the way there.
 * Requests are also spaced evenly, so that a service sees a stream and not bursts.
 */

/** `count` requests in `perMs` milliseconds. */
export interface Rate {
  readonly count: number;
  readonly perMs: number;
}

/** How long a request may be under way before it is taken as arrived, in milliseconds. Only slower answers cost pace. */
const ARRIVAL_MS = 1000;
/** Between what a server's clock and ours call the same second, in milliseconds. */
const MARGIN_MS = 10;
/** How far the even spacing may be behind before it is given up, in milliseconds: a busy process may catch up this much. */
const SLACK_MS = 50;

export interface RateLimit {
  /**
   * The earliest time at which the next request may leave. Infinity: not before a request that is under way has
   * arrived, and nobody can say when that will be.
   */
  earliest(): number;
  /** Takes the next place. The {@link RateSlot} must be told when its request left, and when it was answered. */
  take(now: number): RateSlot;
}

export interface RateSlot {
  left(now: number): void;
  answered(now: number): void;
}

export function createRateLimit(rate: Rate): RateLimit {
  const interval = rate.perMs / rate.count;
  const window = rate.perMs + MARGIN_MS;
  /** When the place of request n is free again, at n modulo `count`: request n + count takes it over. */
  const freeAt: number[] = [];
  let taken = 0;
  let spaced = 0;

  return {
    earliest: () => Math.max(spaced, freeAt[taken % rate.count] ?? 0),
    take(now) {
      const ticket = taken;
      const place = ticket % rate.count;
      taken += 1;
      freeAt[place] = Number.POSITIVE_INFINITY;
      spaced = Math.max(spaced, now - SLACK_MS) + interval;
      const free = (until: number): void => {
        // Too late to say: another request has the place.
        if (taken > ticket + rate.count) return;
        freeAt[place] = Math.min(freeAt[place] ?? until, until);
      };
      return {
        left: (at) => free(at + ARRIVAL_MS + window),
        answered: (at) => free(at + window),
      };
    },
  };
}
