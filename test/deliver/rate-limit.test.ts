import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Clock } from '../../src/deliver/clock.ts';
import {
  type Lease,
  RateLimit,
  type RateStore,
  RateStoreRefusal,
  SharedRateLimit,
} from '../../src/deliver/rate-limit.ts';
import { SendGate } from '../../src/deliver/throttle.ts';
import { createRunStop } from '../../src/run/run-stop.ts';

/** Sends as fast as the limit allows, each request arriving `delays[n]` after it left, and returns the arrivals. */
function arrivals(rate: { count: number; perMs: number }, delays: readonly number[]): readonly number[] {
  const limit = new RateLimit(rate);
  const at: number[] = [];
  const answers: { time: number; tell: () => void }[] = [];
  let now = 0;
  for (const delay of delays) {
    for (;;) {
      const earliest = limit.earliest();
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
    const slot = limit.take(now);
    slot.left(now);
    const arrived = now + delay;
    at.push(arrived);
    answers.push({ time: arrived, tell: () => slot.answered(arrived) });
    answers.sort((a, b) => a.time - b.time);
  }
  return at.toSorted((a, b) => a - b);
}

function mostInAnyWindow(times: readonly number[], ms: number): number {
  return Math.max(...times.map((from) => times.filter((time) => time >= from && time < from + ms).length));
}

describe('the rate limit of one process', () => {
  test('spaces requests evenly, and lets a late process catch up 50 ms', () => {
    const limit = new RateLimit({ count: 10, perMs: 1000 });
    const earliest = [0, 100, 500].map((now) => {
      limit.take(now);
      return limit.earliest();
    });
    expect(earliest).toEqual([100, 200, 550]);
  });

  test('does not free a slot that another request has by now', () => {
    const limit = new RateLimit({ count: 1, perMs: 1000 });
    let changes = 0;
    limit.on('change', () => {
      changes += 1;
    });
    const first = limit.take(0);
    first.left(0);
    expect(limit.earliest()).toBe(2010);
    limit.take(2010);
    first.answered(2500);
    expect([limit.earliest(), changes]).toEqual([Number.POSITIVE_INFINITY, 1]);
  });

  test('lets no window see more than the rate, whatever the way to the server takes', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.array(fc.integer({ min: 0, max: 900 }), { minLength: 1, maxLength: 80 }),
        (count, delays) => {
          const at = arrivals({ count, perMs: 1000 }, delays);
          expect(mostInAnyWindow(at, 1000)).toBeLessThanOrEqual(count);
          expect(at.at(-1)).toBeLessThan(Number.POSITIVE_INFINITY);
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

  test('does not say when a place is free whose request has not left yet', () => {
    const limit = new RateLimit({ count: 1, perMs: 1000 });
    const slot = limit.take(0);
    expect(limit.earliest()).toBe(Number.POSITIVE_INFINITY);
    slot.left(500);
    expect(limit.earliest()).toBeGreaterThanOrEqual(1500);
  });
});

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

test('a lease is for the requests that wait, and for no more than 20 ms of the rate', async () => {
  const permits = [permit('p'), permit('q')];
  const { gate, asked } = gateWith([{ permits }, { permits }, { permits }]);
  await Promise.all([1, 2, 3, 4, 5].map(() => gate.pass(never)));
  expect(asked).toEqual([1, 2, 1]);
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

test('an outage that lasts longer than retry_max_time stops the run', async () => {
  const { gate, runStop } = gateWith(Array(20).fill(new Error('refused')), 3000);
  expect(await gate.pass(runStop.signal)).toBeUndefined();
  expect(runStop.reason).toMatchObject({ code: 'rate', message: expect.stringContaining('refused') });
});

test('a store that refuses stops the run at once', async () => {
  const { gate, runStop, now } = gateWith([new RateStoreRefusal('WRONGPASS')]);
  expect(await gate.pass(runStop.signal)).toBeUndefined();
  expect([runStop.reason, now()]).toMatchObject([{ code: 'rate' }, 0]);
});
