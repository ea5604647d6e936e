/** Buffers that grow while bytes are appended, and their reuse. */

/** A buffer with its own memory, not a slice of Node's shared pool. */
export type Memory = Buffer<ArrayBuffer>;

/** Returns `memory`, or a larger buffer with its first `used` bytes if it has fewer than `needed` bytes. */
export function grown(memory: Memory, used: number, needed: number): Memory {
  if (needed <= memory.length) return memory;
  const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * memory.length));
  memory.copy(larger, 0, 0, used);
  return larger;
}

/** Two for each of 64 batches in flight. */
const MAX_FREE = 128;
const MIN_BYTES = 64 * 1024;

/**
 * Buffers of delivered batches, reused for later ones. Without reuse, a million rows allocate about 1 GB outside the heap, and
 * the garbage collector runs every few hundred batches.
 */
export class BufferPool {
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
