/**
 * Cache of evaluated cells of one field: from the bytes of a cell to the JSON of its value. Days, domains and words of a
 * list repeat.
 *
 * An open-addressing table of slots (the hash of a cell and the address of its entry); entries are stored one after
 * another in pieces of memory. A full table grows; at its limits the cache is cleared. If its cells were found less than
 * once each on average, it is disabled, because a lookup in so much memory costs a third of an evaluation.
 *
 * Limits per cache: {@link MOST_SLOTS} slots of 8 bytes, filled to three quarters, and {@link MOST_PIECES} pieces.
 */
import { allocate, copy, equal } from './arena';

const FIRST_SLOTS: u32 = 512;
const GROWTH: u32 = 8;
const MOST_SLOTS: u32 = 262144;
const SLOT_BYTES: usize = 8;

const FIRST_PIECE_BYTES: usize = 4096;
const PIECE_BYTES: usize = 65536;
const MOST_PIECES: u32 = 160;
/** A piece begins with the address of the next one. */
const LINK_BYTES: usize = 8;

/** In an entry: length of the cell with its sort, length of the value, two bytes for the notes of each kind, the cell, the value. */
const NOTES: usize = 2;
const KEY: usize = 6;
/** Longest cell, in bytes. */
const MOST_KEY: usize = 96;
/** In the byte of the cell's length, which is at most {@link MOST_KEY}. */
export const OTHER_SORT: u8 = 0x80;
/** Longest value that is kept, in bytes. */
export const MOST_VALUE: usize = 96;

@unmanaged
export class CellCache {
  slots: u32 = 0;
  /** Slots that are taken, and how often a cell was found in them. */
  taken: u32 = 0;
  found: u32 = 0;
  isGivenUp: bool = false;
  table: usize = 0;
  /** Where the next entry goes, and the end of the piece that it goes into. */
  at: usize = 0;
  end: usize = 0;
  /** The piece that is written into, and the first one. */
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
  begin(cache, cache.first, FIRST_PIECE_BYTES);
  return cache;
}

/**
 * Where the cell between `start` and `end` is kept; 0 where it is not. `sort`: 0, or {@link OTHER_SORT} for cells
 * that mean something else than texts of the same bytes.
 */
export function find(cache: CellCache, start: usize, end: usize, sort: u8): usize {
  const size = end - start;
  if (size > MOST_KEY || cache.isGivenUp) return 0;
  const hash = hashOf(start, size);
  const sized = <u8>size | sort;
  let slot = slotOf(cache, hash);
  let entry = <usize>load<u32>(slot, 4);
  while (entry !== 0) {
    if (load<u32>(slot) === hash && load<u8>(entry) === sized && equal(entry + KEY, start, size)) {
      cache.found += 1;
      break;
    }
    slot = slotBehind(cache, slot);
    entry = <usize>load<u32>(slot, 4);
  }
  return entry;
}

/** Whether the field is absent. */
export function isAbsent(entry: usize): bool {
  return load<u8>(entry, 1) === 0;
}

/** Copies the value kept at `entry`; returns the address behind it. */
export function writeValue(entry: usize, at: usize): usize {
  const size = <usize>(load<u8>(entry) & ~OTHER_SORT);
  return copy(entry + KEY + size, load<u8>(entry, 1), at);
}

/** Numbers of the notes of the mapping, and of the validation. */
export function mappedOf(entry: usize): u16 {
  return load<u16>(entry + NOTES);
}
export function judgedOf(entry: usize): u16 {
  return load<u16>(entry + NOTES, 2);
}

/** Keeps what a cell that was not found, and is not empty, came to: `size` bytes of JSON, none where the field is absent. */
export function keep(
  cache: CellCache,
  start: usize,
  end: usize,
  sort: u8,
  json: usize,
  size: usize,
  mapped: u16,
  judged: u16,
): void {
  const length = end - start;
  if (length > MOST_KEY || size > MOST_VALUE || cache.isGivenUp) return;
  if (cache.taken >= cache.slots - cache.slots / 4) makeRoom(cache);
  const entry = room(cache, KEY + length + size);
  store<u8>(entry, <u8>length | sort);
  store<u8>(entry, <u8>size, 1);
  store<u16>(entry + NOTES, mapped);
  store<u16>(entry + NOTES, judged, 2);
  memory.copy(entry + KEY, start, length);
  memory.copy(entry + KEY + length, json, size);
  enter(cache, hashOf(start, length), entry);
}

/** Takes the first free slot for an entry. */
function enter(cache: CellCache, hash: u32, entry: usize): void {
  let slot = slotOf(cache, hash);
  while (load<u32>(slot, 4) !== 0) slot = slotBehind(cache, slot);
  store<u32>(slot, hash);
  store<u32>(slot, <u32>entry, 4);
  cache.taken += 1;
}

/** A larger table with the same entries; or the same one, and none. */
function makeRoom(cache: CellCache): void {
  if (cache.slots >= MOST_SLOTS) {
    forget(cache);
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

function forget(cache: CellCache): void {
  cache.isGivenUp = cache.found < cache.taken;
  memory.fill(cache.table, 0, <usize>cache.slots * SLOT_BYTES);
  cache.taken = 0;
  cache.found = 0;
  begin(cache, cache.first, FIRST_PIECE_BYTES);
}

function begin(cache: CellCache, piece: usize, size: usize): void {
  cache.piece = piece;
  cache.at = piece + LINK_BYTES;
  cache.end = piece + size;
}

/** Room for an entry. Where the memory is used up, what is in it is forgotten. */
function room(cache: CellCache, size: usize): usize {
  if (cache.at + size > cache.end) {
    let next = <usize>load<u32>(cache.piece);
    if (next === 0 && cache.pieces < MOST_PIECES) {
      next = allocate(PIECE_BYTES);
      store<u32>(cache.piece, <u32>next);
      cache.pieces += 1;
    }
    if (next === 0) forget(cache);
    else begin(cache, next, PIECE_BYTES);
  }
  const entry = cache.at;
  cache.at += size;
  return entry;
}

function slotOf(cache: CellCache, hash: u32): usize {
  return cache.table + <usize>(hash & (cache.slots - 1)) * SLOT_BYTES;
}

function slotBehind(cache: CellCache, slot: usize): usize {
  const next = slot + SLOT_BYTES;
  return next === cache.table + <usize>cache.slots * SLOT_BYTES ? cache.table : next;
}

/** Eight bytes at a time, multiplied and folded; of the last ones those behind the cell do not count. */
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
