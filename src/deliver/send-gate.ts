/**
 * The gate that every request passes before it leaves: closed for all while the service asks to wait, and opened for
 * one request at a time as the rate limit allows.
 */
import type { Clock } from './clock.ts';
import type { RateLimiter, RateSlot } from './rate-limit.ts';

const UNLIMITED: RateSlot = { left: () => undefined, answered: () => undefined };

export class SendGate {
  readonly #clock: Clock;
  readonly #rateLimiter: RateLimiter | undefined;
  #closedUntil = 0;
  #lastTurn: Promise<unknown> = Promise.resolve();
  /** Calls that wait. */
  #waiting = 0;
  /** Called when the rate limiter may let a request leave. */
  #onChange: (() => void) | undefined;

  constructor(clock: Clock, rateLimiter?: RateLimiter) {
    this.#clock = clock;
    this.#rateLimiter = rateLimiter;
    rateLimiter?.onChange(() => this.#onChange?.());
  }

  /**
   * Returns a slot immediately if the gate is open and no request waits. Otherwise a promise, resolved in the order of
   * the calls when the request may leave; undefined if the signal was aborted first.
   */
  pass(signal: AbortSignal): RateSlot | Promise<RateSlot | undefined> {
    const now = this.#clock.now();
    if (this.#waiting === 0 && !signal.aborted && this.#earliest(now, 1) <= now) return this.#take(now);
    this.#waiting += 1;
    const turn = this.#lastTurn.then(async () => {
      const slot = await this.#waitForSlot(signal);
      this.#waiting -= 1;
      return slot;
    });
    this.#lastTurn = turn;
    return turn;
  }

  /** Closes the gate for all until `ms` from now. The latest end counts. */
  closeFor(ms: number): void {
    this.#closedUntil = Math.max(this.#closedUntil, this.#clock.now() + ms);
  }

  /** Milliseconds until the gate opens. */
  closedFor(): number {
    return Math.max(0, this.#closedUntil - this.#clock.now());
  }

  #earliest(now: number, waiting: number): number {
    if (this.#closedUntil > now) return this.#closedUntil;
    return this.#rateLimiter?.earliest(waiting) ?? 0;
  }

  #take(now: number): RateSlot {
    return this.#rateLimiter?.take(now) ?? UNLIMITED;
  }

  async #waitForSlot(signal: AbortSignal): Promise<RateSlot | undefined> {
    for (;;) {
      if (signal.aborted) return undefined;
      const now = this.#clock.now();
      const opens = this.#earliest(now, this.#waiting);
      if (opens <= now) return this.#take(now);
      if (Number.isFinite(opens)) await this.#clock.sleep(opens - now, signal);
      else await this.#waitForChange(signal);
    }
  }

  #waitForChange(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.#onChange = undefined;
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.#onChange = done;
      signal.addEventListener('abort', done, { once: true });
    });
  }
}
