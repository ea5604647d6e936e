/**
 * Limits the batches in flight by number and by memory. The reader of the input waits here, so a slow service slows
 * down reading and memory stays bounded.
 */

export interface InFlightLimit {
  /** Adds a batch, even above the limit: the caller waits afterwards. */
  enter(bytes: number): void;
  /** Removes a batch. */
  leave(bytes: number): void;
  readonly isFull: boolean;
  /** Resolves when a batch has left; the limit may still be reached. */
  change(): Promise<void>;
  /** Resolves when no batch is in flight. */
  empty(): Promise<void>;
}

/** Payloads and rows of batches in flight, in bytes: memory is bounded by this and one batch. */
const MEMORY_LIMIT = 64 * 1024 * 1024;

export function createInFlightLimit(maxBatches: number): InFlightLimit {
  let batches = 0;
  let memory = 0;
  let waiting: (() => void)[] = [];

  const change = (): Promise<void> =>
    new Promise((resolve) => {
      waiting.push(resolve);
    });

  return {
    enter(bytes) {
      batches += 1;
      memory += bytes;
    },
    leave(bytes) {
      batches -= 1;
      memory -= bytes;
      if (waiting.length === 0) return;
      const resolves = waiting;
      waiting = [];
      // Preparing the next batch takes longer than sending those that are ready, so it starts in the next turn of the
      // event loop: in this one, free connections are reused first.
      setImmediate(() => {
        for (const resolve of resolves) resolve();
      });
    },
    get isFull() {
      return batches >= maxBatches || (batches > 0 && memory >= MEMORY_LIMIT);
    },
    change,
    async empty() {
      while (batches > 0) await change();
    },
  };
}
