/**
 * Memory that is used again. Half a gigabyte of bodies in a million records would else have the collector of garbage
 * look at everything every few hundred batches.
 */
import type { Memory } from '../lib/growing-buffer.ts';

export interface Pool {
  /** So many bytes at least. What they hold is anything. */
  take(size: number): Memory;
  /** Nobody looks at it any more. To be said once. */
  giveBack(memory: Memory): void;
}

/** Pieces that wait to be used again. */
const MOST_FREE = 32;

export function createPool(): Pool {
  const free: Memory[] = [];
  return {
    take(size) {
      let best = -1;
      let least = Number.POSITIVE_INFINITY;
      for (let index = 0; index < free.length; index += 1) {
        const length = free[index]?.length ?? 0;
        if (length < size || length >= least) continue;
        best = index;
        least = length;
      }
      // Where none is large enough, one makes room for what will be given back.
      const [memory] = free.splice(best, 1);
      return memory !== undefined && memory.length >= size ? memory : Buffer.allocUnsafeSlow(size);
    },
    giveBack(memory) {
      if (free.length < MOST_FREE) free.push(memory);
    },
  };
}
