/**
 * The gate that every request passes before it leaves: closed for all while the service asks to wait, and opened for
 * one request at a time as the rate limit allows.
 */
import type { Clock } from './clock.ts';
import type { RateLimit, RateSlot } from './rate-limit.ts';

const UNLIMITED: RateSlot = { left: () => undefined, answered: () => undefined };

export class SendGate {
  readonly #clock: Clock;
  readonly #rateLimit: RateLimit | undefined;
  #closedUntil = 0;
  #lastTurn: Promise<unknown> = Promise.resolve();
  /** Calls that wait. */
  #waiting = 0;
  /** Called when a request has arrived, because it may have freed a slot. */
  #onArrival: (() => void) | undefined;

  constructor(clock: Clock, rateLimit?: RateLimit) {
    this.#clock = clock;
    this.#rateLimit = rateLimit;
  }

  /**
   * Returns a slot immediately if the gate is open and no request waits. Otherwise a promise, resolved in the order of
   * the calls when the request may leave; undefined if the signal was aborted first.
   */
  pass(signal: AbortSignal): RateSlot | Promise<RateSlot | undefined> {
    const now = this.#clock.now();
    if (this.#waiting === 0 && !signal.aborted && this.#earliest() <= now) return this.#take(now);
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

  #earliest(): number {
    return Math.max(this.#closedUntil, this.#rateLimit?.earliest() ?? 0);
  }

  #take(now: number): RateSlot {
    if (this.#rateLimit === undefined) return UNLIMITED;
    const slot = this.#rateLimit.take(now);
    return {
      left: (at) => {
        slot.left(at);
        this.#onArrival?.();
      },
      answered: (at) => {
        slot.answered(at);
        this.#onArrival?.();
      },
    };
  }

  async #waitForSlot(signal: AbortSignal): Promise<RateSlot | undefined> {
    for (;;) {
      if (signal.aborted) return undefined;
      const now = this.#clock.now();
      const opens = this.#earliest();
      if (opens <= now) return this.#take(now);
      if (Number.isFinite(opens)) await this.#clock.sleep(opens - now, signal);
      else await this.#waitForArrival(signal);
    }
  }

  #waitForArrival(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.#onArrival = undefined;
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.#onArrival = done;
      signal.addEventListener('abort', done, { once: true });
    });
  }
}
