/** Chance that can be had again: the same seed gives the same choices (not the same timing of the machine). */

/** mulberry32: small, fast, and the same everywhere. In [0, 1). */
export function randomFrom(start: number): () => number {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A whole number from `least` to `most`, both included. */
export function between(random: () => number, least: number, most: number): number {
  return least + Math.floor(random() * (most - least + 1));
}
