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
/** So many pages are asked for at once, at the least: each time, V8 counts all of the memory as newly taken. */
const GROWTH_PAGES: i32 = 16;

let top: usize = __heap_base;

/** A piece of so many bytes, all 0. The host's views of the memory may be void behind this call. */
export function allocate(size: usize): usize {
  const piece = top;
  top = (piece + size + SLACK + (VECTOR - 1)) & ~(VECTOR - 1);
  const missing = <isize>top - <isize>(<usize>memory.size() * PAGE);
  const pages = <i32>((missing + <isize>PAGE - 1) / <isize>PAGE);
  if (missing > 0 && memory.grow(max(pages, GROWTH_PAGES)) < 0) unreachable();
  return piece;
}

/** Copies `size` bytes and returns the address behind them. Up to 15 bytes behind that change too. */
export function copy(from: usize, size: usize, to: usize): usize {
  for (let i: usize = 0; i < size; i += VECTOR) v128.store(to + i, v128.load(from + i));
  return to + size;
}

/** Whether `size` bytes are the same in both places. */
export function equal(one: usize, other: usize, size: usize): bool {
  for (let i: usize = 0; i < size; i += VECTOR) {
    const different = ~i8x16.bitmask(i8x16.eq(v128.load(one + i), v128.load(other + i)));
    const rest = size - i;
    // A bit stands for a byte; those behind the last one do not count.
    if ((different & ((1 << (<i32>min(rest, VECTOR))) - 1)) !== 0) return false;
  }
  return true;
}
