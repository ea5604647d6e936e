/**
 * What a field came to for cells that were seen before: from the bytes of a cell to the JSON of its value, without
 * making a string of either. Days, domains and words of a list repeat.
 *
 * Memory is bounded: at most {@link MOST_SLOTS} slots of {@link SLOT_BYTES} bytes, and few for a short file. A cell has
 * one slot, by a hash; whoever comes later to that slot takes it. Long cells, long values and values with
 * notes beyond the first {@link NOTE_LISTS} different ones are not remembered.
 */
import { type Block, blockOf, copyWords } from './block.ts';

const FIRST_SLOTS = 2 ** 9;
const GROWTH = 2 ** 3;
const MOST_SLOTS = FIRST_SLOTS * GROWTH ** 2;
const SLOT_BYTES = 128;
/** In a slot: length of the cell, length of the value, two bytes for the notes, the cell, the value. */
const KEY = 4;
const VALUE = 64;
/** Longest cell, in bytes. */
const MOST_KEY = VALUE - KEY;
/** Longest value that is kept, in bytes. */
export const MOST_VALUE = SLOT_BYTES - VALUE;
const NOTE_LISTS = 4096;

export interface Notes {
  readonly mapped: readonly string[];
  readonly judged: readonly string[];
}

export interface Memo {
  /** Where the cell between `start` and `end` is kept; negative where it is not. */
  find(from: Block, start: number, end: number): number;
  /** Copies the value kept at `slot`; returns the index behind it. Writes {@link MOST_VALUE} bytes at most. */
  write(slot: number, out: Block, at: number): number;
  notes(slot: number): Notes | undefined;
  /** Whether the field is absent. */
  isAbsent(slot: number): boolean;
  /** Keeps what a cell, which is not empty, came to: a value as JSON, or that there is none. */
  keep(from: Block, start: number, end: number, json: Buffer | undefined, notes: Notes): void;
}

export function createMemo(): Memo {
  let slots = FIRST_SLOTS;
  let store = blockOf(Buffer.alloc(slots * SLOT_BYTES));
  /** How often something was kept in this store. */
  let kept = 0;
  const lists: (Notes | undefined)[] = [undefined];
  const known = new Map<string, number>();

  /** A larger store is an empty one: what was in it comes again, if it repeats. */
  function grow(): void {
    slots *= GROWTH;
    store = blockOf(Buffer.alloc(slots * SLOT_BYTES));
    kept = 0;
  }

  /** 0 stands for none; negative where there are too many. */
  function listOf(notes: Notes): number {
    if (notes.mapped.length + notes.judged.length === 0) return 0;
    const name = JSON.stringify([notes.mapped, notes.judged]);
    const found = known.get(name);
    if (found !== undefined) return found;
    if (lists.length > NOTE_LISTS) return -1;
    known.set(name, lists.length);
    return lists.push(notes) - 1;
  }

  return {
    find(from, start, end) {
      const size = end - start;
      if (size > MOST_KEY) return -1;
      const { bytes, view } = store;
      const slot = slotOf(from, start, end, slots);
      if (bytes[slot] !== size) return -1;
      const key = slot + KEY;
      let i = 0;
      for (; i + 4 <= size; i += 4) {
        if (view.getInt32(key + i, true) !== from.view.getInt32(start + i, true)) return -1;
      }
      for (; i < size; i += 1) if (bytes[key + i] !== from.bytes[start + i]) return -1;
      return slot;
    },

    write: (slot, out, at) => copyWords(store, slot + VALUE, store.bytes[slot + 1] ?? 0, out, at),

    notes(slot) {
      const list = store.view.getUint16(slot + 2, true);
      return list === 0 ? undefined : lists[list];
    },

    isAbsent: (slot) => store.bytes[slot + 1] === 0,

    keep(from, start, end, json, notes) {
      if (end - start > MOST_KEY || (json?.length ?? 0) > MOST_VALUE) return;
      const list = listOf(notes);
      if (list < 0) return;
      if (2 * kept >= slots && slots < MOST_SLOTS) grow();
      kept += 1;
      const { bytes, view } = store;
      const slot = slotOf(from, start, end, slots);
      bytes[slot] = end - start;
      bytes[slot + 1] = json?.copy(bytes, slot + VALUE) ?? 0;
      view.setUint16(slot + 2, list, true);
      from.bytes.copy(bytes, slot + KEY, start, end);
    },
  };
}

/** FNV-1a over words, of which the high bits are mixed into the low ones. */
function slotOf(from: Block, start: number, end: number, slots: number): number {
  let hash = 0x811c9dc5 ^ (end - start);
  let i = start;
  for (; i + 4 <= end; i += 4) {
    hash = Math.imul(hash ^ from.view.getInt32(i, true), 0x01000193);
    hash ^= hash >>> 15;
  }
  for (; i < end; i += 1) hash = Math.imul(hash ^ (from.bytes[i] ?? 0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return ((hash ^ (hash >>> 13)) & (slots - 1)) * SLOT_BYTES;
}
