import { describe, expect, test } from 'vitest';
import { detectSleep } from '../../src/deliver/clock.ts';

const HOURS = 8 * 3_600_000;

describe('a machine that slept', () => {
  test.each([
    ['did not, in a plain attempt', { monotonicMs: 200, wallMs: 201, longestMs: 30_000 }, false, 200],
    [
      'did not, in an attempt to its time-out',
      { monotonicMs: 30_050, wallMs: 30_049, longestMs: 30_000 },
      false,
      30_050,
    ],
    ['did not, when the wall clock was set back', { monotonicMs: 200, wallMs: -HOURS, longestMs: 30_000 }, false, 200],
    [
      'is seen where the monotonic clock stood still',
      { monotonicMs: 900, wallMs: HOURS, longestMs: 30_000 },
      true,
      900,
    ],
    [
      'is seen where the monotonic clock went on',
      { monotonicMs: HOURS, wallMs: HOURS, longestMs: 30_000 },
      true,
      30_000,
    ],
  ])('%s', (_name, span, slept, awakeMs) => {
    expect(detectSleep(span)).toEqual({ slept, awakeMs });
  });
});
