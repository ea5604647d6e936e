import { expect, test } from 'vitest';
import type { Clock } from '../../src/deliver/clock.ts';
import { SendGate } from '../../src/deliver/send-gate.ts';
import { type Lease, type RateStore, RateStoreRefusal, SharedRateLimit } from '../../src/deliver/shared-rate-limit.ts';
import { createRunStop } from '../../src/run/run-stop.ts';

const never = new AbortController().signal;

/** A gate with a shared limit, whose store gives these answers, and a clock that jumps over every wait. */
function gateWith(answers: readonly (Partial<Lease> | Error)[], retryMaxTimeMs = 60_000) {
  let now = 0;
  const clock: Clock = {
    now: () => now,
    date: () => now,
    random: () => 1,
    sleep: async (ms) => {
      now += ms;
    },
  };
  const asked: number[] = [];
  const released: string[] = [];
  const answered: string[] = [];
  const pauses: (string | undefined)[] = [];
  const store: RateStore = {
    lease: async (_rate, wanted) => {
      const answer = answers[asked.length] ?? {};
      asked.push(wanted);
      if (answer instanceof Error) throw answer;
      return { permits: [], waitMs: 10, pausedMs: 0, epoch: 'a', windowMs: 1010, ...answer };
    },
    answered: (permit) => answered.push(permit),
    release: (permits) => released.push(...permits),
    pause: () => undefined,
    close: async () => undefined,
  };
  const runStop = createRunStop();
  const limit = new SharedRateLimit(
    store,
    { count: 100, perMs: 1000 },
    {
      clock,
      runStop,
      retryMaxTimeMs,
      notifyPause: async ({ why }) => void pauses.push(why),
    },
  );
  const gate = new SendGate(clock, limit);
  return { gate, limit, runStop, asked, released, answered, pauses, now: () => now };
}

const permit = (id: string, inMs = 0) => ({ id, inMs });

test('a request leaves when its permit allows it, and its answer returns the permit', async () => {
  const { gate, answered, now } = gateWith([{}, { permits: [permit('p1', 30)] }]);
  const slot = await gate.pass(never);
  expect(now()).toBe(40);
  slot?.answered(now());
  expect(answered).toEqual(['p1']);
});

test('a lease is small, although many requests wait', async () => {
  const { gate, asked } = gateWith([
    { permits: [permit('p1'), permit('p2')] },
    { permits: [permit('p3'), permit('p4')] },
  ]);
  await Promise.all([1, 2, 3, 4].map(() => gate.pass(never)));
  // 20 ms of 100 requests per second.
  expect(Math.max(...asked)).toBe(2);
});

test('a permit that was not used in time goes back, and another one is leased', async () => {
  const { gate, released, asked } = gateWith([{ permits: [permit('p1'), permit('p2')] }, { permits: [permit('p3')] }]);
  await gate.pass(never);
  gate.closeFor(600);
  await gate.pass(never);
  expect([released, asked.length]).toEqual([['p2'], 2]);
});

test('a pause that another process was asked for holds here, and is told', async () => {
  const { gate, pauses, now } = gateWith([{ pausedMs: 5000 }, { permits: [permit('p1')] }]);
  await gate.pass(never);
  expect([now(), pauses]).toEqual([5000, ['the service asked another process to wait']]);
});

test('after the store has lost its data, one window passes first', async () => {
  const answers = [
    { permits: [permit('p1')] },
    { permits: [permit('p2')], epoch: 'b' },
    { permits: [permit('p3')], epoch: 'b' },
  ];
  const { gate, released, now } = gateWith(answers);
  await gate.pass(never);
  await gate.pass(never);
  expect([released, now()]).toEqual([['p2'], 1010]);
});

test('an outage of the store is waited out', async () => {
  const { gate, pauses, runStop } = gateWith([new Error('refused'), new Error('refused'), { permits: [permit('p1')] }]);
  expect(await gate.pass(never)).toBeDefined();
  expect(pauses).toEqual(Array(2).fill('the rate store is unavailable (refused)'));
  expect(runStop.signal.aborted).toBe(false);
});

test('an outage that lasts longer than --retry-max-time stops the run', async () => {
  const { gate, runStop } = gateWith(Array(20).fill(new Error('refused')), 3000);
  expect(await gate.pass(runStop.signal)).toBeUndefined();
  expect(runStop.reason).toMatchObject({ code: 'rate', message: expect.stringContaining('refused') });
});

test('a store that refuses stops the run at once', async () => {
  const { gate, runStop, now } = gateWith([new RateStoreRefusal('WRONGPASS')]);
  expect(await gate.pass(runStop.signal)).toBeUndefined();
  expect([runStop.reason, now()]).toMatchObject([{ code: 'rate' }, 0]);
});
