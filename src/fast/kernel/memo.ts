/**
 * What a field came to for cells that were seen before: from the bytes of a cell to the JSON of its value. Days,
 * domains and words of a list repeat.
 *
 * Memory is bounded: at most {@link MOST_SLOTS} slots of {@link SLOT_BYTES} bytes, and few for a short file. A cell has
 * one slot, by a hash; whoever comes later to that slot takes it. Long cells and long values are not remembered.
 */
import { allocate, copy, equal } from './memory';

const FIRST_SLOTS: u32 = 512;
const GROWTH: u32 = 16;
const MOST_SLOTS: u32 = 131072;
const SLOT_BYTES: usize = 96;
/** In a slot: length of the cell with its sort, length of the value, two bytes for the notes of each kind, the cell, the value. */
const NOTES: usize = 2;
const KEY: usize = 8;
const VALUE: usize = 56;
/** Longest cell, in bytes. */
const MOST_KEY: usize = VALUE - KEY;
/** In the byte of the cell's length, which is at most {@link MOST_KEY}. */
export const OTHER_SORT: u8 = 0x80;
/** Longest value that is kept, in bytes. */
export const MOST_VALUE: usize = SLOT_BYTES - VALUE;

@unmanaged
export class Memo {
  slots: u32 = 0;
  /** How often something was kept in this store. */
  kept: u32 = 0;
  store: usize = 0;
}

export function createMemo(): Memo {
  const memo = changetype<Memo>(allocate(offsetof<Memo>()));
  memo.slots = FIRST_SLOTS;
  memo.store = allocate(<usize>FIRST_SLOTS * SLOT_BYTES);
  return memo;
}

/**
 * Where the cell between `start` and `end` is kept; 0 where it is not. `sort`: 0, or {@link OTHER_SORT} for cells
 * that mean something else than texts of the same bytes.
 */
export function find(memo: Memo, start: usize, end: usize, sort: u8): usize {
  const size = end - start;
  if (size > MOST_KEY) return 0;
  const slot = slotOf(memo, start, size);
  return load<u8>(slot) === (<u8>size | sort) && equal(slot + KEY, start, size) ? slot : 0;
}

/** Whether the field is absent. */
export function isAbsent(slot: usize): bool {
  return load<u8>(slot, 1) === 0;
}

/** Copies the value kept at `slot`; returns the address behind it. */
export function writeValue(slot: usize, at: usize): usize {
  return copy(slot + VALUE, load<u8>(slot, 1), at);
}

/** Numbers of the notes of the mapping, and of the validation. */
export function mappedOf(slot: usize): u16 {
  return load<u16>(slot + NOTES);
}
export function judgedOf(slot: usize): u16 {
  return load<u16>(slot + NOTES, 2);
}

/** Keeps what a cell, which is not empty, came to: `size` bytes of JSON, none where the field is absent. */
export function keep(
  memo: Memo,
  start: usize,
  end: usize,
  sort: u8,
  json: usize,
  size: usize,
  mapped: u16,
  judged: u16,
): void {
  const length = end - start;
  if (length > MOST_KEY || size > MOST_VALUE) return;
  if (memo.kept >= memo.slots / 2 && memo.slots < MOST_SLOTS) grow(memo);
  memo.kept += 1;
  const slot = slotOf(memo, start, length);
  store<u8>(slot, <u8>length | sort);
  store<u8>(slot, <u8>size, 1);
  store<u16>(slot + NOTES, mapped);
  store<u16>(slot + NOTES, judged, 2);
  memory.copy(slot + KEY, start, length);
  memory.copy(slot + VALUE, json, size);
}

/** A larger store is an empty one: what was in it comes again, if it repeats. */
function grow(memo: Memo): void {
  memo.slots *= GROWTH;
  memo.kept = 0;
  memo.store = allocate(<usize>memo.slots * SLOT_BYTES);
}

/** Eight bytes at a time, multiplied and folded; the last ones are taken once more where they are fewer. */
function slotOf(memo: Memo, start: usize, size: usize): usize {
  let hash: u64 = <u64>size * 0x9e3779b97f4a7;
  let i: usize = 0;
  for (; i + 8 <= size; i += 8) hash = mixed(hash ^ load<u64>(start + i));
  let rest: u64 = 0;
  for (; i < size; i += 1) rest = (rest << 8) | load<u8>(start + i);
  hash = mixed(hash ^ rest);
  return memo.store + <usize>(<u32>hash & (memo.slots - 1)) * SLOT_BYTES;
}

function mixed(word: u64): u64 {
  const product = word * 0x1f58476d1ce4e5;
  return product ^ (product >> 32);
}
