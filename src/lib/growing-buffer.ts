/** Memory that bytes are written into, one behind the other, and that grows where it must. */

/** Bytes of their own, that nothing else shares. */
export type Memory = Buffer<ArrayBuffer>;

/** The same memory, or larger one with the same `used` bytes, where so many are needed in all. */
export function grown(memory: Memory, used: number, needed: number): Memory {
  if (needed <= memory.length) return memory;
  const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * memory.length));
  memory.copy(larger, 0, 0, used);
  return larger;
}
