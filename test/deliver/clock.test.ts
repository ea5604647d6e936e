import { describe, expect, test } from 'vitest';
import { startStopwatch, systemClock } from '../../src/deliver/clock.ts';

const HOURS = 8 * 3_600_000;

describe('a machine that slept', () => {
  test.each([
    ['did not, in a plain attempt', 200, 201, 30_000, false, 200],
    ['did not, in an attempt to its time-out', 30_050, 30_049, 30_000, false, 30_050],
    ['did not, at the longest jump of the wall clock', 200, 10_200, 30_000, false, 200],
    ['did not, when a timer is as late as it may be', 40_000, 40_000, 30_000, false, 40_000],
    ['did not, when the wall clock was set back', 200, -HOURS, 30_000, false, 200],
    ['is seen where the monotonic clock stood still', 900, HOURS, 30_000, true, 900],
    ['is seen where the monotonic clock went on', HOURS, HOURS, 30_000, true, 30_000],
  ])('%s', (_name, monotonicMs, wallMs, longestMs, slept, awakeMs) => {
    const clock = { monotonic: 7, wall: 1_000_000 };
    const elapsed = startStopwatch({ now: () => clock.monotonic, date: () => clock.wall }, longestMs);
    clock.monotonic += monotonicMs;
    clock.wall += wallMs;
    expect(elapsed()).toEqual({ slept, awakeMs, asleepMs: monotonicMs - awakeMs });
  });
});

test('a wait is not shorter because no timer is that long, and ends with the signal', async () => {
  const controller = new AbortController();
  let ended = false;
  const longest = systemClock.sleep(1e12, controller.signal).then(() => {
    ended = true;
  });
  await systemClock.sleep(5);
  expect(ended).toBe(false);
  controller.abort();
  await longest;
});
