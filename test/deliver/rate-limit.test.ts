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
function gateWith(answers: readonly (Partial<Lease> | Error)[], retryMaxTimeMs = 60_000, failure?: Error) {
  let now = 0;
  const clock: Clock = {
    now: () => now,
    date: () => now,
    random: () => 1,
    sleep: async (ms) => {
      await new Promise(setImmediate);
      now += ms;
    },
  };
  const asked: number[] = [];
  const released: (readonly string[])[] = [];
  const answered: string[] = [];
  const pauses: unknown[] = [];
  const store: RateStore = {
    lease: async (_rate, wanted) => {
      const answer = answers[asked.length] ?? {};
      asked.push(wanted);
      // More questions than a test has answers for would go on for ever.
      if (asked.length > 30) throw new RateStoreRefusal('too many questions');
      if (answer instanceof Error) throw answer;
      return { permits: [], waitMs: 10, pausedMs: 0, epoch: 'a', windowMs: 1010, ...answer };
    },
    answered: (permit) => answered.push(permit),
    release: (permits) => released.push(permits),
    pause: (ms) => pauses.push(ms),
    close: async () => undefined,
  };
  const runStop = createRunStop();
  const limit = new SharedRateLimit(
    store,
    { count: 120, perMs: 1000 },
    {
      clock,
      runStop,
      retryMaxTimeMs,
      notifyPause: async (pause) => {
        pauses.push(pause);
        if (failure !== undefined) throw failure;
      },
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

test('permits that were not used in time go back, and the others are used', async () => {
  const permits = [permit('p1'), permit('p2'), permit('p3', 100)];
  const { gate, limit, released, asked, answered, pauses } = gateWith([{ permits }, { permits: [permit('p4')] }]);
  await gate.pass(never);
  gate.closeFor(600);
  limit.pause(600);
  (await gate.pass(never))?.answered(600);
  expect([answered, pauses]).toEqual([['p3'], [600]]);
  expect([released, asked]).toEqual([[['p2']], [1]]);
  await gate.pass(never);
  expect([released, asked]).toEqual([[['p2']], [1, 1]]);
});

const OTHER = 'the service asked another process to wait';
const LOST = 'the rate store has lost its data, so the last requests must pass first';
const REFUSED = 'the rate store is unavailable (refused)';
const refused = new Error('refused');
const used = { permits: [permit('p')] };

test.each([
  [
    'a pause that another process was asked for holds here',
    [{ pausedMs: 5000 }, used],
    5000,
    [{ ms: 5000, why: OTHER }],
  ],
  ['a short one is not told', [{ pausedMs: 250 }, used], 250, []],
  [
    'after the store has lost its data, one window passes first',
    [{}, { epoch: 'b' }, { ...used, epoch: 'b' }],
    1020,
    [{ ms: 1010, why: LOST }],
  ],
  [
    'an outage of the store is waited out, and the next one is another',
    [refused, refused, refused, { waitMs: 1000 }, refused, refused, refused, used],
    4500,
    [250, 500, 1000, 250, 500, 1000].map((ms) => ({ ms, why: REFUSED })),
  ],
])('%s', async (_what, answers, ms, changes) => {
  const { gate, pauses, runStop, now } = gateWith(answers, 750);
  expect(await gate.pass(never)).toBeDefined();
  expect([pauses, now(), runStop.reason]).toEqual([changes, ms, undefined]);
  if (changes.length === 0) return;
  await expect(gateWith(answers, 750, new Error('disk')).gate.pass(never)).rejects.toThrow('disk');
});

test('permits of a store that has lost its data go back', async () => {
  const { gate, released } = gateWith([{}, { permits: [permit('p1')], epoch: 'b' }, { ...used, epoch: 'b' }]);
  await gate.pass(never);
  expect(released).toEqual([['p1']]);
});

test('an outage that lasts longer than retry_max_time stops the run', async () => {
  const { gate, runStop } = gateWith(Array(20).fill(refused), 3000);
  expect(await gate.pass(runStop.signal)).toBeUndefined();
  expect(runStop.reason).toEqual({
    code: 'rate',
    message: 'The rate store has been unavailable for 4 s. The last failure was: refused.',
    hint: 'Check rate_store, and that the store is up and reachable from this machine.',
  });
});

test('a store that refuses stops the run at once', async () => {
  const { gate, runStop, now } = gateWith([new RateStoreRefusal('WRONGPASS')]);
  expect(await gate.pass(runStop.signal)).toBeUndefined();
  expect([runStop.reason, now()]).toMatchObject([{ code: 'rate' }, 0]);
});
