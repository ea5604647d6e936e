import { describe, expect, test } from 'vitest';
import {
  type Breaker,
  type BreakerReading,
  CLOSED,
  isOpen,
  msUntilSpent,
  nextBreaker,
  OPEN_AFTER,
} from '../../src/deliver/breaker.ts';

const limits = { retryMaxTimeMs: 120_000, maxWaitMs: 300_000, longestGapMs: 70_000 };
const failure = (at: number): BreakerReading => ({ kind: 'failure', at });
const busy = (at: number, askedMs: number): BreakerReading => ({ kind: 'busy', at, askedMs });
const behind = (...readings: readonly BreakerReading[]): Breaker =>
  readings.reduce((breaker, reading) => nextBreaker(breaker, reading, limits), CLOSED);
const failures = (times: number, everyMs = 1): readonly BreakerReading[] =>
  Array.from({ length: times }, (_, index) => failure(index * everyMs));

describe('the breaker', () => {
  test('opens with consecutive failures, and not before', () => {
    expect(isOpen(behind(...failures(OPEN_AFTER - 1)))).toBe(false);
    expect(isOpen(behind(...failures(OPEN_AFTER)))).toBe(true);
  });

  test('is closed by one delivery, and forgets what was before', () => {
    const breaker = behind(...failures(20), { kind: 'exhausted', batch: '3' }, { kind: 'good' });
    expect(breaker).toEqual(CLOSED);
    expect(isOpen(breaker)).toBe(false);
  });

  test('does not open because the service asks to wait', () => {
    expect(isOpen(behind(...Array.from({ length: 50 }, (_, n) => busy(n, 0))))).toBe(false);
  });

  test('is spent when no good answer came for longer than --retry-max-time', () => {
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

  test('is spent even where the service asks to wait for ever', () => {
    const readings = Array.from({ length: 9 }, (_, n) => busy(n * 60_000, 60_000));
    expect(msUntilSpent(behind(...readings.slice(0, 7)), limits)).toBeGreaterThanOrEqual(0);
    expect(msUntilSpent(behind(...readings), limits)).toBeLessThan(0);
  });

  test('is not spent by eight hours in which the machine slept', () => {
    const breaker = behind(failure(0), failure(1000), failure(8 * 3_600_000));
    expect(breaker.lastedMs).toBe(71_000);
    expect(msUntilSpent(breaker, limits)).toBeGreaterThanOrEqual(0);
  });

  test('remembers what was exhausted since the last good answer', () => {
    const breaker = behind({ kind: 'good' }, failure(0), { kind: 'exhausted', batch: '7' }, failure(1));
    expect(breaker.exhausted).toEqual(['7']);
  });
});
