/**
 * A map from 12-byte keys to numbers in typed arrays: millions of keys without an object for each, which a Map cannot
 * hold and a garbage collector would have to trace. Keys cannot be removed.
 *
 * An entry takes sixteen bytes: open addressing with linear probing. The table has parts that grow one at a time, so
 * that growing never needs twice the memory.
 */
import { hash } from 'node:crypto';

/** Twelve bytes, each as one character (latin1). */
export type Key = string;

export const KEY_BYTES = 12;

/** The first 96 bits of a SHA-256. Two of ten million keys collide with a probability below 1e-14. */
export function hashKey(content: string | Uint8Array): Key {
  return hash('sha256', content, 'binary').slice(0, KEY_BYTES);
}

/**
 * The keys of the records of a batch in order, {@link KEY_BYTES} each; as base64, `keys` of `batch.sealed`. Two records are equal if
 * the service would receive the same bytes.
 */
export function keysOf({
  payload,
  offsets,
}: {
  readonly payload: Uint8Array;
  readonly offsets: readonly number[];
}): Buffer {
  let keys = '';
  for (let n = 0; n + 1 < offsets.length; n += 1) {
    keys += hashKey(payload.subarray(offsets[n], (offsets[n + 1] ?? 1) - 1));
  }
  return Buffer.from(keys, 'latin1');
}

/** The keys in base64. An incomplete last key is ignored. */
export function decodeKeys(base64: string): readonly Key[] {
  const keys = Buffer.from(base64, 'base64').toString('latin1');
  return Array.from({ length: Math.floor(keys.length / KEY_BYTES) }, (_, n) =>
    keys.slice(n * KEY_BYTES, (n + 1) * KEY_BYTES),
  );
}

export function pickKeys(keys: Buffer, indexes: Iterable<number>): Buffer {
  return Buffer.concat(Array.from(indexes, (n) => keys.subarray(n * KEY_BYTES, (n + 1) * KEY_BYTES)));
}

const PARTS = 64;
/** Three words of the key, and the value plus one: 0 marks a free slot. */
const WORDS = 4;
const FIRST_SLOTS = 16;
const GROWTH = 1.4;
const MAX_LOAD = 0.8;

interface Part {
  words: Uint32Array;
  slots: number;
  used: number;
}

export class KeyMap {
  readonly #parts = Array.from({ length: PARTS }, () => createPart(FIRST_SLOTS));
  #size = 0;

  get(key: Key): number | undefined {
    const first = wordAt(key, 0);
    const part = this.#partOf(first);
    const slot = findSlot(part, first, wordAt(key, 4), wordAt(key, 8));
    const number = part.words[slot + 3] ?? 0;
    return number === 0 ? undefined : number - 1;
  }

  /** @param value from 0 to 2^32 - 2; replaces an earlier one */
  set(key: Key, value: number): void {
    const first = wordAt(key, 0);
    const part = this.#partOf(first);
    const { used } = part;
    const slot = takeSlot(part, first, wordAt(key, 4), wordAt(key, 8));
    part.words[slot + 3] = value + 1;
    this.#size += part.used - used;
    if (part.used > part.slots * MAX_LOAD) grow(part);
  }

  get size(): number {
    return this.#size;
  }

  #partOf(first: number): Part {
    const part = this.#parts[first % PARTS];
    if (part === undefined) throw new Error('a key has no part of the table');
    return part;
  }
}

function createPart(slots: number): Part {
  return { words: new Uint32Array(slots * WORDS), slots, used: 0 };
}

function wordAt(key: Key, at: number): number {
  return (
    (key.charCodeAt(at) |
      (key.charCodeAt(at + 1) << 8) |
      (key.charCodeAt(at + 2) << 16) |
      (key.charCodeAt(at + 3) << 24)) >>>
    0
  );
}

/** Offset of the slot of a key, or of the free slot for it. There always is one. */
function findSlot({ words, slots }: Part, a: number, b: number, c: number): number {
  // The first word chooses the part, so the second one spreads the keys within it.
  let slot = b % slots;
  for (;;) {
    const at = slot * WORDS;
    if (words[at + 3] === 0) return at;
    if (words[at] === a && words[at + 1] === b && words[at + 2] === c) return at;
    slot = slot + 1 === slots ? 0 : slot + 1;
  }
}

/** The offset of the slot of a key, which is written there if it is new. */
function takeSlot(part: Part, a: number, b: number, c: number): number {
  const { words } = part;
  const at = findSlot(part, a, b, c);
  if (words[at + 3] === 0) {
    words[at] = a;
    words[at + 1] = b;
    words[at + 2] = c;
    part.used += 1;
  }
  return at;
}

function grow(part: Part): void {
  const larger = createPart(Math.ceil(part.slots * GROWTH));
  const { words } = part;
  for (let at = 0; at < words.length; at += WORDS) {
    const value = words[at + 3] ?? 0;
    if (value === 0) continue;
    const slot = takeSlot(larger, words[at] ?? 0, words[at + 1] ?? 0, words[at + 2] ?? 0);
    larger.words[slot + 3] = value;
  }
  part.words = larger.words;
  part.slots = larger.slots;
}
