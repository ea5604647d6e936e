/**
 * Cache of evaluated cells of one field: from the bytes of a cell to the JSON of its value. Dates, domains and list
 * values repeat.
 *
 * An open-addressing table of slots (the hash of a cell and the address of its entry); entries are stored one after
 * another in pieces of memory. A full table grows; at its limits the cache is cleared. If its cells were found less than
 * once each on average, it is disabled, because a lookup in so much memory costs a third of an evaluation.
 *
 * Limits per cache: {@link MAX_SLOTS} slots of 8 bytes, filled to three quarters, and {@link MAX_PIECES} pieces.
 */
import { allocate, copy, equal } from './memory';

const FIRST_SLOTS: u32 = 512;
const GROWTH: u32 = 8;
const MAX_SLOTS: u32 = 262144;
const SLOT_BYTES: usize = 8;

const FIRST_PIECE_BYTES: usize = 4096;
const PIECE_BYTES: usize = 65536;
const MAX_PIECES: u32 = 160;
/** A piece begins with the address of the next one. */
const LINK_BYTES: usize = 8;

/**
 * An entry: length of the cell with its sort (u8), length of the value (u8), number of the note (u16), the cell, the value.
 */
const NOTE: usize = 2;
const KEY: usize = 4;
/** Longest cell, in bytes. */
const MAX_KEY: usize = 96;
/** A bit in the byte of the cell's length, which is at most {@link MAX_KEY}. */
export const OTHER_SORT: u8 = 0x80;
/** Longest value in the cache, in bytes. */
export const MAX_VALUE: usize = 96;

@unmanaged
export class CellCache {
  slots: u32 = 0;
  /** Number of used slots, and number of hits since the last clear. */
  taken: u32 = 0;
  found: u32 = 0;
  isDisabled: bool = false;
  table: usize = 0;
  /** Address of the next entry, and the end of the current piece. */
  at: usize = 0;
  end: usize = 0;
  /** The current piece, and the first one. */
  piece: usize = 0;
  first: usize = 0;
  pieces: u32 = 0;
}

export function createCellCache(): CellCache {
  const cache = changetype<CellCache>(allocate(offsetof<CellCache>()));
  cache.slots = FIRST_SLOTS;
  cache.table = allocate(<usize>FIRST_SLOTS * SLOT_BYTES);
  cache.first = allocate(FIRST_PIECE_BYTES);
  cache.pieces = 1;
  startPiece(cache, cache.first, FIRST_PIECE_BYTES);
  return cache;
}

/**
 * Address of the entry of a cell, or 0. `sort`: 0, or {@link OTHER_SORT} for a cell whose value differs from that of a text
 * with the same bytes.
 */
export function find(cache: CellCache, start: usize, end: usize, sort: u8): usize {
  const size = end - start;
  if (size > MAX_KEY || cache.isDisabled) return 0;
  const hash = hashOf(start, size);
  const sized = <u8>size | sort;
  let slot = slotOf(cache, hash);
  let entry = <usize>load<u32>(slot, 4);
  while (entry !== 0) {
    if (load<u32>(slot) === hash && load<u8>(entry) === sized && equal(entry + KEY, start, size)) {
      cache.found += 1;
      break;
    }
    slot = nextSlot(cache, slot);
    entry = <usize>load<u32>(slot, 4);
  }
  return entry;
}

/** Whether the field is absent. */
export function isAbsent(entry: usize): bool {
  return load<u8>(entry, 1) === 0;
}

/** Copies the value of an entry and returns the address after the copy. */
export function writeValue(entry: usize, at: usize): usize {
  const size = <usize>(load<u8>(entry) & ~OTHER_SORT);
  return copy(entry + KEY + size, load<u8>(entry, 1), at);
}

/** 0 for none. */
export function noteOf(entry: usize): u16 {
  return load<u16>(entry + NOTE);
}

