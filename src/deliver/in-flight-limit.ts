/**
 * The room for batches under way: how many there may be, how much memory they keep, and who waits for one to end.
 * Whoever reads the input waits here, so that a slow service slows down reading and memory stays bounded.
 */

export interface InFlightLimit {
  /** A batch is under way from now on. It may come although the room is full: whoever brings it waits afterwards. */
  enter(bytes: number): void;
  /** A batch has ended. */
  leave(bytes: number): void;
  readonly isFull: boolean;
  /** Resolves when a batch has ended, be there room then or not. */
  change(): Promise<void>;
  /** Resolves when no batch is under way. */
  empty(): Promise<void>;
}

/** Rows and payloads of batches under way, in bytes: however long the rows are, memory is bounded by this and one batch. */
const HELD_LIMIT = 64 * 1024 * 1024;

/** @param most batches at once */
export function createInFlightLimit(most: number): InFlightLimit {
  let batches = 0;
  let held = 0;
  let waiting: (() => void)[] = [];

  const change = (): Promise<void> =>
    new Promise((resolve) => {
      waiting.push(resolve);
    });

  return {
    enter(bytes) {
      batches += 1;
      held += bytes;
    },
    leave(bytes) {
      batches -= 1;
      held -= bytes;
      if (waiting.length === 0) return;
      const woken = waiting;
      waiting = [];
      // Making the next batch takes longer than sending those that are ready. In the turn of the event loop in which
      // answers came, connections are given out again, and requests must not wait for the reader.
      setImmediate(() => {
        for (const wake of woken) wake();
      });
    },
    get isFull() {
      return batches >= most || (batches > 0 && held >= HELD_LIMIT);
    },
    change,
    async empty() {
      while (batches > 0) await change();
    },
  };
}
