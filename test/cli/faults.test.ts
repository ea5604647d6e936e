/**
 * The fault matrix: what a run comes to when the service, or what stands in front of it, misbehaves. A row is a
 * scene; it says for each type how many requests the service saw, what became of the rows, and the exit code.
 * The service's own log is the witness. Without other words a scene is 8 rows in 2 batches, one at a time.
 */
import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { RecordType } from '../../src/model/record.ts';
import type { Behaviour, SandboxOptions } from '../../src/sandbox/index.ts';
import { type Flow, flow, front, rowOf } from './flow.ts';
import { service } from './program.ts';

type Incoming = Parameters<NonNullable<SandboxOptions['behave']>>[0];

interface Expected {
  readonly requests: number;
  readonly rows: Readonly<Record<string, number>>;
  readonly exit: number;
  readonly stop?: string;
}

interface Scene {
  readonly name: string;
  readonly behave: (incoming: Incoming) => Behaviour | undefined;
  readonly signals: Expected;
  readonly social: Expected;
  readonly more?: Partial<Flow>;
}

const first = (times: number, behaviour: Behaviour) => (incoming: Incoming) =>
  incoming.n <= times ? behaviour : undefined;
const always = (behaviour: Behaviour) => () => behaviour;

/** The poison record is the 6th row. */
const POISON = 'Poison';
const holdsPoison = ({ elements }: Incoming): boolean => JSON.stringify(elements).includes(POISON);
const withPoison = (type: RecordType) => (n: number) => rowOf(type, n, n === 6 ? POISON : `Name ${n}`);

const receipt = (type: RecordType, accepted: number, rejected = 0): string =>
  JSON.stringify({
    success: true,
    batchId: 'b1',
    ...(type === 'signals' ? { stats: { accepted, deduplicated: 0, rejected } } : { promotedToPipeline: 0 }),
  });

const well: Expected = { requests: 2, rows: { delivered: 8 }, exit: 0 };
const onceMore: Expected = { ...well, requests: 3 };
const firstUnknown: Expected = { requests: 2, rows: { unknown: 4, delivered: 4 }, exit: 4 };
/** The canary is not answered, so the second batch is not even cut. */
const stopped = (stop: string, exit = 6): Expected => ({ requests: 1, rows: { pending: 4 }, exit, stop });
const both = (expected: Expected) => ({ signals: expected, social: expected });

