import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RateLimit } from '../../src/deliver/rate-limit.ts';

/** Sends as fast as the pace allows, each request arriving `delays[n]` after it left, and returns the arrivals. */
function arrivals(rate: { count: number; perMs: number }, delays: readonly number[]): readonly number[] {
  const pace = new RateLimit(rate);
  const at: number[] = [];
  const answers: { time: number; tell: () => void }[] = [];
  let now = 0;
  for (const delay of delays) {
    for (;;) {
      const earliest = pace.earliest();
      if (earliest <= now) break;
      // Time goes on to the next moment at which anything happens.
      const next = answers.shift();
      if (next !== undefined && next.time <= earliest) {
        now = Math.max(now, next.time);
        next.tell();
      } else {
        if (next !== undefined) answers.unshift(next);
        now = earliest;
      }
    }
    const place = pace.take(now);
    place.left(now);
    const arrived = now + delay;
    at.push(arrived);
    answers.push({ time: arrived, tell: () => place.answered(arrived) });
    answers.sort((a, b) => a.time - b.time);
  }
  return at.toSorted((a, b) => a - b);
}

function mostInAnyWindow(times: readonly number[], ms: number): number {
  return Math.max(...times.map((from) => times.filter((time) => time >= from && time < from + ms).length));
}

describe('a pace', () => {
  test('lets no window see more than the rate, whatever the way to the server takes', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.array(fc.integer({ min: 0, max: 900 }), { minLength: 1, maxLength: 80 }),
        (count, delays) => {
          expect(mostInAnyWindow(arrivals({ count, perMs: 1000 }, delays), 1000)).toBeLessThanOrEqual(count);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('comes within a tenth of the rate when answers are quick', () => {
    const times = arrivals(
      { count: 10, perMs: 1000 },
      Array.from({ length: 101 }, () => 20),
    );
    const seconds = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1000;
    expect(100 / seconds).toBeGreaterThan(9);
    expect(100 / seconds).toBeLessThanOrEqual(10);
  });

  test('spaces requests evenly', () => {
    const times = arrivals({ count: 5, perMs: 1000 }, [0, 0, 0, 0, 0]);
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(150);
  });

  test('does not say when a place is free whose request has not left yet', () => {
    const pace = new RateLimit({ count: 1, perMs: 1000 });
    const place = pace.take(0);
    expect(pace.earliest()).toBe(Number.POSITIVE_INFINITY);
    place.left(500);
    expect(pace.earliest()).toBeGreaterThanOrEqual(1500);
  });
});