/** Adds the result for a cell that is not in the cache and not empty: `size` bytes of JSON, 0 if the field is absent. */
export function add(cache: CellCache, start: usize, end: usize, sort: u8, json: usize, size: usize, note: u16): void {
  const length = end - start;
  if (length > MAX_KEY || size > MAX_VALUE || cache.isDisabled) return;
  if (cache.taken >= cache.slots - cache.slots / 4) growTable(cache);
  const entry = allocateEntry(cache, KEY + length + size);
  store<u8>(entry, <u8>length | sort);
  store<u8>(entry, <u8>size, 1);
  store<u16>(entry + NOTE, note);
  memory.copy(entry + KEY, start, length);
  memory.copy(entry + KEY + length, json, size);
  enter(cache, hashOf(start, length), entry);
}

/** Puts an entry into the first free slot. */
function enter(cache: CellCache, hash: u32, entry: usize): void {
  let slot = slotOf(cache, hash);
  while (load<u32>(slot, 4) !== 0) slot = nextSlot(cache, slot);
  store<u32>(slot, hash);
  store<u32>(slot, <u32>entry, 4);
  cache.taken += 1;
}

/** Grows the table, or clears it if it has the maximum size. */
function growTable(cache: CellCache): void {
  if (cache.slots >= MAX_SLOTS) {
    clear(cache);
    return;
  }
  const table = cache.table;
  const end = table + <usize>cache.slots * SLOT_BYTES;
  cache.slots *= GROWTH;
  cache.taken = 0;
  cache.table = allocate(<usize>cache.slots * SLOT_BYTES);
  for (let slot = table; slot < end; slot += SLOT_BYTES) {
    const entry = <usize>load<u32>(slot, 4);
    if (entry !== 0) enter(cache, load<u32>(slot), entry);
  }
}

function clear(cache: CellCache): void {
  cache.isDisabled = cache.found < cache.taken;
  memory.fill(cache.table, 0, <usize>cache.slots * SLOT_BYTES);
  cache.taken = 0;
  cache.found = 0;
  startPiece(cache, cache.first, FIRST_PIECE_BYTES);
}

function startPiece(cache: CellCache, piece: usize, size: usize): void {
  cache.piece = piece;
  cache.at = piece + LINK_BYTES;
  cache.end = piece + size;
}

/** Allocates an entry. Clears the cache if it has the maximum number of pieces. */
function allocateEntry(cache: CellCache, size: usize): usize {
  if (cache.at + size > cache.end) {
    let next = <usize>load<u32>(cache.piece);
    if (next === 0 && cache.pieces < MAX_PIECES) {
      next = allocate(PIECE_BYTES);
      store<u32>(cache.piece, <u32>next);
      cache.pieces += 1;
    }
    if (next === 0) clear(cache);
    else startPiece(cache, next, PIECE_BYTES);
  }
  const entry = cache.at;
  cache.at += size;
  return entry;
}

function slotOf(cache: CellCache, hash: u32): usize {
  return cache.table + <usize>(hash & (cache.slots - 1)) * SLOT_BYTES;
}

function nextSlot(cache: CellCache, slot: usize): usize {
  const next = slot + SLOT_BYTES;
  return next === cache.table + <usize>cache.slots * SLOT_BYTES ? cache.table : next;
}

/** Multiplies and folds eight bytes at a time. Bytes after the cell are masked out. */
function hashOf(start: usize, size: usize): u32 {
  let hash: u64 = <u64>size * 0x9e3779b97f4a7;
  let i: usize = 0;
  for (; i + 8 <= size; i += 8) hash = mixed(hash ^ load<u64>(start + i));
  const rest = load<u64>(start + i) & (((<u64>1) << (8 * <u64>(size - i))) - 1);
  return <u32>mixed(hash ^ rest);
}

function mixed(word: u64): u64 {
  const product = word * 0x1f58476d1ce4e5;
  return product ^ (product >> 32);
}
