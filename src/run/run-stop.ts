/** Creates the one owner of "why did this run stop". */
import { setMaxListeners } from 'node:events';
import type { Stop } from '../model/outcome.ts';
import type { RunStop } from '../model/run-stop.ts';

export function createRunStop(): RunStop {
  const controller = new AbortController();
  // Every batch in flight listens, so many listeners are not a leak.
  setMaxListeners(0, controller.signal);
  let first: Stop | undefined;
  return {
    signal: controller.signal,
    get reason() {
      return first;
    },
    stop(reason) {
      first ??= reason;
      controller.abort();
    },
    stopReading(reason) {
      first ??= reason;
    },
  };
}
