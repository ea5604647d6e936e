/**
 * Decisions about the whole run: splitting, the breaker, the concurrency. The transport is a script
 * here, so that a test says of every attempt when it is answered and how; real HTTP is in delivery.test.ts.
 */
import { describe, expect, test } from 'vitest';
import { contracts } from '../../src/contract/index.ts';
import { type Clock, Delivery, type DeliveryOptions, type RateStore } from '../../src/deliver/index.ts';
import { loadDigests } from '../../src/lib/digest.ts';
import type { Batch } from '../../src/model/batch.ts';
import type { RunEvent } from '../../src/model/event.ts';
import type { AttemptResult } from '../../src/model/outcome.ts';
import type { RecordType } from '../../src/model/record.ts';
import { Sealer } from '../../src/prepare/sealer.ts';
import { createRunStop } from '../../src/run/run-stop.ts';
import { casesIn } from '../support/behaviour.ts';

const { digestOf } = await loadDigests();

interface Attempt {
  readonly n: number;
  readonly records: readonly unknown[];
  /** Attempts under way with this one. */
  readonly atOnce: number;
  /** Milliseconds on the clock. */
  readonly at: number;
}

interface Stage {
  readonly type?: RecordType;
  readonly answer: (attempt: Attempt) => AttemptResult | Promise<AttemptResult>;
  readonly options?: Partial<DeliveryOptions> | undefined;
  /** Moves the clock: milliseconds on the monotonic and on the wall clock. */
  readonly jump?: { mono: number; wall: number };
}

function stage({ type = 'signals', answer, options, jump = { mono: 0, wall: 0 } }: Stage) {
  const events: RunEvent[] = [];
  const attempts: Attempt[] = [];
  const refusedWords: string[] = [];
  const runStop = createRunStop();
  let now = 0;
  let open = 0;
  const clock: Clock = {
    now: () => now + jump.mono,
    date: () => now + jump.wall,
    random: () => 1,
    sleep: async (ms) => {
      now += ms;
      await breath();
    },
  };
  const contract = contracts[type];
  const delivery = new Delivery(
    {
      contract,
      concurrency: 1,
      retries: 3,
      maxWaitMs: 300_000,
      retryMaxTimeMs: 1e9,
      resendUnknown: false,
      timeoutMs: Number.POSITIVE_INFINITY,
      ...options,
    },
    {
      clock,
      digestOf,
      runStop,
      transport: {
        close: async () => undefined,
        abandon: () => undefined,
        post: async (_path, body, onLeave) => {
          open += 1;
          onLeave();
          const records = JSON.parse(Buffer.from(body).toString('utf8'))[contract.envelope];
          const attempt = { n: attempts.length + 1, records, atOnce: open, at: clock.now() };
          attempts.push(attempt);
          await breath();
          const result = await answer(attempt);
          open -= 1;
          return result;
        },
      },
      record: async (event) => void events.push(event),
      keep: async (_batch, _outcome, words) => {
        if (words !== undefined) refusedWords.push(words);
      },
    },
  );
  return { delivery, runStop, events, attempts, refusedWords };
}

const breath = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const answered = (status: number, body = '', headers: Record<string, string> = {}): AttemptResult => ({
  kind: 'answered',
  status,
  headers,
  body,
  whole: true,
  written: true,
});
const taken = ({ records }: Attempt): AttemptResult =>
  answered(
    200,
    JSON.stringify({
      success: true,
      batchId: 'b',
      stats: { accepted: records.length, deduplicated: 0, rejected: 0 },
      promotedToPipeline: 0,
    }),
  );
const refusedConnection: AttemptResult = {
  kind: 'failed',
  left: false,
  cause: 'connect',
  code: 'ECONNREFUSED',
  message: 'not there',
};
/** Batches of the records 1, 2, 3, … */
function batchesOf(type: RecordType, count: number, size: number): readonly Batch[] {
  const sealer = new Sealer({ envelope: contracts[type].envelope, records: size, bytes: 1_000_000 }, { digestOf });
  return Array.from({ length: count * size }, (_, index) => {
    const row = index + 1;
    const at = { source: 0, row, line: row + 1, nextLine: row + 2, start: row, end: row + 1 };
    return sealer.add(at, String(row), [], [String(row)])?.batch;
  }).filter((batch) => batch !== undefined);
}

async function send(
  { delivery }: ReturnType<typeof stage>,
  count: number,
  size = 1,
  type: RecordType = 'signals',
): Promise<void> {
  for (const batch of batchesOf(type, count, size)) await delivery.submit(batch);
  await delivery.idle();
}

const settledOf = (events: readonly RunEvent[]): readonly string[] =>
  events.flatMap((event) => (event.event === 'batch.settled' ? [`${event.batch} ${event.outcome}`] : []));

