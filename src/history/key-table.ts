/**
 * Keys of records with a number each, in typed arrays: millions of them, without an object a key. Pure.
 *
 * Sixteen bytes an entry, open addressing with linear probing. The table consists of parts that grow one by one, so
 * that growing never needs twice the memory of all of it. Nothing is ever removed.
 */
import type { RecordKey } from './record-key.ts';

export interface KeyTable {
  /** The number of a key; undefined where it is not there. */
  get(key: RecordKey): number | undefined;
  /** @param number from 0 to 2^32 - 2; it replaces the one that the key has */
  set(key: RecordKey, number: number): void;
  /** How many keys there are. */
  size(): number;
  /** What they take, in bytes. */
  bytes(): number;
}

const PARTS = 64;
/** Three words of the key, and the number; 0 stands for an empty place, so that numbers are kept plus one. */
const WORDS = 4;
const FIRST_PLACES = 16;
const GROWTH = 1.4;
const FULLEST = 0.8;

interface Part {
  words: Uint32Array;
  places: number;
  used: number;
}

export function createKeyTable(): KeyTable {
  const parts = Array.from({ length: PARTS }, () => partOf(FIRST_PLACES));
  let size = 0;

  const partFor = (first: number): Part => {
    const part = parts[first % PARTS];
    if (part === undefined) throw new Error('a key has no part of the table');
    return part;
  };

  return {
    get(key) {
      const a = wordOf(key, 0);
      const part = partFor(a);
      const at = placeOf(part, a, wordOf(key, 4), wordOf(key, 8));
      const number = part.words[at + 3] ?? 0;
      return number === 0 ? undefined : number - 1;
    },
    set(key, number) {
      const a = wordOf(key, 0);
      const part = partFor(a);
      if (put(part, a, wordOf(key, 4), wordOf(key, 8), number + 1)) size += 1;
      if (part.used > part.places * FULLEST) grow(part);
    },
    size: () => size,
    bytes: () => parts.reduce((sum, { words }) => sum + words.byteLength, 0),
  };
}

function partOf(places: number): Part {
  return { words: new Uint32Array(places * WORDS), places, used: 0 };
}

function wordOf(key: RecordKey, at: number): number {
  return (
    (key.charCodeAt(at) |
      (key.charCodeAt(at + 1) << 8) |
      (key.charCodeAt(at + 2) << 16) |
      (key.charCodeAt(at + 3) << 24)) >>>
    0
  );
}

/** Where a key stands, or the empty place where it would stand: there always is one. */
function placeOf({ words, places }: Part, a: number, b: number, c: number): number {
  // The first word has chosen the part; the second one is free to spread within it.
  let place = b % places;
  for (;;) {
    const at = place * WORDS;
    if (words[at + 3] === 0) return at;
    if (words[at] === a && words[at + 1] === b && words[at + 2] === c) return at;
    place = place + 1 === places ? 0 : place + 1;
  }
}

/** Whether the key is new. */
function put(part: Part, a: number, b: number, c: number, value: number): boolean {
  const { words } = part;
  const at = placeOf(part, a, b, c);
  const isNew = words[at + 3] === 0;
  words[at] = a;
  words[at + 1] = b;
  words[at + 2] = c;
  words[at + 3] = value;
  if (isNew) part.used += 1;
  return isNew;
}

function grow(part: Part): void {
  const larger = partOf(Math.ceil(part.places * GROWTH));
  const { words } = part;
  for (let at = 0; at < words.length; at += WORDS) {
    const value = words[at + 3] ?? 0;
    if (value !== 0) put(larger, words[at] ?? 0, words[at + 1] ?? 0, words[at + 2] ?? 0, value);
  }
  part.words = larger.words;
  part.places = larger.places;
}
