/** A rate limit: a sliding window over the accepted requests. Pure: times are passed in. */

/** At most `count` requests in any `perMs` milliseconds. */
export interface RequestRate {
  readonly count: number;
  readonly perMs: number;
}

/**
 * Returns 0 if the request is accepted, else the milliseconds until one will be. Times must not decrease. A denied
 * request does not count, so a client that sends too fast is slowed down, not locked out.
 */
export function createRequestLimiter({ count, perMs }: RequestRate): (now: number) => number {
  // A ring of the last `count` times: the oldest is where the next one will be written.
  const accepted: number[] = [];
  let next = 0;
  return (now) => {
    const oldest = accepted[next];
    if (oldest !== undefined && oldest + perMs > now) return oldest + perMs - now;
    accepted[next] = now;
    next = (next + 1) % count;
    return 0;
  };
}
