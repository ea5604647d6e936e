/**
 * Memory of the kernel, allocated piece by piece and never freed; and the bytes that have a name.
 *
 * Vectors of 16 bytes are read and written whole, so every piece is followed by {@link SLACK} unused bytes.
 */

/** Bytes of a vector. */
export const VECTOR: usize = 16;
const SLACK: usize = VECTOR;
const PAGE: usize = 65536;
/** Minimum pages to grow by: each time, V8 counts the whole memory as newly allocated. */
const GROWTH_PAGES: i32 = 16;

let top: usize = __heap_base;

/** Allocates `size` zero bytes. This may invalidate the host's views of the memory. */
export function allocate(size: usize): usize {
  const piece = top;
  top = (piece + size + SLACK + (VECTOR - 1)) & ~(VECTOR - 1);
  const missing = <isize>top - <isize>(<usize>memory.size() * PAGE);
  const pages = <i32>((missing + <isize>PAGE - 1) / <isize>PAGE);
  if (missing > 0 && memory.grow(max(pages, GROWTH_PAGES)) < 0) unreachable();
  return piece;
}

/** Copies `size` bytes and returns the address after them. May overwrite up to 15 bytes more. */
export function copy(from: usize, size: usize, to: usize): usize {
  for (let i: usize = 0; i < size; i += VECTOR) v128.store(to + i, v128.load(from + i));
  return to + size;
}

/** Whether `size` bytes are equal. */
export function equal(one: usize, other: usize, size: usize): bool {
  for (let i: usize = 0; i < size; i += VECTOR) {
    const different = ~i8x16.bitmask(i8x16.eq(v128.load(one + i), v128.load(other + i)));
    const rest = size - i;
    // One bit per byte; the bits after the last byte do not count.
    if ((different & ((1 << (<i32>min(rest, VECTOR))) - 1)) !== 0) return false;
  }
  return true;
}

// Names of the ASCII bytes that have a meaning in CSV, JSON, numbers and dates.
export const TAB: u8 = 0x09;
export const LINE_FEED: u8 = 0x0a;
export const CR: u8 = 0x0d;
export const SPACE: u8 = 0x20;
export const QUOTE: u8 = 0x22;
export const PLUS: u8 = 0x2b;
export const COMMA: u8 = 0x2c;
export const MINUS: u8 = 0x2d;
export const POINT: u8 = 0x2e;
export const SLASH: u8 = 0x2f;
export const ZERO: u8 = 0x30;
export const COLON: u8 = 0x3a;
export const LETTER_T: u8 = 0x54;
export const LETTER_Z: u8 = 0x5a;
export const OPEN_ARRAY: u8 = 0x5b;
export const BACKSLASH: u8 = 0x5c;
export const CLOSE_ARRAY: u8 = 0x5d;
export const LETTER_E: u8 = 0x65;
export const LETTER_U: u8 = 0x75;
export const OPEN: u8 = 0x7b;
export const CLOSE: u8 = 0x7d;
