/**
 * Buffers of delivered batches, reused for later ones. Without reuse, a million rows allocate about 1 GB outside the
 * heap, and the garbage collector runs every few hundred batches.
 */
import type { Memory } from '../lib/growing-buffer.ts';

const MAX_FREE = 32;

export class Pool {
  readonly #free: Memory[] = [];

  /** A buffer of at least `size` bytes with undefined content. */
  take(size: number): Memory {
    const [smallest] = this.#free
      .filter(({ length }) => length >= size)
      .sort((one, other) => one.length - other.length);
    // If none is large enough, the last one is dropped to make room for a larger one.
    this.#free.splice(smallest === undefined ? -1 : this.#free.indexOf(smallest), 1);
    return smallest ?? Buffer.allocUnsafeSlow(size);
  }

  /** Returns a buffer that nothing refers to any more. Call once per buffer. */
  giveBack(memory: Memory): void {
    if (this.#free.length < MAX_FREE) this.#free.push(memory);
  }
}
