/**
 * The one gate that every request passes before it leaves: closed for all while the service asks to wait, and
 * opened for one at a time as the rate allows. It decides nothing; the decisions are retry.ts and pace.ts.
 */
import type { Clock } from './clock.ts';
import type { RateLimit, RateSlot } from './rate-limit.ts';

export interface SendGate {
  /**
   * A place at once where the gate is open and nobody waits. Otherwise a promise, which resolves in the order of the
   * calls when the request may leave; undefined when the signal was aborted first.
   */
  pass(signal: AbortSignal): RateSlot | Promise<RateSlot | undefined>;
  /** Closes the gate for all, until `ms` from now; a later end wins. */
  closeFor(ms: number): void;
  /** Milliseconds until the gate is open. */
  closedFor(): number;
}

const NO_PACE: RateSlot = { left: () => undefined, answered: () => undefined };

export function createSendGate(clock: Clock, pace: RateLimit | undefined): SendGate {
  let closedUntil = 0;
  let turn: Promise<unknown> = Promise.resolve();
  /** Calls that wait for their turn, or in it. */
  let waiting = 0;
  /** Called when a place became free that nobody could say the time of. */
  let wake: (() => void) | undefined;

  const watched = (place: RateSlot): RateSlot => ({
    left(now) {
      place.left(now);
      wake?.();
    },
    answered(now) {
      place.answered(now);
      wake?.();
    },
  });

  const waitForPlace = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const done = (): void => {
        wake = undefined;
        signal.removeEventListener('abort', done);
        resolve();
      };
      wake = done;
      signal.addEventListener('abort', done, { once: true });
    });

  const earliest = (): number => Math.max(closedUntil, pace?.earliest() ?? 0);
  const take = (now: number): RateSlot => (pace === undefined ? NO_PACE : watched(pace.take(now)));

  const wait = async (signal: AbortSignal): Promise<RateSlot | undefined> => {
    for (;;) {
      if (signal.aborted) return undefined;
      const now = clock.now();
      const opens = earliest();
      if (opens <= now) return take(now);
      if (Number.isFinite(opens)) await clock.sleep(opens - now, signal);
      else await waitForPlace(signal);
    }
  };

  return {
    pass(signal) {
      const now = clock.now();
      if (waiting === 0 && !signal.aborted && earliest() <= now) return take(now);
      waiting += 1;
      const mine = turn.then(async () => {
        const place = await wait(signal);
        waiting -= 1;
        return place;
      });
      turn = mine;
      return mine;
    },
    closeFor(ms) {
      closedUntil = Math.max(closedUntil, clock.now() + ms);
    },
    closedFor: () => Math.max(0, closedUntil - clock.now()),
  };
}
