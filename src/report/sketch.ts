/**
 * Counting in bounded memory, for `signals check`: how many different values there are, and which records were seen
 * before. They are known by a 64-bit hash alone; nothing of a file is kept.
 *
 * The hash is fast and mixes well, and it is no cryptographic one: somebody who wants to can make two values
 * meet. What is counted here is told to a person and decides nothing.
 */

/** Two halves of a 64-bit hash, each from -2^31 to 2^31 - 1; never both 0. */
export type Hash = readonly [high: number, low: number];

/** Bytes that are hashed at a time: two words, the low byte of each first. */
const STEP = 8;
let bytes = Buffer.alloc(4096);

/**
 * Of the text as UTF-8: MurmurHash3 with 32-bit words (Appleby), of whose four lanes there are two. An engine beside
 * the reference path has the same function for itself (fast/kernel/looks.ts), so that both count alike.
 */
export function hashOf(text: string): Hash {
  // A UTF-16 code unit is at most three bytes of UTF-8.
  const most = text.length * 3 + STEP;
  if (most > bytes.length) bytes = Buffer.alloc(2 * most);
  const size = bytes.write(text);
  bytes.fill(0, size, size + STEP);
  return hashOfBytes(size);
}

/** Of hashes, one behind the other: the words of each are its halves. */
export function hashOfHashes(hashes: readonly Hash[]): Hash {
  const size = hashes.length * STEP;
  if (size > bytes.length) bytes = Buffer.alloc(2 * size);
  for (const [index, [high, low]] of hashes.entries()) {
    bytes.writeInt32LE(high, index * STEP);
    bytes.writeInt32LE(low, index * STEP + 4);
  }
  return hashOfBytes(size);
}

/** Of the first so many of `bytes`; those behind them are 0 up to the next step. */
function hashOfBytes(size: number): Hash {
  let high = 0x9e3779b9;
  let low = 0x7f4a7c15;
  for (let at = 0; at < size; at += STEP) {
    high ^= Math.imul(rotated(Math.imul(bytes.readInt32LE(at), 0x239b961b), 15), 0xab0e9789);
    low ^= Math.imul(rotated(Math.imul(bytes.readInt32LE(at + 4), 0xab0e9789), 16), 0x38b34ae5);
    high = (Math.imul(rotated(high, 19) + low, 5) + 0x561ccd1b) | 0;
    low = (Math.imul(rotated(low, 17) + high, 5) + 0x0bcaa747) | 0;
  }
  high ^= size;
  low ^= size;
  high = (high + low) | 0;
  low = (low + high) | 0;
  high = mixed(high);
  low = mixed(low);
  high = (high + low) | 0;
  low = (low + high) | 0;
  return high === 0 && low === 0 ? [0, 1] : [high, low];
}

function rotated(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by));
}

/** Every bit of the input changes about half of the bits of the result (the finalizer of MurmurHash3). */
function mixed(word: number): number {
  let mix = word;
  mix = Math.imul(mix ^ (mix >>> 16), 0x85ebca6b);
  mix = Math.imul(mix ^ (mix >>> 13), 0xc2b2ae35);
  return mix ^ (mix >>> 16);
}

/** How many different values there are. */
export interface Distinct {
  readonly count: number;
  /** Whether the count is certain; else it is an estimate, nearly always within 3%. */
  readonly exact: boolean;
}

export interface DistinctCounter {
  /** Takes a value by its hash. */
  add(high: number, low: number): void;
  /**
   * Takes `count` hashes: the first stands at `from`, each other one `stride` behind. Where both halves are 0, there is
   * no value. Returns how many there are.
   */
  addAll(halves: Int32Array, from: number, stride: number, count: number): number;
  result(): Distinct;
}

/** Up to so many values are counted one by one. */
export const EXACT_LIMIT = 1024;
/** Slots for their hashes; at most half of them are taken. */
const SLOTS = 2 * EXACT_LIMIT;

/** 2^14 registers of one byte: the standard error is 1.04 / sqrt(16384), which is 0.8%. */
const REGISTER_BITS = 14;
const REGISTERS = 2 ** REGISTER_BITS;
/** HyperLogLog's constant for so many registers. */
const ALPHA = 0.7213 / (1 + 1.079 / REGISTERS);

/**
 * Counts different values by their hashes: exactly up to {@link EXACT_LIMIT}, beyond it by HyperLogLog (Flajolet and
 * others, 2007). Either takes 16 KiB. Where many registers are empty, the share of these gives the better estimate
 * (linear counting).
 */
