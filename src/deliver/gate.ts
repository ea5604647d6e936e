/**
 * The one gate that every request passes before it leaves: closed for all while the service asks to wait, and
 * opened for one at a time as the rate allows. It decides nothing; the decisions are retry.ts and pace.ts.
 */
import type { Clock } from './clock.ts';
import type { Pace, Place } from './pace.ts';

export interface Gate {
  /** Resolves in the order of the calls, when the request may leave; undefined when the signal was aborted first. */
  pass(signal: AbortSignal): Promise<Place | undefined>;
  /** Closes the gate for all, until `ms` from now; a later end wins. */
  closeFor(ms: number): void;
  /** Milliseconds until the gate is open. */
  closedFor(): number;
}

const NO_PACE: Place = { left: () => undefined, answered: () => undefined };

export function createGate(clock: Clock, pace: Pace | undefined): Gate {
  let closedUntil = 0;
  let turn: Promise<unknown> = Promise.resolve();
  /** Called when a place became free that nobody could say the time of. */
  let wake: (() => void) | undefined;

  const watched = (place: Place): Place => ({
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

  const wait = async (signal: AbortSignal): Promise<Place | undefined> => {
    for (;;) {
      if (signal.aborted) return undefined;
      const now = clock.now();
      const earliest = Math.max(closedUntil, pace?.earliest() ?? 0);
      if (earliest <= now) return pace === undefined ? NO_PACE : watched(pace.take(now));
      if (Number.isFinite(earliest)) await clock.sleep(earliest - now, signal);
      else await waitForPlace(signal);
    }
  };

  return {
    pass(signal) {
      const mine = turn.then(() => wait(signal));
      turn = mine;
      return mine;
    },
    closeFor(ms) {
      closedUntil = Math.max(closedUntil, clock.now() + ms);
    },
    closedFor: () => Math.max(0, closedUntil - clock.now()),
  };
}
