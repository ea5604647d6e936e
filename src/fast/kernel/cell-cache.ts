/**
 * What a field came to for cells that were seen before: from the bytes of a cell to the JSON of its value. Days,
 * domains and words of a list repeat.
 *
 * A table of slots, each the hash of a cell and the address of its entry; entries stand one behind the other in pieces of
 * memory. A table that is full grows; one that may not grow any more, or has used up its memory, begins anew, and so does
 * the memory of its entries. But where its cells came again less often than once each, it is given up: to look for a cell
 * in so much memory takes a third of evaluating it. Long cells and long values are not remembered.
 *
 * Limits, for each memo: {@link MOST_SLOTS} slots of 8 bytes, of which three in four are taken at the most, and
 * {@link MOST_PIECES} pieces; a short file needs little of both.
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
export class Memo {
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

export function createMemo(): Memo {
  const memo = changetype<Memo>(allocate(offsetof<Memo>()));
  memo.slots = FIRST_SLOTS;
  memo.table = allocate(<usize>FIRST_SLOTS * SLOT_BYTES);
  memo.first = allocate(FIRST_PIECE_BYTES);
  memo.pieces = 1;
  begin(memo, memo.first, FIRST_PIECE_BYTES);
  return memo;
}

/**
 * Where the cell between `start` and `end` is kept; 0 where it is not. `sort`: 0, or {@link OTHER_SORT} for cells
 * that mean something else than texts of the same bytes.
 */
export function find(memo: Memo, start: usize, end: usize, sort: u8): usize {
  const size = end - start;
  if (size > MOST_KEY || memo.isGivenUp) return 0;
  const hash = hashOf(start, size);
  const sized = <u8>size | sort;
  let slot = slotOf(memo, hash);
  let entry = <usize>load<u32>(slot, 4);
  while (entry !== 0) {
    if (load<u32>(slot) === hash && load<u8>(entry) === sized && equal(entry + KEY, start, size)) {
      memo.found += 1;
      break;
    }
    slot = slotBehind(memo, slot);
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
  if (length > MOST_KEY || size > MOST_VALUE || memo.isGivenUp) return;
  if (memo.taken >= memo.slots - memo.slots / 4) makeRoom(memo);
  const entry = room(memo, KEY + length + size);
  store<u8>(entry, <u8>length | sort);
  store<u8>(entry, <u8>size, 1);
  store<u16>(entry + NOTES, mapped);
  store<u16>(entry + NOTES, judged, 2);
  memory.copy(entry + KEY, start, length);
  memory.copy(entry + KEY + length, json, size);
  enter(memo, hashOf(start, length), entry);
}

/** Takes the first free slot for an entry. */
function enter(memo: Memo, hash: u32, entry: usize): void {
  let slot = slotOf(memo, hash);
  while (load<u32>(slot, 4) !== 0) slot = slotBehind(memo, slot);
  store<u32>(slot, hash);
  store<u32>(slot, <u32>entry, 4);
  memo.taken += 1;
}

/** A larger table with the same entries; or the same one, and none. */
function makeRoom(memo: Memo): void {
  if (memo.slots >= MOST_SLOTS) {
    forget(memo);
    return;
  }
  const table = memo.table;
  const end = table + <usize>memo.slots * SLOT_BYTES;
  memo.slots *= GROWTH;
  memo.taken = 0;
  memo.table = allocate(<usize>memo.slots * SLOT_BYTES);
  for (let slot = table; slot < end; slot += SLOT_BYTES) {
    const entry = <usize>load<u32>(slot, 4);
    if (entry !== 0) enter(memo, load<u32>(slot), entry);
  }
}

function forget(memo: Memo): void {
  memo.isGivenUp = memo.found < memo.taken;
  memory.fill(memo.table, 0, <usize>memo.slots * SLOT_BYTES);
  memo.taken = 0;
  memo.found = 0;
  begin(memo, memo.first, FIRST_PIECE_BYTES);
}

function begin(memo: Memo, piece: usize, size: usize): void {
  memo.piece = piece;
  memo.at = piece + LINK_BYTES;
  memo.end = piece + size;
}

/** Room for an entry. Where the memory is used up, what is in it is forgotten. */
function room(memo: Memo, size: usize): usize {
  if (memo.at + size > memo.end) {
    let next = <usize>load<u32>(memo.piece);
    if (next === 0 && memo.pieces < MOST_PIECES) {
      next = allocate(PIECE_BYTES);
      store<u32>(memo.piece, <u32>next);
      memo.pieces += 1;
    }
    if (next === 0) forget(memo);
    else begin(memo, next, PIECE_BYTES);
  }
  const entry = memo.at;
  memo.at += size;
  return entry;
}

function slotOf(memo: Memo, hash: u32): usize {
  return memo.table + <usize>(hash & (memo.slots - 1)) * SLOT_BYTES;
}

function slotBehind(memo: Memo, slot: usize): usize {
  const next = slot + SLOT_BYTES;
  return next === memo.table + <usize>memo.slots * SLOT_BYTES ? memo.table : next;
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
