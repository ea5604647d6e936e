/**
 * Cache of evaluated cells of one field: from the bytes of a cell to the JSON of its value. Dates, domains and list
 * values repeat. A cell has one slot, by its hash, and takes the place of the last cell there.
 */
import { allocate, copy, equal } from './memory';

const SLOTS: u64 = 32768;

/**
 * A slot: length of the cell with its sort (u8), length of the value (u8), number of the note (u16), the cell, the value.
 */
const NOTE: usize = 2;
const KEY: usize = 4;
/** Longest cell, in bytes. */
const MAX_KEY: usize = 96;
/** A bit in the byte of the cell's length, which is at most {@link MAX_KEY}. */
export const OTHER_SORT: u8 = 0x80;
/** Longest value in the cache, in bytes. */
export const MAX_VALUE: usize = 96;
const SLOT_BYTES: usize = KEY + MAX_KEY + MAX_VALUE;

/** The address of a new cache. */
export function createCellCache(): usize {
  return allocate(<usize>SLOTS * SLOT_BYTES);
}

/**
 * Address of the slot of a cell that is not empty, or 0 if the cell is not in it. `sort`: 0, or {@link OTHER_SORT} for a cell
 * whose value differs from that of a text with the same bytes.
 */
export function find(cache: usize, start: usize, end: usize, sort: u8): usize {
  const size = end - start;
  if (size > MAX_KEY) return 0;
  const slot = slotOf(cache, start, size);
  return load<u8>(slot) === (<u8>size | sort) && equal(slot + KEY, start, size) ? slot : 0;
}

/** Whether the field is absent. */
export function isAbsent(slot: usize): bool {
  return load<u8>(slot, 1) === 0;
}

/** Copies the value of a slot and returns the address after the copy. */
export function writeValue(slot: usize, at: usize): usize {
  const size = <usize>(load<u8>(slot) & ~OTHER_SORT);
  return copy(slot + KEY + size, load<u8>(slot, 1), at);
}

/** 0 for none. */
export function noteOf(slot: usize): u16 {
  return load<u16>(slot + NOTE);
}

/** Adds the result for a cell that is not empty: `size` bytes of JSON, 0 if the field is absent. */
export function add(cache: usize, start: usize, end: usize, sort: u8, json: usize, size: usize, note: u16): void {
  const length = end - start;
  if (length > MAX_KEY || size > MAX_VALUE) return;
  const slot = slotOf(cache, start, length);
  store<u8>(slot, <u8>length | sort);
  store<u8>(slot, <u8>size, 1);
  store<u16>(slot + NOTE, note);
  memory.copy(slot + KEY, start, length);
  memory.copy(slot + KEY + length, json, size);
}

function slotOf(cache: usize, start: usize, size: usize): usize {
  // Of the product of the last step, these bits depend on every byte.
  return cache + <usize>((hashOf(start, size) >> 40) & (SLOTS - 1)) * SLOT_BYTES;
}

/** Multiplies and folds eight bytes at a time. Bytes after the cell are masked out. */
function hashOf(start: usize, size: usize): u64 {
  let hash: u64 = <u64>size * 0x9e3779b97f4a7;
  let i: usize = 0;
  for (; i + 8 <= size; i += 8) hash = mixed(hash ^ load<u64>(start + i));
  const rest = load<u64>(start + i) & (((<u64>1) << (8 * <u64>(size - i))) - 1);
  return mixed(hash ^ rest);
}

function mixed(word: u64): u64 {
  const product = word * 0x1f58476d1ce4e5;
  return product ^ (product >> 32);
}
