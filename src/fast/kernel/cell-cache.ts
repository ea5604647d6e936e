/**
 * Cache of evaluated cells: from a field and the bytes of a cell to the JSON of its value. Dates, domains and list values
 * repeat. A hash table with the addresses of entries, which are stored one after another; a full cache is emptied.
 */
import { allocate, copy, equal } from './memory';

const SLOTS: usize = 262144;
const MAX_CELLS: u32 = 196608;
const ADDRESS_BYTES: usize = 4;

/**
 * An entry: length of the cell (u8), length of the value (u8), number of the note (u16), tag of the field (u8), the cell, the
 * value.
 */
const NOTE: usize = 2;
const TAG: usize = 4;
const KEY: usize = 5;
/** Longest cell, in bytes. */
const MAX_KEY: usize = 96;
/** Longest value in the cache, in bytes. */
export const MAX_VALUE: usize = 96;

const table: usize = allocate(SLOTS * ADDRESS_BYTES);
const ENTRIES_BYTES: usize = 16777216;
const entries: usize = allocate(ENTRIES_BYTES);
const entriesEnd: usize = entries + ENTRIES_BYTES - KEY - MAX_KEY - MAX_VALUE;
let cells: u32 = 0;
let nextEntry: usize = entries;

/** Address of the entry of a cell, or 0. `tag` differs for cells with the same bytes and different values. */
export function find(tag: u8, start: usize, end: usize): usize {
  const size = end - start;
  return size > MAX_KEY ? 0 : <usize>load<u32>(seek(tag, start, size));
}

/** Whether the field is absent. */
export function isAbsent(entry: usize): bool {
  return load<u8>(entry, 1) === 0;
}

/** Copies the value of an entry and returns the address after the copy. */
export function writeValue(entry: usize, at: usize): usize {
  return copy(entry + KEY + load<u8>(entry), load<u8>(entry, 1), at);
}

/** 0 for none. */
export function noteOf(entry: usize): u16 {
  return load<u16>(entry + NOTE);
}

/** Adds the result for a cell that is not in the cache: `size` bytes of JSON, 0 if the field is absent. */
export function add(tag: u8, start: usize, end: usize, json: usize, size: usize, note: u16): void {
  const length = end - start;
  if (length > MAX_KEY || size > MAX_VALUE) return;
  if (cells === MAX_CELLS || nextEntry > entriesEnd) {
    memory.fill(table, 0, SLOTS * ADDRESS_BYTES);
    cells = 0;
    nextEntry = entries;
  }
  const entry = nextEntry;
  store<u32>(seek(tag, start, length), <u32>entry);
  store<u8>(entry, <u8>length);
  store<u8>(entry, <u8>size, 1);
  store<u16>(entry + NOTE, note);
  store<u8>(entry + TAG, tag);
  memory.copy(entry + KEY, start, length);
  memory.copy(entry + KEY + length, json, size);
  cells += 1;
  nextEntry += KEY + length + size;
}

/** Address of the slot of a cell, or of the free slot for it. */
function seek(tag: u8, start: usize, size: usize): usize {
  // Of the product of the last step, these bits depend on every byte.
  let slot = slotAt(<usize>(hashOf(tag, start, size) >> 40));
  let entry = <usize>load<u32>(slot);
  while (entry !== 0 && !isCell(entry, tag, start, size)) {
    slot = slotAt((slot - table) / ADDRESS_BYTES + 1);
    entry = <usize>load<u32>(slot);
  }
  return slot;
}

function slotAt(index: usize): usize {
  return table + (index & (SLOTS - 1)) * ADDRESS_BYTES;
}

function isCell(entry: usize, tag: u8, start: usize, size: usize): bool {
  return load<u8>(entry) === <u8>size && load<u8>(entry, TAG) === tag && equal(entry + KEY, start, size);
}

/** Multiplies and folds eight bytes at a time. Bytes after the cell are masked out. */
function hashOf(tag: u8, start: usize, size: usize): u64 {
  let hash: u64 = <u64>((size << 8) | tag) * 0x9e3779b97f4a7;
  let i: usize = 0;
  for (; i + 8 <= size; i += 8) hash = mixed(hash ^ load<u64>(start + i));
  const rest = load<u64>(start + i) & (((<u64>1) << (8 * <u64>(size - i))) - 1);
  return mixed(hash ^ rest);
}

function mixed(word: u64): u64 {
  const product = word * 0x1f58476d1ce4e5;
  return product ^ (product >> 32);
}
