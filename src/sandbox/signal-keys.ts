/**
 * The keys of the signals that were seen: 24 to 48 bytes of memory a signal. A table of numbers and not a Set of
 * texts, because a large upload has more keys than a Set can hold, and because the garbage collector would look at
 * every one of them again and again.
 */
import { hash } from 'node:crypto';

export interface SignalKeys {
  /** Whether the key was not seen before. Seen from now on. */
  add(key: string): boolean;
  /** The key in short, for a file: 16 characters. */
  shorten(key: string): string;
  /** Takes up a key in short. */
  restore(short: string): void;
  forget(): void;
}

/** Of these 96 bits 95 count: among a hundred million keys, two are taken for one with a chance of one in eight trillion. */
const BYTES = 12;

/** Numbers a place. The last one is odd, so that a place of zeros is free. */
const WORDS = BYTES / 4;

/** Places in the beginning; always a power of two. */
const LEAST = 1024;

export function createSignalKeys(): SignalKeys {
  let table: Uint32Array = new Uint32Array(LEAST * WORDS);
  let size = 0;

  const put = (bytes: string): boolean => {
    // Half of the places stay free, so that a search ends soon.
    if (size * 2 >= table.length / WORDS) table = doubled(table);
    const isNew = place(table, word(bytes, 0), word(bytes, 4), word(bytes, 8) | 1);
    if (isNew) size += 1;
    return isNew;
  };

  return {
    add: (key) => put(digest(key)),
    shorten: (key) => Buffer.from(digest(key).slice(0, BYTES), 'latin1').toString('base64'),
    restore: (short) => void put(Buffer.from(short, 'base64').toString('latin1')),
    forget() {
      table = new Uint32Array(LEAST * WORDS);
      size = 0;
    },
  };
}

/** One character a byte: a text is made faster than a Buffer. */
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

/** Puts a key at the first free place behind its own; false where it is there already. `third` is odd. */
function place(table: Uint32Array, first: number, second: number, third: number): boolean {
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
    if (third !== 0) place(larger, table[index] ?? 0, table[index + 1] ?? 0, third);
  }
  return larger;
}
