/** The name that a misspelt word probably means. */

/** Longer words are not misspelt names, and comparing them takes time in every row. */
const LONGEST = 64;

/** Shorter words are part of too many others. */
const SHORTEST_PART = 4;

/**
 * The candidate nearest to `word`, ignoring case and punctuation. A candidate is near if at most a third of the letters
 * differ, or if one word contains the other.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = letters(word);
  if (wanted === '' || wanted.length > LONGEST) return undefined;
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const other = letters(candidate);
    if (other === '' || other.length > LONGEST) continue;
    const distance = edits(wanted, other);
    const limit = Math.max(1, Math.floor(Math.max(wanted.length, other.length) / 3));
    // Two words of the same few letters are near each other only if most letters agree.
    const near = distance <= limit && distance < Math.min(wanted.length, other.length);
    if ((near || contains(wanted, other)) && distance < least) {
      best = candidate;
      least = distance;
    }
  }
  return best;
}

function letters(word: string): string {
  return word.toLowerCase().replace(/[^\p{L}\p{M}\p{N}]+/gu, '');
}

function contains(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return short.length >= SHORTEST_PART && long.includes(short);
}

/** Number of insertions, deletions, replacements and swaps of adjacent letters (optimal string alignment distance). */
function edits(one: string, other: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const current = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const same = one[i - 1] === other[j - 1];
      let least = Math.min(at(previous, j) + 1, at(current, j - 1) + 1, at(previous, j - 1) + (same ? 0 : 1));
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]) {
        least = Math.min(least, at(before, j - 2) + 1);
      }
      current.push(least);
    }
    before = previous;
    previous = current;
  }
  return at(previous, other.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