const matrix: readonly Scene[] = [
  { name: 'a service that is well', behave: () => undefined, ...both(well) },
  {
    name: 'a reset before anything was taken',
    behave: first(1, { reset: 'before' }),
    signals: onceMore,
    social: firstUnknown,
  },
  {
    name: 'a reset half-way through the answer',
    behave: first(1, { reset: 'after-headers' }),
    ...both(firstUnknown),
  },
  {
    name: 'no answer in time',
    behave: first(1, { hang: 'before' }),
    more: { timeoutMs: 200 },
    signals: onceMore,
    social: firstUnknown,
  },
  {
    name: 'headers in time and no body',
    behave: first(1, { hang: 'after-headers' }),
    more: { timeoutMs: 200 },
    signals: onceMore,
    social: firstUnknown,
  },
  { name: '200 cut off', behave: first(1, { cut: true }), ...both(firstUnknown) },
  { name: '200 with HTML', behave: first(1, { status: 200, body: '<p>hello</p>' }), ...both(firstUnknown) },
  {
    name: '200 with success: false',
    behave: first(1, { status: 200, body: '{"success":false,"batchId":"b"}' }),
    ...both(firstUnknown),
  },
  {
    name: '200 with 10 MB',
    behave: first(1, { status: 200, body: ' '.repeat(10_000_000) }),
    ...both(firstUnknown),
  },
  {
    name: '200 with counts that are too low',
    behave: ({ n, type }) => (n === 1 ? { status: 200, body: receipt(type, 3) } : undefined),
    signals: { ...well, exit: 3 },
    social: well,
  },
  {
    name: '202 with a receipt',
    behave: ({ n, type }) => (n === 1 ? { status: 202, body: receipt(type, 4) } : undefined),
    ...both(well),
  },
  { name: '204', behave: first(1, { status: 204 }), ...both(firstUnknown) },
  {
    name: 'three answers that are no receipts',
    behave: always({ status: 200, body: 'ok' }),
    more: { rows: 16 },
    ...both({ requests: 3, rows: { unknown: 12 }, exit: 6, stop: 'answers' }),
  },
  {
    name: '400 for all',
    behave: always({ status: 400 }),
    signals: { requests: 7, rows: { refused: 4, pending: 4 }, exit: 6, stop: 'canary' },
    social: { requests: 1, rows: { refused: 4, pending: 4 }, exit: 6, stop: 'canary' },
  },
  { name: '401', behave: always({ status: 401 }), ...both(stopped('key', 5)) },
  {
    name: '402',
    behave: always({ status: 402 }),
    more: { delivery: { canary: false } },
    ...both({ requests: 2, rows: { refused: 8 }, exit: 3 }),
  },
  { name: '403 at first', behave: always({ status: 403 }), ...both(stopped('key', 5)) },
  {
    name: '403 for one record, behind a delivery',
    behave: (incoming) => (holdsPoison(incoming) ? { status: 403 } : undefined),
    signals: { requests: 6, rows: { delivered: 7, refused: 1 }, exit: 3 },
    social: { requests: 2, rows: { delivered: 4, refused: 4 }, exit: 3 },
  },
  { name: '404', behave: always({ status: 404 }), ...both(stopped('address')) },
  { name: '405', behave: always({ status: 405 }), ...both(stopped('address')) },
  { name: '407', behave: always({ status: 407 }), ...both(stopped('address')) },
  { name: '408', behave: first(1, { status: 408 }), signals: onceMore, social: firstUnknown },
  {
    name: '413 for more than two records',
    behave: ({ records }) => (records > 2 ? { status: 413 } : undefined),
    // The second batch is as large as the first, and is split without being sent.
    ...both({ requests: 5, rows: { delivered: 8 }, exit: 0 }),
  },
  {
    name: '413 for one record',
    behave: (incoming) => (holdsPoison(incoming) ? { status: 413 } : undefined),
    ...both({ requests: 6, rows: { delivered: 7, refused: 1 }, exit: 3 }),
  },
  {
    name: '422 for one record',
    behave: (incoming) => (holdsPoison(incoming) ? { status: 422 } : undefined),
    signals: { requests: 6, rows: { delivered: 7, refused: 1 }, exit: 3 },
    social: { requests: 2, rows: { delivered: 4, refused: 4 }, exit: 3 },
  },
  {
    name: '422 for one record, with --isolate',
    behave: (incoming) => (holdsPoison(incoming) ? { status: 422 } : undefined),
    more: { delivery: { isolate: true } },
    ...both({ requests: 6, rows: { delivered: 7, refused: 1 }, exit: 3 }),
  },
  {
    name: '500 and then 422, with --isolate: unknown is sticky, and is not split',
    behave: ({ n }) => (n === 1 ? { status: 500 } : n === 2 ? { status: 422 } : undefined),
    more: { delivery: { isolate: true, resendUnknown: true } },
    ...both({ requests: 3, rows: { unknown: 4, delivered: 4 }, exit: 4 }),
  },
  {
    name: '422 for all',
    behave: always({ status: 422 }),
    signals: { requests: 7, rows: { refused: 4, pending: 4 }, exit: 6, stop: 'canary' },
    social: { requests: 1, rows: { refused: 4, pending: 4 }, exit: 6, stop: 'canary' },
  },
  {
    name: '422 for all, with --no-canary',
    behave: always({ status: 422 }),
    more: { delivery: { canary: false } },
    signals: { requests: 14, rows: { refused: 8 }, exit: 3 },
    social: { requests: 2, rows: { refused: 8 }, exit: 3 },
  },
  {
    name: 'every record of the first batch rejected',
    behave: ({ type }) => ({ status: 200, body: receipt(type, 0, 4) }),
    signals: { requests: 1, rows: { delivered: 4, pending: 4 }, exit: 6, stop: 'canary' },
    // The social receipt has no such count.
    social: well,
  },
  {
    name: 'every record of the only batch rejected: there is nothing to stop',
    behave: ({ type }) => ({ status: 200, body: receipt(type, 0, 4) }),
    more: { rows: 4 },
    signals: { requests: 1, rows: { delivered: 4 }, exit: 3 },
    social: { requests: 1, rows: { delivered: 4 }, exit: 0 },
  },
  ...(
    [
      ['seconds', '3'],
      ['a date', 'Fri, 20 Nov 2026 00:00:00 GMT'],
      ['an absurd number', '99999999999'],
      ['a negative number', '-5'],
      ['no number', 'soon'],
    ] as const
  ).map(([name, value]) => ({
    name: `429 with Retry-After of ${name}`,
    behave: first(1, { status: 429, headers: { 'retry-after': value } }),
    ...both(onceMore),
  })),
  { name: '429 without Retry-After', behave: first(1, { status: 429 }), ...both(onceMore) },
  {
    name: '429 with RateLimit',
    behave: first(1, { status: 429, headers: { ratelimit: '"default";r=0;t=11' } }),
    ...both(onceMore),
  },
  {
    name: '429 beyond --max-wait',
    behave: always({ status: 429, headers: { 'retry-after': '3600' } }),
    ...both(stopped('wait')),
  },
  { name: '500 once', behave: first(1, { status: 500 }), signals: onceMore, social: firstUnknown },
  {
    name: '500 for ever',
    behave: always({ status: 500 }),
    signals: { requests: 8, rows: { unknown: 8 }, exit: 4 },
    social: { requests: 2, rows: { unknown: 8 }, exit: 4 },
  },
  {
    name: '502 and 504, then well',
    behave: ({ n }) => (n <= 2 ? { status: n === 1 ? 502 : 504 } : undefined),
    signals: { ...well, requests: 4 },
    social: { requests: 2, rows: { unknown: 8 }, exit: 4 },
  },
  {
    name: 'a storm of 503 with Retry-After, then recovery',
    behave: first(12, { status: 503, headers: { 'retry-after': '1' } }),
    ...both({ ...well, requests: 14 }),
  },
  {
    name: 'a storm of 503 without Retry-After, then recovery',
    behave: first(3, { status: 503 }),
    signals: { ...well, requests: 5 },
    social: { requests: 2, rows: { unknown: 8 }, exit: 4 },
  },
  {
    name: 'an outage that outlasts --retry-max-time',
    behave: always({ status: 500 }),
    more: { rows: 4000, delivery: { retryMaxTimeMs: 20_000 } },
    ...both({ requests: -1, rows: { delivered: 0 }, exit: 6, stop: 'outage' }),
  },
  {
    name: 'every third request failing',
    behave: ({ n }) => (n % 3 === 0 ? { status: 500 } : undefined),
    more: { rows: 40 },
    signals: { requests: 14, rows: { delivered: 40 }, exit: 0 },
    social: { requests: 10, rows: { delivered: 28, unknown: 12 }, exit: 4 },
  },
];

