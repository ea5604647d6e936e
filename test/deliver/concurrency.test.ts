import { describe, expect, test } from 'vitest';
import {
  adaptConcurrency,
  type Concurrency,
  type ConcurrencyReading,
  startConcurrency,
} from '../../src/deliver/concurrency.ts';

/**
 * Scenes as data: what the service says, one letter an answer, and the requests at once behind each. `g` good,
 * `b` busy, `n` neutral; `B` and `G` are of attempts that left before the last halving.
 */
const scenes: readonly (readonly [name: string, ceiling: number, readings: string, places: string])[] = [
  ['good answers at the ceiling change nothing', 8, 'gggg', '8888'],
  ['a busy service halves it, again and again down to one', 8, 'bbbbb', '42111'],
  ['an odd number is halved downwards', 7, 'bb', '31'],
  ['eight answers of one round are one halving', 8, 'bBBBBBBB', '44444444'],
  ['a round of good answers gives one more', 8, 'bggggggggg', '4444555556'],
  ['good answers that left before the halving do not count', 8, 'bGGGGg', '444444'],
  ['what says nothing about the pace changes nothing', 8, 'bnnnnn', '444444'],
  ['a busy answer begins the round anew', 4, 'bgbg', '2212'],
  ['it grows back to the ceiling and not beyond', 2, 'bggggg', '122222'],
  ['with a ceiling of one there is nothing to halve', 1, 'bgbg', '1111'],
];

describe('concurrency', () => {
  test.each(scenes)('%s', (_name, ceiling, readings, places) => {
    let state: Concurrency = startConcurrency(ceiling);
    const seen: number[] = [];
    for (const letter of readings) {
      const late = letter !== letter.toLowerCase();
      const kinds: Readonly<Record<string, ConcurrencyReading['kind']>> = {
        g: 'good',
        b: 'busy',
        n: 'neutral',
      };
      const kind = kinds[letter.toLowerCase()] ?? 'neutral';
      state = adaptConcurrency(state, { kind, round: late ? state.round - 1 : state.round });
      seen.push(state.limit);
    }
    expect(seen.join('')).toBe(places);
  });
});
