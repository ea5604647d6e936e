import { expect, test } from 'vitest';
import { systemClock } from '../../src/deliver/clock.ts';

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
