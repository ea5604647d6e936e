/** Work that is put off until its result is needed, done in order. */

export interface DeferredWork {
  add(work: () => void): void;
  /** Does the pending work, for at most so many milliseconds. */
  run(forMs?: number): void;
  hasPending(): boolean;
  clear(): void;
}

export function createDeferredWork(): DeferredWork {
  let queue: (() => void)[] = [];
  let done = 0;
  const clear = (): void => {
    queue = [];
    done = 0;
  };
  return {
    add(work) {
      queue.push(work);
    },
    run(forMs = Number.POSITIVE_INFINITY) {
      const until = performance.now() + forMs;
      while (done < queue.length) {
        const work = queue[done];
        // Releases the memory that the finished work holds.
        queue[done] = () => undefined;
        done += 1;
        work?.();
        if (performance.now() >= until) return;
      }
      clear();
    },
    hasPending: () => done < queue.length,
    clear,
  };
}
