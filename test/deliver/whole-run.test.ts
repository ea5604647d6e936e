/**
 * Decisions about the whole run: splitting, the breaker, the concurrency. The transport is a script
 * here, so that a test says of every attempt when it is answered and how; real HTTP is in delivery.test.ts.
 */
import { describe, expect, test } from 'vitest';
import { contracts } from '../../src/contract/index.ts';
import {
  type Clock,
  Delivery,
  type DeliveryOptions,
  type EarlierAttempts,
  type RateStore,
} from '../../src/deliver/index.ts';
import { loadDigests } from '../../src/lib/digest.ts';
import type { Batch } from '../../src/model/batch.ts';
import type { RunEvent } from '../../src/model/event.ts';
import type { AttemptResult, FailedAttempt, Stop } from '../../src/model/outcome.ts';
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
}

function stage({ type = 'signals', answer, options }: Stage) {
  const events: RunEvent[] = [];
  /** Everything that is written, in order. */
  const steps: object[] = [];
  const attempts: Attempt[] = [];
  const runStop = createRunStop();
  let now = 0;
  let open = 0;
  const clock: Clock = {
    now: () => now,
    date: () => now,
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
      record: async (event) => {
        await breath();
        // Whoever does not wait for it writes the next one first.
        if (/failed|split/.test(event.event)) await breath().then(breath);
        steps.push({ ...event, time: undefined });
        events.push(event);
      },
      storePayload: async ({ id }, outcome, words) => {
        await breath().then(breath);
        steps.push({ kept: id, outcome, words });
      },
    },
  );
  const spend = (ms: number): void => {
    now += ms;
  };
  return { delivery, runStop, events, steps, attempts, spend };
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
const taken = ({ records }: Attempt, rejected = 0): AttemptResult => {
  const stats = { accepted: records.length - rejected, deduplicated: 0, rejected };
  return answered(200, JSON.stringify({ success: true, batchId: 'b', stats, promotedToPipeline: 0 }));
};
const refusedConnection: FailedAttempt = {
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
  { delivery, steps }: ReturnType<typeof stage>,
  count: number,
  size = 1,
  type: RecordType = 'signals',
  earlier?: EarlierAttempts,
): Promise<void> {
  for (const batch of batchesOf(type, count, size)) {
    await delivery.submit(Object.assign(batch, { release: () => steps.push({ released: batch.id }) }), earlier);
  }
  await delivery.idle();
}

const settledOf = (events: readonly RunEvent[]): readonly string[] =>
  events.flatMap((event) => (event.event === 'batch.settled' ? [`${event.batch} ${event.outcome}`] : []));

const keptIn = (steps: readonly object[]) => steps.filter((step) => 'kept' in step);

interface Script {
  readonly about: string;
  readonly type?: RecordType;
  readonly options?: Partial<DeliveryOptions>;
  readonly earlier?: EarlierAttempts;
  readonly batches?: number;
  readonly size?: number;
  /** The first one that fits answers: for the attempts up to `to`, with the record; without a status, no service listens. */
  readonly rules: readonly {
    readonly to?: number;
    readonly record?: number;
    readonly status?: number;
    readonly body?: string;
    readonly headers?: Record<string, string>;
    /** Of the records, in a receipt. */
    readonly rejected?: number;
    readonly failed?: Partial<FailedAttempt>;
    /** How long it takes, or the machine sleeps. */
    readonly ms?: number;
  }[];
  readonly settled: readonly string[];
  readonly requests: number;
  readonly stop?: Stop;
  /** All that is written and given back, in this order, and what of it is stored. */
  readonly steps?: readonly object[];
  readonly kept?: readonly object[];
}

test.each(casesIn<Script>('scripts.ndjson'))('$about', async (script) => {
  const {
    type = 'signals',
    options,
    earlier,
    batches = 1,
    size = 1,
    rules,
    settled,
    requests,
    stop,
    steps,
    kept,
  } = script;
  const answer = (attempt: Attempt): AttemptResult => {
    const fits = rules.find(
      ({ to = attempt.n, record }) => attempt.n <= to && (record === undefined || attempt.records.includes(record)),
    );
    played.spend(fits?.ms ?? 0);
    if (fits === undefined || fits.rejected !== undefined) return taken(attempt, fits?.rejected);
    const { status, body, headers, failed } = fits;
    return status === undefined ? { ...refusedConnection, ...failed } : answered(status, body, headers);
  };
  const played = stage({ type, answer, options });
  await send(played, batches, size, type, earlier);
  expect([settledOf(played.events), played.attempts.length]).toEqual([settled, requests]);
  expect(played.runStop.reason).toEqual(stop);
  if (steps !== undefined) expect(played.steps).toEqual(steps);
  if (kept !== undefined) expect(keptIn(played.steps)).toEqual(kept);
});

describe('isolation', () => {
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
    expect(keptIn(played.steps)).toEqual([{ kept: '1.2.1', outcome: 'unknown', words: undefined }]);
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

test('a wait that the service asks for is passed on to the processes that share the rate', async () => {
  const pauses: number[] = [];
  const answers: string[] = [];
  const rateStore: RateStore = {
    lease: async () => ({ permits: [{ id: 'p', inMs: 0 }], waitMs: 0, pausedMs: 0, epoch: 'a', windowMs: 1010 }),
    answered: (permit) => answers.push(permit),
    release: () => undefined,
    pause: (ms) => pauses.push(ms),
    close: async () => undefined,
  };
  const answer = (attempt: Attempt) => (attempt.n === 1 ? answered(429, '', { 'retry-after': '7' }) : taken(attempt));
  await send(stage({ answer, options: { rate: { count: 10, perMs: 1000 }, rateStore } }), 1);
  expect(pauses).toEqual([7000]);
  expect(answers).toEqual(['p', 'p']);
});

describe('the canary', () => {
  test.each([0, 1])(
    'goes alone, and the others together behind it, also if record %i of it is refused',
    async (bad) => {
      const answer = (attempt: Attempt) => (attempt.records.includes(bad) ? answered(422) : taken(attempt));
      const played = stage({ answer, options: { canary: true, concurrency: 4 } });
      await send(played, 9, 2);
      expect(played.attempts.slice(0, 2).map(({ atOnce }) => atOnce)).toEqual([1, 1]);
      expect(Math.max(...played.attempts.map(({ atOnce }) => atOnce))).toBe(4);
    },
  );
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

test('after lost answers, social batches go one at a time until one is delivered', async () => {
  const answer = (attempt: Attempt) => (attempt.n <= 4 ? answered(500) : taken(attempt));
  const played = stage({ type: 'social', answer, options: { concurrency: 4 } });
  await send(played, 12, 1, 'social');
  expect(played.attempts.slice(4, 6).map(({ atOnce }) => atOnce)).toEqual([1, 1]);
  expect(Math.max(...played.attempts.slice(6).map(({ atOnce }) => atOnce))).toBeGreaterThan(1);
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
    expect(Math.max(...played.attempts.slice(-10).map(({ atOnce }) => atOnce))).toBe(4);
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
