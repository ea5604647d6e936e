/**
 * The `--rate` limiter: when the next request may leave. Pure: it starts no timer, and times are passed in.
 *
 * The rate is what the *server* must see: no more than `count` requests in any window. The time from leaving to
 * arriving varies, so the window of a request starts when it has certainly arrived: at its answer, or
 * {@link ARRIVAL_MS} after it left. Requests are also spaced evenly, so the service sees a stream and no bursts.
 */

/** `count` requests in `perMs` milliseconds. */
export interface Rate {
  readonly count: number;
  readonly perMs: number;
}

/** A request counts as arrived this long after it left, in milliseconds. Only slower answers reduce the rate. */
const ARRIVAL_MS = 1000;
/** Difference between the server's second and ours, in milliseconds. */
const MARGIN_MS = 10;
/** How far a busy process may fall behind the even spacing and still catch up, in milliseconds. */
const SLACK_MS = 50;

export interface RateLimit {
  /** The earliest time at which the next request may leave. Infinity: only after a request in flight has arrived. */
  earliest(): number;
  /** Takes the next slot. The caller reports to it when the request left and when it was answered. */
  take(now: number): RateSlot;
}

export interface RateSlot {
  left(now: number): void;
  answered(now: number): void;
}

export function createRateLimit(rate: Rate): RateLimit {
  const intervalMs = rate.perMs / rate.count;
  const windowMs = rate.perMs + MARGIN_MS;
  /** When the slot of request n is free, at index n modulo `count`: request n + count reuses it. */
  const freeAt: number[] = [];
  let taken = 0;
  let nextSpaced = 0;

  return {
    earliest: () => Math.max(nextSpaced, freeAt[taken % rate.count] ?? 0),
    take(now) {
      const request = taken;
      const slot = request % rate.count;
      taken += 1;
      freeAt[slot] = Number.POSITIVE_INFINITY;
      nextSpaced = Math.max(nextSpaced, now - SLACK_MS) + intervalMs;
      const free = (until: number): void => {
        const isReused = taken > request + rate.count;
        if (!isReused) freeAt[slot] = Math.min(freeAt[slot] ?? until, until);
      };
      return {
        left: (at) => free(at + ARRIVAL_MS + windowMs),
        answered: (at) => free(at + windowMs),
      };
    },
  };
}