describe.each(['signals', 'social'] as const)('%s meet', (type) => {
  test.each(matrix)('$name', async ({ behave, more, [type]: expected }) => {
    const there = await service({ behave });
    const { ledger, exitCode, balanced, lines } = await flow({
      type,
      url: there.url,
      row: withPoison(type),
      ...more,
    });
    const { read, ...rows } = ledger.rows;
    const nonzero = Object.fromEntries(Object.entries(rows).filter(([, count]) => count > 0));
    const seen = there.requests();

    expect(balanced).toBe(true);
    expect({ exit: exitCode, stop: ledger.stop?.code }).toEqual({ exit: expected.exit, stop: expected.stop });
    // Where chance decides how many requests an outage lasts, what holds for any number is checked below.
    if (expected.requests >= 0) {
      expect(nonzero).toEqual(expected.rows);
      expect(seen).toHaveLength(expected.requests);
    }
    expect(ledger.requests).toBe(seen.length);
    // Of each row that is said to be delivered, the service sent a receipt.
    const receipts = seen.filter(({ status }) => status !== null && status >= 200 && status < 300);
    expect(receipts.reduce((sum, { records }) => sum + records, 0)).toBeGreaterThanOrEqual(rows.delivered);
    // Social events are never taken twice.
    if (type === 'social' && more?.delivery?.resendUnknown !== true) {
      const taken = seen.filter(({ processed }) => processed);
      expect(new Set(taken.map(({ digest }) => digest)).size).toBe(taken.length);
    }
    // What was neither delivered nor left pending is kept with its payload.
    const kept = (await lines('undelivered.ndjson')).map((line) => JSON.parse(line).records as number);
    expect(kept.reduce((sum, records) => sum + records, 0)).toBe(
      rows.refused + rows.exhausted + rows.unknown,
    );
    expect(read).toBe(Object.values(rows).reduce((sum, count) => sum + count, 0));
  });
});

