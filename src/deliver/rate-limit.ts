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
export const ARRIVAL_MS = 1000;
/** Difference between the server's second and ours, in milliseconds. */
export const MARGIN_MS = 10;
/** How far a busy process may fall behind the even spacing and still catch up, in milliseconds. */
const SLACK_MS = 50;

/** Permission for one request. The caller reports when the request left and when it was answered. */
export interface RateSlot {
  left(now: number): void;
  answered(now: number): void;
}

/** Of one process (below), or of several (shared-rate-limit.ts). */
export interface RateLimiter {
  /**
   * The earliest time at which the next request may leave. Infinity: not known before the next call of the listener.
   * @param waiting requests that could leave now
   */
  earliest(waiting: number): number;
  take(now: number): RateSlot;
  /** @param listener called when the earliest time may have changed */
  onChange(listener: () => void): void;
  /** The service asked for a pause: tells other processes. */
  pause?(ms: number): void;
}

export class RateLimit implements RateLimiter {
  readonly #count: number;
  readonly #intervalMs: number;
  readonly #windowMs: number;
  /** When the slot of request n is free, at index n modulo `count`: request n + count reuses it. */
  readonly #freeAt: number[] = [];
  #taken = 0;
  #nextSpaced = 0;
  #onChange: () => void = () => undefined;

  constructor({ count, perMs }: Rate) {
    this.#count = count;
    this.#intervalMs = perMs / count;
    this.#windowMs = perMs + MARGIN_MS;
  }

  onChange(listener: () => void): void {
    this.#onChange = listener;
  }

  /** Infinity: only after a request in flight has arrived. */
  earliest(): number {
    return Math.max(this.#nextSpaced, this.#freeAt[this.#taken % this.#count] ?? 0);
  }

  take(now: number): RateSlot {
    const request = this.#taken;
    this.#taken += 1;
    this.#freeAt[request % this.#count] = Number.POSITIVE_INFINITY;
    this.#nextSpaced = Math.max(this.#nextSpaced, now - SLACK_MS) + this.#intervalMs;
    return {
      left: (at) => this.#free(request, at + ARRIVAL_MS + this.#windowMs),
      answered: (at) => this.#free(request, at + this.#windowMs),
    };
  }

  #free(request: number, until: number): void {
    const isReused = this.#taken > request + this.#count;
    const slot = request % this.#count;
    if (isReused) return;
    this.#freeAt[slot] = Math.min(this.#freeAt[slot] ?? until, until);
    this.#onChange();
  }
}
