/**
 * Counting in bounded memory, for `signals check`: how many different values there are, and which were seen
 * before. Values are known by a 64-bit hash alone; nothing of a file is kept.
 *
 * The hash is fast and mixes well, and it is no cryptographic one: somebody who wants to can make two values
 * meet. What is counted here is told to a person and decides nothing.
 */

/** Two halves of a 64-bit hash, each from 0 to 2^32 - 1. */
export type Hash = readonly [high: number, low: number];

/** Of the text's UTF-16 code units: two FNV-1a lanes that are rotated against each other, then mixed. */
export function hashOf(text: string): Hash {
  let one = 0x811c9dc5;
  let two = 0x2545f491;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    one = Math.imul(one ^ unit, 0x01000193);
    two = Math.imul(((two << 7) | (two >>> 25)) ^ unit, 0x9e3779b1);
  }
  const high = mixed(one ^ Math.imul(text.length, 0x85ebca6b));
  return [mixed(high ^ two), mixed(two + Math.imul(high, 0xc2b2ae35))];
}

/** Every bit of the input changes about half of the bits of the result (the finalizer of MurmurHash3). */
function mixed(word: number): number {
  let mix = word;
  mix = Math.imul(mix ^ (mix >>> 16), 0x85ebca6b);
  mix = Math.imul(mix ^ (mix >>> 13), 0xc2b2ae35);
  return (mix ^ (mix >>> 16)) >>> 0;
}

/** How many different values there are. */
export interface Distinct {
  readonly count: number;
  /** Whether the count is certain; else it is an estimate, nearly always within 3%. */
  readonly exact: boolean;
}

export interface DistinctCounter {
  add(text: string): void;
  result(): Distinct;
}

/** Up to so many values are counted one by one. */
export const EXACT_LIMIT = 1024;

/** 2^14 registers of one byte: the standard error is 1.04 / sqrt(16384), which is 0.8%. */
const REGISTER_BITS = 14;
const REGISTERS = 2 ** REGISTER_BITS;
/** HyperLogLog's constant for so many registers. */
const ALPHA = 0.7213 / (1 + 1.079 / REGISTERS);

/**
 * Counts different texts: exactly up to {@link EXACT_LIMIT}, beyond it by HyperLogLog (Flajolet and others, 2007)
 * in 16 KiB. Where many registers are empty, the share of these gives the better estimate (linear counting).
 */
export function createDistinct(): DistinctCounter {
  let exact: Set<string> | undefined = new Set();
  let registers = new Uint8Array(0);

  const enter = (text: string): void => {
    const [high, low] = hashOf(text);
    const index = high >>> (32 - REGISTER_BITS);
    // The position of the first 1 in 32 other bits: values with many zeros in front are rare.
    const rank = Math.clz32(low) + 1;
    if (rank > (registers[index] ?? 0)) registers[index] = rank;
  };

  return {
    add(text) {
      if (exact === undefined) {
        enter(text);
        return;
      }
      exact.add(known(text));
      if (exact.size <= EXACT_LIMIT) return;
      registers = new Uint8Array(REGISTERS);
      for (const each of exact) enter(each);
      exact = undefined;
    },
    result: () =>
      exact === undefined
        ? { count: Math.round(estimate(registers)), exact: false }
        : { count: exact.size, exact: true },
  };
}

/** A long text is known by its hash: a thousand of them would not be bounded memory. */
function known(text: string): string {
  return text.length <= 64 ? text : `#${hashOf(text).join(':')}`;
}

function estimate(registers: Uint8Array): number {
  let sum = 0;
  let empty = 0;
  for (const rank of registers) {
    sum += 2 ** -rank;
    if (rank === 0) empty += 1;
  }
  const raw = (ALPHA * REGISTERS * REGISTERS) / sum;
  return raw <= 2.5 * REGISTERS && empty > 0 ? REGISTERS * Math.log(REGISTERS / empty) : raw;
}

/** What was seen before, and where first. */
export interface Seen {
  /** Where the text was first seen; undefined where it is new, which enters it. */
  first(text: string, at: number): number | undefined;
  /** Whether all texts were entered: where not, one that was left out is not recognised when it comes again. */
  complete(): boolean;
}

/** Texts that are remembered; about 32 MiB when there are so many. */
const SEEN_LIMIT = 2 ** 20;
const FIRST_SLOTS = 2 ** 10;

/**
 * Remembers texts by 53 bits of their hash, so that a new one is taken for an old one with a probability below
 * one in ten thousand in the whole of a million texts.
 */
export function createSeen(limit = SEEN_LIMIT): Seen {
  let keys = new Float64Array(FIRST_SLOTS);
  let places = new Float64Array(FIRST_SLOTS);
  let size = 0;
  let whole = true;

  /** The slot that holds the key, or the empty one where it belongs; the table is never more than half full. */
  const slotOf = (key: number): number => {
    let slot = key % keys.length;
    while (keys[slot] !== 0 && keys[slot] !== key) slot = (slot + 1) % keys.length;
    return slot;
  };

  const grow = (): void => {
    const [oldKeys, oldPlaces] = [keys, places];
    keys = new Float64Array(oldKeys.length * 2);
    places = new Float64Array(oldKeys.length * 2);
    for (const [index, key] of oldKeys.entries()) {
      if (key === 0) continue;
      const slot = slotOf(key);
      keys[slot] = key;
      places[slot] = oldPlaces[index] ?? 0;
    }
  };

  return {
    first(text, at) {
      const [high, low] = hashOf(text);
      // 0 is an empty slot.
      const key = (high & 0x1fffff) * 2 ** 32 + low || 1;
      let slot = slotOf(key);
      if (keys[slot] === key) return places[slot];
      if (size >= limit) {
        whole = false;
        return undefined;
      }
      if ((size + 1) * 2 > keys.length) {
        grow();
        slot = slotOf(key);
      }
      keys[slot] = key;
      places[slot] = at;
      size += 1;
      return undefined;
    },
    complete: () => whole,
  };
}
