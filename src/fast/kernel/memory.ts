/**
 * Memory of the kernel: one piece behind the other, never given back. What is allocated lives as long as the kernel.
 *
 * Vectors of 16 bytes are read and written whole, so every piece has {@link SLACK} bytes behind it that belong to
 * nobody.
 */

/** Bytes of a vector. */
export const VECTOR: usize = 16;
const SLACK: usize = VECTOR;
const PAGE: usize = 65536;

let top: usize = __heap_base;

/** A piece of so many bytes, all 0. The host's views of the memory may be void behind this call. */
export function allocate(size: usize): usize {
  const piece = top;
  top = (piece + size + SLACK + (VECTOR - 1)) & ~(VECTOR - 1);
  const missing = <isize>top - <isize>(<usize>memory.size() * PAGE);
  if (missing > 0 && memory.grow(<i32>((<usize>missing + PAGE - 1) / PAGE)) < 0) unreachable();
  return piece;
}

/** Copies `size` bytes and returns the address behind them. Up to 15 bytes behind that change too. */
export function copy(from: usize, size: usize, to: usize): usize {
  for (let i: usize = 0; i < size; i += VECTOR) v128.store(to + i, v128.load(from + i));
  return to + size;
}

/** Whether `size` bytes are the same in both places. */
export function equal(one: usize, other: usize, size: usize): bool {
  let i: usize = 0;
  for (; i + 8 <= size; i += 8) if (load<u64>(one + i) !== load<u64>(other + i)) return false;
  for (; i < size; i += 1) if (load<u8>(one + i) !== load<u8>(other + i)) return false;
  return true;
}
