import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { backoff, readRetryAfter } from '../../src/deliver/backoff.ts';

describe('backoff', () => {
  test('doubles its ceiling from 250 ms to 30 s', () => {
    const ceilings = [1, 2, 3, 4, 5, 6, 7, 8, 9, 20].map((failures) => backoff(failures, 1));
    expect(ceilings).toEqual([250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  });

  test('takes any moment up to the ceiling', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (failures, chance) => {
          const ms = backoff(failures, chance);
          expect(ms).toBeGreaterThanOrEqual(0);
          expect(ms).toBeLessThanOrEqual(backoff(failures, 1));
        },
      ),
    );
    expect(backoff(5, 0)).toBe(0);
  });
});

describe('the wait that the service asks for', () => {
  const now = Date.parse('2026-11-20T09:15:00Z');
  const asked = (headers: Record<string, string>) => readRetryAfter(headers, now, 300_000);

  test.each<[string, Record<string, string>, object]>([
    ['no header', {}, {}],
    ['seconds', { 'retry-after': '12' }, { ms: 12_000 }],
    ['zero seconds', { 'retry-after': '0' }, { ms: 0 }],
    ['seconds with a fraction', { 'retry-after': '1.5' }, { ms: 1500 }],
    ['an HTTP-date', { 'retry-after': 'Fri, 20 Nov 2026 09:15:30 GMT' }, { ms: 30_000 }],
    ['an HTTP-date that has passed', { 'retry-after': 'Fri, 20 Nov 2026 09:14:00 GMT' }, { ms: 0 }],
    ['negative seconds', { 'retry-after': '-5' }, { invalid: '-5' }],
    ['no number and no date', { 'retry-after': 'soon' }, { invalid: 'soon' }],
    ['more than a day', { 'retry-after': '99999999' }, { ms: 300_000, invalid: '99999999' }],
    ['RateLimit-Reset', { 'ratelimit-reset': '7' }, { ms: 7000 }],
    ['RateLimit of the older drafts', { ratelimit: 'limit=100, remaining=0, reset=9' }, { ms: 9000 }],
    ['RateLimit of the newer drafts', { ratelimit: '"default";r=0;t=11' }, { ms: 11_000 }],
    ['RateLimit without a reset', { ratelimit: 'limit=100' }, {}],
    ['Retry-After beside RateLimit-Reset', { 'retry-after': '2', 'ratelimit-reset': '7' }, { ms: 2000 }],
  ])('understands %s', (_name, headers, expected) => {
    expect(asked(headers)).toEqual(expected);
  });
});
