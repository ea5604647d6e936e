/**
 * The keys of the received signals, for deduplication: 24 to 48 bytes of memory per signal. A hash table of numbers instead of
 * a Set of strings, because a large upload has more keys than a Set can hold, and strings burden the garbage collector.
 */
import { hash } from 'node:crypto';

export interface SignalKeys {
  /** Adds the key. Returns whether it is new. */
  add(key: string): boolean;
  /** A digest of the key for a file: 16 characters. */
  shorten(key: string): string;
  /** Adds a shortened key. */
  restore(shortened: string): void;
  clear(): void;
}

/** 95 of these 96 bits count: among a hundred million keys, two collide with a probability of one in eight trillion. */
const KEY_BYTES = 12;

/** Numbers per slot. The third is odd, so that a slot of zeros is free. */
const WORDS = KEY_BYTES / 4;

/** Slots at the start; always a power of two. */
const INITIAL_SLOTS = 1024;

export function createSignalKeys(): SignalKeys {
  let table: Uint32Array = new Uint32Array(INITIAL_SLOTS * WORDS);
  let size = 0;

  const insert = (bytes: string): boolean => {
    // Half of the slots stay free, so that probing ends soon.
    if (size * 2 >= table.length / WORDS) table = doubled(table);
    const isNew = probe(table, word(bytes, 0), word(bytes, 4), word(bytes, 8) | 1);
    if (isNew) size += 1;
    return isNew;
  };

  return {
    add: (key) => insert(digest(key)),
    shorten: (key) => Buffer.from(digest(key).slice(0, KEY_BYTES), 'latin1').toString('base64'),
    restore: (shortened) => void insert(Buffer.from(shortened, 'base64').toString('latin1')),
    clear() {
      table = new Uint32Array(INITIAL_SLOTS * WORDS);
      size = 0;
    },
  };
}

/** One character per byte: a string is created faster than a Buffer. */
function digest(key: string): string {
  return hash('sha256', key, 'binary');
}

function word(bytes: string, at: number): number {
  return (
    bytes.charCodeAt(at) |
    (bytes.charCodeAt(at + 1) << 8) |
    (bytes.charCodeAt(at + 2) << 16) |
    (bytes.charCodeAt(at + 3) << 24)
  );
}

/** Stores a key in the first free slot from its own on; false if it is there already. `third` is odd. */
function probe(table: Uint32Array, first: number, second: number, third: number): boolean {
  const last = table.length / WORDS - 1;
  const [one, two, three] = [first >>> 0, second >>> 0, third >>> 0];
  for (let at = one & last; ; at = (at + 1) & last) {
    const index = at * WORDS;
    const found = table[index + 2];
    if (found === 0) {
      table[index] = one;
      table[index + 1] = two;
      table[index + 2] = three;
      return true;
    }
    if (found === three && table[index + 1] === two && table[index] === one) return false;
  }
}

function doubled(table: Uint32Array): Uint32Array {
  const larger = new Uint32Array(table.length * 2);
  for (let index = 0; index < table.length; index += WORDS) {
    const third = table[index + 2] ?? 0;
    if (third !== 0) probe(larger, table[index] ?? 0, table[index + 1] ?? 0, third);
  }
  return larger;
}
