/**
 * Blocks of bytes, four bytes at a time. A word is 32 bits here. A `DataView` reads and writes words anywhere, which V8
 * makes one instruction of; all are little-endian, so that the first byte is the lowest.
 */

/** Bytes with the view of the same memory. */
export interface Block {
  readonly bytes: Buffer;
  readonly view: DataView;
}

export function blockOf(bytes: Buffer): Block {
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length) };
}

/** Bytes behind a copy that it may write over: it goes by whole words. */
export const SLACK = 3;

/**
 * Copies `size` bytes and returns the index behind them. Up to {@link SLACK} bytes behind that may change too, for
 * which there must be room.
 */
export function copyWords(from: Block, start: number, size: number, to: Block, at: number): number {
  const source = from.view;
  const target = to.view;
  let i = 0;
  // The last word may reach behind the bytes that are copied, but not behind their memory.
  const words = Math.min(size, source.byteLength - start - SLACK);
  for (; i < words; i += 4) target.setInt32(at + i, source.getInt32(start + i, true), true);
  for (; i < size; i += 1) to.bytes[at + i] = from.bytes[start + i] ?? 0;
  return at + size;
}

/** Of each byte the high bit, set where the byte is 0; and perhaps in bytes above such a one. */
export function zeros(word: number): number {
  return (word - 0x01010101) & ~word & HIGH_BITS;
}

/** The same for bytes below U+0020: control characters. */
export function controls(word: number): number {
  return (word - 0x20202020) & ~word & HIGH_BITS;
}

const HIGH_BITS = 0x80808080 | 0;

/** A word of four times the same byte. */
export function repeated(byte: number): number {
  return Math.imul(byte, 0x01010101);
}

/** Which of a word's four bytes is the first with its bit set. */
export function firstOf(bits: number): number {
  return (31 - Math.clz32(bits & -bits)) >> 3;
}
