import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  adaptConcurrency,
  type Breaker,
  type BreakerReading,
  backoff,
  CLOSED,
  type Concurrency,
  type ConcurrencyReading,
  isOpen,
  msUntilSpent,
  nextBreaker,
  OPEN_AFTER,
  readRetryAfter,
  startConcurrency,
} from '../../src/deliver/throttle-rules.ts';

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
    ['negative seconds after a blank', { 'retry-after': ' -5' }, { invalid: ' -5' }],
    ['a part of a millisecond', { 'retry-after': '1.0005' }, { ms: 1001 }],
    ['a day', { 'retry-after': '86400' }, { ms: 86_400_000 }],
    ['no number and no date', { 'retry-after': 'soon' }, { invalid: 'soon' }],
    ['more than a day', { 'retry-after': '99999999' }, { ms: 300_000, invalid: '99999999' }],
    ['RateLimit-Reset', { 'ratelimit-reset': '7' }, { ms: 7000 }],
    ['RateLimit of the older drafts', { ratelimit: 'limit=100, remaining=0, reset=9' }, { ms: 9000 }],
    ['RateLimit of the newer drafts', { ratelimit: '"default";r=0;t=11' }, { ms: 11_000 }],
    ['RateLimit without a reset', { ratelimit: 'limit=100' }, {}],
    ['Retry-After beside RateLimit-Reset', { 'retry-after': '2', 'ratelimit-reset': '7' }, { ms: 2000 }],
  ])('understands %s', (_name, headers, expected) => {
    expect(asked(headers)).toStrictEqual(expected);
  });
});

const limits = { retryMaxTimeMs: 120_000, maxWaitMs: 300_000, longestGapMs: 70_000 };
const failure = (at: number): BreakerReading => ({ at });
const busy = (at: number, askedMs: number): BreakerReading => ({ at, askedMs });
const behind = (...readings: readonly BreakerReading[]): Breaker =>
  readings.reduce((breaker, reading) => nextBreaker(breaker, reading, limits), CLOSED);
const failures = (times: number, everyMs = 1): readonly BreakerReading[] =>
  Array.from({ length: times }, (_, index) => failure(index * everyMs));

describe('the circuit breaker', () => {
  test('opens with consecutive failures, and not before', () => {
    expect(isOpen(behind(...failures(OPEN_AFTER - 1)))).toBe(false);
    expect(isOpen(behind(...failures(OPEN_AFTER)))).toBe(true);
  });

  test('does not open because the service asks to wait', () => {
    expect(isOpen(behind(...Array.from({ length: 50 }, (_, n) => busy(n, 0))))).toBe(false);
  });

  test('is spent when no good answer came for longer than retry_max_time', () => {
    expect(msUntilSpent(behind(...failures(3, 60_000)), limits)).toBeGreaterThanOrEqual(0);
    expect(msUntilSpent(behind(...failures(3, 60_001)), limits)).toBeLessThan(0);
  });

  test('does not count the time that the service asked to wait', () => {
    expect(
      msUntilSpent(behind(failure(0), busy(1000, 60_000), failure(61_000), failure(120_500)), limits),
    ).toBeGreaterThanOrEqual(0);
  });

  test('counts the whole gap after a long wait that the service requested, not only the usual part', () => {
    expect(behind(busy(0, 200_000), failure(200_000)).lastedMs).toBe(200_000);
    expect(behind(busy(0, 200_000), failure(8 * 3_600_000)).lastedMs).toBe(270_000);
  });

  test('is not spent by eight hours in which the machine slept', () => {
    const breaker = behind(failure(0), failure(1000), failure(8 * 3_600_000));
    expect(breaker.lastedMs).toBe(71_000);
    expect(msUntilSpent(breaker, limits)).toBeGreaterThanOrEqual(0);
  });
});

/**
 * Scenes as data: what the service says, one letter an answer, and the requests at once behind each. `g` good,
 * `b` busy, `n` neutral; `B` and `G` are of attempts that left before the last halving.
 */
const scenes: readonly (readonly [name: string, ceiling: number, readings: string, limits: string])[] = [
  ['good answers at the ceiling change nothing', 8, 'gggg', '8888'],
  ['a busy service halves it down to one', 8, 'bbbbb', '42111'],
  ['an odd number is halved downwards', 7, 'bb', '31'],
  ['eight answers of one round are one halving', 8, 'bBBBBBBB', '44444444'],
  ['a round of good answers gives one more', 8, 'bggggggggg', '4444555556'],
  ['good answers that left before the halving do not count', 8, 'bGGGGg', '444444'],
  ['neutral answers change nothing', 8, 'bnnnnn', '444444'],
  ['a busy answer begins the round anew', 4, 'bgbg', '2212'],
  ['it grows back to the ceiling and not beyond', 2, 'bggggg', '122222'],
  ['with a ceiling of one there is nothing to halve', 1, 'bgbg', '1111'],
];

describe('concurrency', () => {
  test.each(scenes)('%s', (_name, ceiling, readings, limits) => {
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
    expect(seen.join('')).toBe(limits);
    expect(state.round).toBeGreaterThanOrEqual(0);
  });
});