interface Script {
  readonly about: string;
  readonly type?: RecordType;
  readonly options?: Partial<DeliveryOptions>;
  readonly batches?: number;
  readonly size?: number;
  /** The first one that fits answers: for the attempts up to `to`, with the record; without a status, no service listens. */
  readonly rules: readonly {
    readonly to?: number;
    readonly record?: number;
    readonly status?: number;
    readonly body?: string;
    readonly headers?: Record<string, string>;
  }[];
  readonly settled: readonly string[];
  readonly requests: number;
  readonly stop?: string;
  /** What the service said of single records that it refused. */
  readonly words?: readonly string[];
}

test.each(casesIn<Script>('scripts.ndjson'))('$about', async (script) => {
  const { type = 'signals', options, batches = 1, size = 1, rules, settled, requests, stop, words } = script;
  const answer = (attempt: Attempt): AttemptResult => {
    const fits = rules.find(
      ({ to = attempt.n, record }) => attempt.n <= to && (record === undefined || attempt.records.includes(record)),
    );
    if (fits === undefined) return taken(attempt);
    return fits.status === undefined ? refusedConnection : answered(fits.status, fits.body, fits.headers);
  };
  const played = stage({ type, answer, options });
  await send(played, batches, size, type);
  expect([settledOf(played.events), played.attempts.length]).toEqual([settled, requests]);
  expect(played.runStop.reason?.code).toBe(stop);
  if (words !== undefined) expect(played.refusedWords).toEqual(words);
});

describe('isolation', () => {
  test('records both parts in one event, before either of them is sent', async () => {
    const played = stage({
      answer: (attempt) => (attempt.records.length > 1 ? answered(422) : taken(attempt)),
    });
    await send(played, 1, 2);
    expect(played.events.map((event) => ('batch' in event ? `${event.event} ${event.batch}` : event.event))).toEqual([
      'attempt.started 1',
      'attempt.failed 1',
      'batch.split 1',
      'attempt.started 1.1',
      'batch.settled 1.1',
      'attempt.started 1.2',
      'batch.settled 1.2',
    ]);
    expect(played.events[2]).toMatchObject({
      parts: [
        { batch: '1.1', records: 1, digest: expect.stringMatching(/^[0-9a-f]{16}$/) },
        { batch: '1.2', records: 1 },
      ],
    });
  });

  test('tries the parts of signals that an earlier attempt may have brought, and leaves the poison record unknown', async () => {
    const played = stage({
      answer: (attempt) =>
        attempt.n === 1
          ? answered(500)
          : attempt.records.includes(3)
            ? answered(422, 'no such company')
            : taken(attempt),
    });
    await send(played, 1, 4);
    expect(settledOf(played.events)).toEqual(['1.1 delivered', '1.2.1 unknown', '1.2.2 delivered']);
    // It may have been taken, so that its row is not to be corrected and sent again as a refused one is.
    expect(played.refusedWords).toEqual([]);
    const splits = played.events.flatMap((event) => (event.event === 'batch.split' ? event.parts : []));
    expect(splits.map(({ maybeProcessed }) => maybeProcessed)).toEqual([true, true, true, true]);
  });

  test('leaves such a batch unknown as a whole when its budget is spent', async () => {
    const played = stage({
      answer: (attempt) => (attempt.records[0] === 401 && attempt.n % 2 === 1 ? answered(500) : answered(422)),
    });
    await send(played, 5, 100);
    expect(played.attempts.length).toBeGreaterThan(200);
    expect(settledOf(played.events).at(-1)).toBe('5 unknown');
  });

  test('refuses batches whole when its budget is spent, and says so', async () => {
    const played = stage({ answer: () => answered(422, 'no') });
    await send(played, 5, 100);
    // 199 for the first batch, down to its last record; then one more split, and no more.
    expect(played.attempts.length).toBeLessThanOrEqual(5 + 200);
    const last = played.events.at(-1);
    expect(last).toMatchObject({ event: 'batch.settled', batch: '5', outcome: 'refused' });
    expect(last).toMatchObject({ error: expect.stringContaining('used up its requests') });
  });
});

describe('a wait that the service asks for', () => {
  const asking = (retryAfter: string, options: Partial<DeliveryOptions> = {}) =>
    stage({
      answer: (attempt) => (attempt.n === 1 ? answered(429, '', { 'retry-after': retryAfter }) : taken(attempt)),
      options,
    });

  test('stops the run if it is longer than max_wait, with the time from which on it may be resumed', async () => {
    const played = asking('3600');
    await send(played, 1);
    expect(played.runStop.reason).toMatchObject({ code: 'wait', hint: 'Resume after 1970-01-01T01:00:00Z.' });
  });

  test.each([
    ['soon', 250],
    ['99999999', 300_000],
  ])('of "%s" is invalid, and the pause says so', async (retryAfter, ms) => {
    const played = asking(retryAfter);
    await send(played, 1);
    const why = expect.stringContaining(`"${retryAfter}" is invalid`);
    expect(played.events).toContainEqual(expect.objectContaining({ state: 'paused', ms, why }));
  });

  test('is passed on to the processes that share the rate', async () => {
    const pauses: number[] = [];
    const rateStore: RateStore = {
      lease: async () => ({ permits: [{ id: 'p', inMs: 0 }], waitMs: 0, pausedMs: 0, epoch: 'a', windowMs: 1010 }),
      answered: () => undefined,
      release: () => undefined,
      pause: (ms) => pauses.push(ms),
      close: async () => undefined,
    };
    await send(asking('7', { rate: { count: 10, perMs: 1000 }, rateStore }), 1);
    expect(pauses).toEqual([7000]);
  });
});

