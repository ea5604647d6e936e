/** A rate limit, as a sliding window over the requests that it let through. Pure: the clock is handed in. */

/** At most `count` requests in any `perMs` milliseconds. */
export interface Window {
  readonly count: number;
  readonly perMs: number;
}

/**
 * Milliseconds until a request may come again, and 0 where this one may pass. Times never go back. A request that
 * is turned away takes no place in the window: whoever comes too often is slowed down and not shut out.
 */
export type RequestLimiter = (now: number) => number;

export function createRequestLimiter({ count, perMs }: Window): RequestLimiter {
  // A ring of the last `count` times: the oldest of them stands where the next one will.
  const passed: number[] = [];
  let next = 0;
  return (now) => {
    const oldest = passed[next];
    if (oldest !== undefined && oldest + perMs > now) return oldest + perMs - now;
    passed[next] = now;
    next = (next + 1) % count;
    return 0;
  };
}
