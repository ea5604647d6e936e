import { expect, test } from 'vitest';
import type { Clock } from '../../src/deliver/clock.ts';
import { RateLimit } from '../../src/deliver/rate-limit.ts';
import { SendGate } from '../../src/deliver/throttle.ts';

/** A clock that a test moves: who sleeps wakes when the time has come. */
function clockAt(start: number) {
  let now = start;
  let sleeping: { readonly until: number; readonly wake: () => void }[] = [];
  const clock: Clock = {
    now: () => now,
    date: () => now,
    random: () => 1,
    sleep: (ms) => new Promise((wake) => sleeping.push({ until: now + ms, wake })),
  };
  const move = async (ms: number): Promise<void> => {
    now += ms;
    const due = sleeping.filter(({ until }) => until <= now);
    sleeping = sleeping.filter(({ until }) => until > now);
    for (const { wake } of due) wake();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { clock, move };
}

const never = new AbortController().signal;

test('gives a place at once while it is open and none waits', () => {
  const { clock } = clockAt(0);
  expect(new SendGate(clock).pass(never)).not.toBeInstanceOf(Promise);
});

test('lets those who wait pass in the order in which they came, and none before them', async () => {
  const { clock, move } = clockAt(0);
  const gate = new SendGate(clock, new RateLimit({ count: 10, perMs: 1000 }));
  gate.closeFor(500);
  const passed: string[] = [];
  const come = async (name: string): Promise<void> => {
    await gate.pass(never);
    passed.push(name);
  };
  void come('first');
  void come('second');
  await move(499);
  expect(passed).toEqual([]);
  await move(1);
  void come('third');
  for (let step = 0; step < 10; step += 1) await move(50);
  expect(passed).toEqual(['first', 'second', 'third']);
  expect(gate.pass(never)).not.toBeInstanceOf(Promise);
});

test('stays closed for the longer of two waits', async () => {
  const { clock, move } = clockAt(0);
  const gate = new SendGate(clock);
  gate.closeFor(500);
  gate.closeFor(100);
  expect(gate.closedFor()).toBe(500);
  await move(100);
  gate.closeFor(600);
  expect(gate.closedFor()).toBe(600);
});

test('lets no request overtake one that waits, even at the moment when the gate opens', async () => {
  const { clock, move } = clockAt(0);
  const gate = new SendGate(clock);
  gate.closeFor(500);
  const passed: string[] = [];
  const first = Promise.resolve(gate.pass(never)).then(() => passed.push('first'));
  const moving = move(500);
  // The time has come, and the first request has not noticed yet.
  const second = gate.pass(never);
  expect(second).toBeInstanceOf(Promise);
  await Promise.all([moving, first, Promise.resolve(second).then(() => passed.push('second'))]);
  expect(passed).toEqual(['first', 'second']);
});
