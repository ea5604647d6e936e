/** Random choices that the same seed repeats; the timing of the machine differs. */

/** A whole number from `least` to `most`, both included. */
export function between(random: () => number, least: number, most: number): number {
  return least + Math.floor(random() * (most - least + 1));
}
