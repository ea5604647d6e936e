/**
 * Buffers of delivered batches, reused for later ones. Without reuse, a million rows allocate about 1 GB outside the
 * heap, and the garbage collector runs every few hundred batches.
 */
import type { Memory } from '../lib/growing-buffer.ts';

export interface Pool {
  /** A buffer of at least `size` bytes with undefined content. */
  take(size: number): Memory;
  /** Returns a buffer that nothing refers to any more. Call once per buffer. */
  giveBack(memory: Memory): void;
}

const MAX_FREE = 32;

export function createPool(): Pool {
  const free: Memory[] = [];
  return {
    take(size) {
      let best = -1;
      let least = Number.POSITIVE_INFINITY;
      for (const [index, { length }] of free.entries()) {
        if (length < size || length >= least) continue;
        best = index;
        least = length;
      }
      // If none is large enough, the last one is dropped to make room for a larger one.
      const [memory] = free.splice(best, 1);
      return memory !== undefined && memory.length >= size ? memory : Buffer.allocUnsafeSlow(size);
    },
    giveBack(memory) {
      if (free.length < MAX_FREE) free.push(memory);
    },
  };
}
