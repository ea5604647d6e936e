/**
 * A map from 12-byte keys to numbers in a typed array: sixteen bytes an entry, for millions of keys, which a Map cannot hold.
 * Open addressing with linear probing. Keys cannot be removed.
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

/** Three words of the key, and the value plus one: 0 marks a free slot. */
const WORDS = 4;
const FIRST_SLOTS = 1024;
const GROWTH = 1.5;
const MAX_LOAD = 0.8;

export class KeyMap {
  #words = new Uint32Array(FIRST_SLOTS * WORDS);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(key: Key): number | undefined {
    const number = this.#words[this.#slotOf(wordAt(key, 0), wordAt(key, 4), wordAt(key, 8)) + 3] ?? 0;
    return number === 0 ? undefined : number - 1;
  }

  /** @param value from 0 to 2^32 - 2; replaces an earlier one */
  set(key: Key, value: number): void {
    this.#put(wordAt(key, 0), wordAt(key, 4), wordAt(key, 8), value + 1);
    if (this.#size * WORDS > this.#words.length * MAX_LOAD) this.#grow();
  }

  #put(a: number, b: number, c: number, number: number): void {
    const at = this.#slotOf(a, b, c);
    if (this.#words[at + 3] === 0) this.#size += 1;
    this.#words.set([a, b, c, number], at);
  }

  /** Offset of the slot of a key, or of the free slot for it. There always is one. */
  #slotOf(a: number, b: number, c: number): number {
    const words = this.#words;
    for (let at = (a % (words.length / WORDS)) * WORDS; ; at = at + WORDS === words.length ? 0 : at + WORDS) {
      if (words[at + 3] === 0) return at;
      if (words[at] === a && words[at + 1] === b && words[at + 2] === c) return at;
    }
  }

  #grow(): void {
    const old = this.#words;
    this.#words = new Uint32Array(Math.ceil((old.length / WORDS) * GROWTH) * WORDS);
    this.#size = 0;
    for (let at = 0; at < old.length; at += WORDS) {
      const number = old[at + 3] ?? 0;
      if (number !== 0) this.#put(old[at] ?? 0, old[at + 1] ?? 0, old[at + 2] ?? 0, number);
    }
  }
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
