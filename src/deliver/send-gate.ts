/**
 * The gate that every request passes before it leaves: closed for all while the service asks to wait, and opened for
 * one request at a time as the rate limit allows.
 */
import type { Clock } from './clock.ts';
import type { RateLimit, RateSlot } from './rate-limit.ts';

export interface SendGate {
  /**
   * Returns a slot immediately if the gate is open and no request waits. Otherwise a promise, resolved in the order of
   * the calls when the request may leave; undefined if the signal was aborted first.
   */
  pass(signal: AbortSignal): RateSlot | Promise<RateSlot | undefined>;
  /** Closes the gate for all until `ms` from now. The latest end counts. */
  closeFor(ms: number): void;
  /** Milliseconds until the gate opens. */
  closedFor(): number;
}

const UNLIMITED: RateSlot = { left: () => undefined, answered: () => undefined };

export function createSendGate(clock: Clock, rateLimit: RateLimit | undefined): SendGate {
  let closedUntil = 0;
  let lastTurn: Promise<unknown> = Promise.resolve();
  /** Calls that wait. */
  let waiting = 0;
  /** Called when a request has arrived, because it may have freed a slot. */
  let onArrival: (() => void) | undefined;

  const earliest = (): number => Math.max(closedUntil, rateLimit?.earliest() ?? 0);

  const take = (now: number): RateSlot => {
    if (rateLimit === undefined) return UNLIMITED;
    const slot = rateLimit.take(now);
    return {
      left(at) {
        slot.left(at);
        onArrival?.();
      },
      answered(at) {
        slot.answered(at);
        onArrival?.();
      },
    };
  };

  const waitForArrival = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const done = (): void => {
        onArrival = undefined;
        signal.removeEventListener('abort', done);
        resolve();
      };
      onArrival = done;
      signal.addEventListener('abort', done, { once: true });
    });

  const waitForSlot = async (signal: AbortSignal): Promise<RateSlot | undefined> => {
    for (;;) {
      if (signal.aborted) return undefined;
      const now = clock.now();
      const opens = earliest();
      if (opens <= now) return take(now);
      if (Number.isFinite(opens)) await clock.sleep(opens - now, signal);
      else await waitForArrival(signal);
    }
  };

  return {
    pass(signal) {
      const now = clock.now();
      if (waiting === 0 && !signal.aborted && earliest() <= now) return take(now);
      waiting += 1;
      const turn = lastTurn.then(async () => {
        const slot = await waitForSlot(signal);
        waiting -= 1;
        return slot;
      });
      lastTurn = turn;
      return turn;
    },
    closeFor(ms) {
      closedUntil = Math.max(closedUntil, clock.now() + ms);
    },
    closedFor: () => Math.max(0, closedUntil - clock.now()),
  };
}
