/**
 * Buffers of delivered batches, reused for later ones. Without reuse, a million rows allocate about 1 GB outside the
 * heap, and the garbage collector runs every few hundred batches.
 */
import type { Memory } from '../lib/growing-buffer.ts';

/** Two for each of 64 batches in flight. */
const MAX_FREE = 128;
const MIN_BYTES = 64 * 1024;

export class Pool {
  /** The oldest first. */
  readonly #free: Memory[] = [];

  /** A buffer of at least `size` bytes with undefined content. */
  take(size: number): Memory {
    // Powers of two, so that the buffer of one batch fits the next one, which is a little larger.
    const rounded = 2 ** Math.ceil(Math.log2(Math.max(MIN_BYTES, size)));
    const index = this.#free.findLastIndex(({ length }) => length === rounded);
    return this.#free.splice(index, index < 0 ? 0 : 1)[0] ?? Buffer.allocUnsafeSlow(rounded);
  }

  /** Returns a buffer that nothing refers to any more. Call once per buffer. */
  giveBack(memory: Memory): void {
    this.#free.push(memory);
    if (this.#free.length > MAX_FREE) this.#free.shift();
  }
}