export function createDistinct(): DistinctCounter {
  /** Halves of hashes, both 0 where there is none; undefined from the limit on. */
  let exact: Int32Array | undefined;
  let size = 0;
  let registers: Uint8Array | undefined;

  /** Whether it has room for one more. */
  const addExactly = (high: number, low: number): boolean => {
    exact ??= new Int32Array(2 * SLOTS);
    let at = 2 * (low & (SLOTS - 1));
    while (exact[at] !== high || exact[at + 1] !== low) {
      if (exact[at] === 0 && exact[at + 1] === 0) {
        if (size === EXACT_LIMIT) return false;
        exact[at] = high;
        exact[at + 1] = low;
        size += 1;
        return true;
      }
      at = (at + 2) & (2 * SLOTS - 1);
    }
    return true;
  };

  /** From here on it is estimated. */
  const open = (): Uint8Array => {
    const opened = new Uint8Array(REGISTERS);
    if (exact !== undefined) enterAll(opened, exact, 0, 2, SLOTS);
    exact = undefined;
    registers = opened;
    return opened;
  };

  const addAll = (halves: Int32Array, from: number, stride: number, count: number): number => {
    if (registers !== undefined) return enterAll(registers, halves, from, stride, count);
    let there = 0;
    for (let index = 0, at = from; index < count; index += 1, at += stride) {
      const high = halves[at] ?? 0;
      const low = halves[at + 1] ?? 0;
      if (high === 0 && low === 0) continue;
      if (!addExactly(high, low)) return there + enterAll(open(), halves, at, stride, count - index);
      there += 1;
    }
    return there;
  };

  const one = new Int32Array(2);
  return {
    add(high, low) {
      one[0] = high;
      one[1] = low;
      addAll(one, 0, 2, 1);
    },
    addAll,
    result: () =>
      registers === undefined
        ? { count: size, exact: true }
        : { count: Math.round(estimate(registers)), exact: false },
  };
}

/** Takes hashes as {@link DistinctCounter.addAll} does. */
function enterAll(
  registers: Uint8Array,
  halves: Int32Array,
  from: number,
  stride: number,
  count: number,
): number {
  const behind = from + count * stride;
  let there = 0;
  for (let at = from; at < behind; at += stride) {
    const high = halves[at] ?? 0;
    const low = halves[at + 1] ?? 0;
    if ((high | low) === 0) continue;
    there += 1;
    const index = high >>> (32 - REGISTER_BITS);
    // The position of the first 1 in 32 other bits: values with many zeros in front are rare.
    const rank = Math.clz32(low) + 1;
    if (rank > (registers[index] ?? 0)) registers[index] = rank;
  }
  return there;
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
  /** Where the hash was first seen; undefined where it is new, which enters it. */
  first(high: number, low: number, at: number): number | undefined;
  /** Whether all hashes were entered: where not, one that was left out is not recognised when it comes again. */
  complete(): boolean;
}

/** Hashes that are remembered; 32 MiB when there are so many. */
const SEEN_LIMIT = 2 ** 20;
const FIRST_SLOTS = 2 ** 10;

/**
 * Remembers hashes of 64 bits, so that a new one is taken for an old one with a probability below one in ten million
 * in the whole of a million records.
 */
export function createSeen(limit = SEEN_LIMIT): Seen {
  /** The halves of each; both 0 where a slot is empty. */
  let keys = new Int32Array(2 * FIRST_SLOTS);
  let places = new Float64Array(FIRST_SLOTS);
  let size = 0;
  let whole = true;

  /** The slot that holds the hash, or the empty one where it belongs; the table is never more than half full. */
  const slotOf = (high: number, low: number): number => {
    const last = places.length - 1;
    let slot = low & last;
    for (;;) {
      const one = keys[2 * slot];
      const other = keys[2 * slot + 1];
      if ((one === high && other === low) || (one === 0 && other === 0)) return slot;
      slot = (slot + 1) & last;
    }
  };

  const isTaken = (slot: number): boolean => keys[2 * slot] !== 0 || keys[2 * slot + 1] !== 0;

  const put = (slot: number, high: number, low: number, at: number): void => {
    keys[2 * slot] = high;
    keys[2 * slot + 1] = low;
    places[slot] = at;
  };

  const grow = (): void => {
    const [oldKeys, oldPlaces] = [keys, places];
    keys = new Int32Array(2 * oldKeys.length);
    places = new Float64Array(2 * oldPlaces.length);
    for (let slot = 0; slot < oldPlaces.length; slot += 1) {
      const high = oldKeys[2 * slot] ?? 0;
      const low = oldKeys[2 * slot + 1] ?? 0;
      if (high !== 0 || low !== 0) put(slotOf(high, low), high, low, oldPlaces[slot] ?? 0);
    }
  };

  return {
    first(high, low, at) {
      let slot = slotOf(high, low);
      if (isTaken(slot)) return places[slot];
      if (size >= limit) {
        whole = false;
        return undefined;
      }
      if ((size + 1) * 2 > places.length) {
        grow();
        slot = slotOf(high, low);
      }
      put(slot, high, low, at);
      size += 1;
      return undefined;
    },
    complete: () => whole,
  };
}