test('an outage stops the run after a delivery, with the batches exhausted whose retries are spent', async () => {
  const played = stage({
    answer: (attempt) => (attempt.n === 2 ? taken(attempt) : refusedConnection),
    options: { retries: 0, retryMaxTimeMs: 10_000 },
  });
  await send(played, 20);
  expect(played.runStop.reason?.code).toBe('outage');
  expect(settledOf(played.events).slice(0, 3)).toEqual(['1 exhausted', '2 delivered', '3 exhausted']);
});

test('no window has more attempts than the rate, retries and parts of split batches included', async () => {
  const played = stage({
    answer: (attempt) =>
      attempt.n % 3 === 0 ? answered(500) : attempt.records.includes(7) ? answered(422) : taken(attempt),
    options: { concurrency: 4, rate: { count: 5, perMs: 1000 } },
  });
  await send(played, 20, 2);
  const times = played.attempts.map(({ at }) => at);
  expect(times.length).toBeGreaterThan(30);
  for (const from of times) {
    expect(times.filter((at) => at >= from && at < from + 1000).length).toBeLessThanOrEqual(5);
  }
});

describe('the canary', () => {
  test('goes alone, and the others together behind it', async () => {
    const played = stage({ answer: taken, options: { canary: true, concurrency: 4 } });
    await send(played, 9);
    expect(played.attempts.slice(0, 2).map(({ atOnce }) => atOnce)).toEqual([1, 1]);
    expect(Math.max(...played.attempts.map(({ atOnce }) => atOnce))).toBe(4);
  });
});

describe('the breaker', () => {
  test('lets one batch at a time try while the service is down, and all when it is back', async () => {
    const played = stage({
      answer: (attempt) => (attempt.n <= 30 ? refusedConnection : taken(attempt)),
      options: { concurrency: 4, retries: 8 },
    });
    await send(played, 20);
    const down = played.attempts.slice(8, 30);
    expect(down.map(({ atOnce }) => atOnce)).toEqual(down.map(() => 1));
    expect(Math.max(...played.attempts.slice(31).map(({ atOnce }) => atOnce))).toBe(4);
    expect(settledOf(played.events).every((line) => line.endsWith('delivered'))).toBe(true);
  });

  test.each([1000, 5000, 60_000, 100_000])(
    'stops the run right after retry_max_time of %i ms, however long the next wait would be',
    async (retryMaxTimeMs) => {
      const played = stage({ answer: () => refusedConnection, options: { retryMaxTimeMs, retries: 8 } });
      await send(played, 1);
      expect(played.runStop.reason?.code).toBe('outage');
      const lastedMs = (played.attempts.at(-1)?.at ?? 0) - (played.attempts[0]?.at ?? 0);
      expect(lastedMs).toBeGreaterThan(retryMaxTimeMs);
      expect(lastedMs).toBeLessThanOrEqual(retryMaxTimeMs + 250);
    },
  );

  test('waits between two probes, so that an outage does not eat one social batch after the other', async () => {
    const played = stage({
      type: 'social',
      answer: () => answered(502),
      options: { retryMaxTimeMs: 120_000 },
    });
    await send(played, 200, 1, 'social');
    expect(played.runStop.reason?.code).toBe('outage');
    expect(played.attempts.length).toBeLessThan(20);
  });
});

describe('the concurrency', () => {
  const limits = (events: readonly RunEvent[]): readonly unknown[] =>
    events.flatMap((event) =>
      event.event === 'throttle.changed' && event.state === 'limited' ? [event.concurrency] : [],
    );

  test('is halved once by a round of 429, grows with good answers, and each change is an event', async () => {
    const played = stage({
      answer: (attempt) => (attempt.n <= 4 ? answered(429, '', { 'retry-after': '1' }) : taken(attempt)),
      options: { concurrency: 4 },
    });
    await send(played, 30);
    expect(limits(played.events)).toEqual([2, 3, undefined]);
    expect(played.attempts[4]?.atOnce).toBe(1);
    expect(played.attempts.slice(4, 6).every(({ atOnce }) => atOnce <= 2)).toBe(true);
    expect(played.attempts.at(-5)?.atOnce).toBe(4);
  });

  test('counts 429 answers of requests that were in flight together as one', async () => {
    const answer = (attempt: Attempt) => (attempt.n <= 4 ? answered(429) : taken(attempt));
    const played = stage({ options: { concurrency: 3 }, answer });
    await send(played, 3);
    const waits = played.events.flatMap((event) => (event.event === 'attempt.failed' ? [event.afterMs] : []));
    // The fourth is the first of the next round.
    expect(waits).toEqual([250, 250, 250, 500]);
  });
});