describe.each(['signals', 'social'] as const)('%s meet what stands in front of the service:', (type) => {
  test('a slow drip of an answer is a lost answer', async () => {
    const there = await service();
    const before = await front(there.url, (n, request, response) => {
      if (n > 1) return false;
      request.resume();
      response.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => response.write(' '), 20);
      response.once('close', () => clearInterval(timer));
      return true;
    });
    const { ledger, exitCode } = await flow({ type, url: before.url, timeoutMs: 250 });
    expect(exitCode).toBe(type === 'signals' ? 0 : 4);
    expect(ledger.rows).toMatchObject(type === 'signals' ? { delivered: 8 } : { delivered: 4, unknown: 4 });
    expect(before.count()).toBe(type === 'signals' ? 3 : 2);
  });

  test('an answer before the request was read is an answer', async () => {
    const there = await service();
    const before = await front(there.url, (n, _request, response) => {
      if (n > 1) return false;
      response.writeHead(503, { 'retry-after': '1', connection: 'close' });
      response.end();
      return true;
    });
    const { ledger, exitCode } = await flow({ type, url: before.url });
    expect(exitCode).toBe(0);
    expect(ledger.rows.delivered).toBe(8);
    expect(there.requests()).toHaveLength(2);
  });

  test('a packed answer is unpacked', async () => {
    const there = await service();
    const before = await front(
      there.url,
      () => false,
      ({ body, headers }) => ({ body: gzipSync(body), headers: { ...headers, 'content-encoding': 'gzip' } }),
    );
    const { ledger, exitCode } = await flow({ type, url: before.url });
    expect(exitCode).toBe(0);
    expect(ledger.rows.delivered).toBe(8);
  });

  test.each([
    ['a packed answer of 100 MB', gzipSync(Buffer.alloc(100_000_000, ' '))],
    ['a packed answer that is none', Buffer.from('{"success":true}')],
  ])('%s is no receipt', async (_name, body) => {
    const there = await service();
    const before = await front(there.url, (n, request, response) => {
      if (n > 1) return false;
      request.resume();
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': String(body.length) });
      response.end(body);
      return true;
    });
    const { ledger, exitCode } = await flow({ type, url: before.url });
    expect(exitCode).toBe(4);
    expect(ledger.rows).toMatchObject({ unknown: 4, delivered: 4 });
    expect(before.count()).toBe(2);
  });

  test('connections that are closed behind every answer lose nothing and double nothing', async () => {
    const there = await service();
    const before = await front(there.url, (_n, request, response) => {
      response.once('finish', () => request.socket.end());
      return false;
    });
    const { ledger, balanced } = await flow({
      type,
      url: before.url,
      rows: 80,
      delivery: { concurrency: 4 },
    });
    expect(balanced).toBe(true);
    // A request that met a closing connection may have been read: for social events that is for ever unknown.
    expect(ledger.rows.delivered + ledger.rows.unknown).toBe(80);
    if (type === 'signals') expect(ledger.rows.delivered).toBe(80);
    else expect(there.requests().length).toBeLessThanOrEqual(20);
  });

  test('a redirect to another host never sees the key', async () => {
    const elsewhere = await service();
    const there = await service({
      behave: () => ({ status: 301, headers: { location: `${elsewhere.url}/v1/signals/ingest` } }),
    });
    const { ledger, exitCode } = await flow({ type, url: there.url });
    expect(exitCode).toBe(6);
    expect(ledger.stop?.code).toBe('address');
    expect(ledger.rows.pending).toBe(4);
    expect(there.requests()).toHaveLength(1);
    expect(elsewhere.requests()).toHaveLength(0);
  });

  test('nothing: what was exhausted in an outage is put back, and nothing is unknown', async () => {
    const closed = createServer();
    const port = await new Promise<number>((resolve) => {
      closed.listen(0, '127.0.0.1', () => {
        const address = closed.address();
        closed.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
      });
    });
    const { ledger, exitCode, balanced } = await flow({
      type,
      url: `http://127.0.0.1:${port}`,
      delivery: { retryMaxTimeMs: 60_000 },
    });
    expect(balanced).toBe(true);
    expect(exitCode).toBe(6);
    expect(ledger.stop?.code).toBe('outage');
    expect(ledger.rows).toMatchObject({ read: 8, pending: 8, exhausted: 0, unknown: 0 });
  });
});
