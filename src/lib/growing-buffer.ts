/** Memory that grows while text is appended. */

/** A buffer with its own memory, not a slice of Node's shared pool. */
export type Memory = Buffer<ArrayBuffer>;

/** Returns `memory`, or a larger buffer with its first `used` bytes if it has fewer than `needed` bytes. */
export function grown(memory: Memory, used: number, needed: number): Memory {
  if (needed <= memory.length) return memory;
  const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * memory.length));
  memory.copy(larger, 0, 0, used);
  return larger;
}
