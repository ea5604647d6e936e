/**
 * The fault matrix (fixtures/delivery/faults.ndjson): what a run comes to when the service, or what stands in front of it,
 * misbehaves. A line is a scene; it says for each type how many requests the service saw, what became of the rows, and the exit code.
 * The service's own log is the witness. Without other words a scene is 8 rows in 2 batches, one at a time.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished } from 'vitest';
import type { RecordType } from '../../src/model/record.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.ts';
import { type Behaviour, behaviourOf, casesIn, type Rule, receiptOf } from '../support/behaviour.ts';
import { type Flow, type Flowed, flow, front, rowOf } from '../support/flow.ts';
import { freePort } from '../support/listen.ts';
import { service, start, summaryOf, test, write } from '../support/program.ts';

interface Expected {
  readonly requests: number;
  readonly rows: Readonly<Record<string, number>>;
  readonly exit: number;
  readonly stop?: string;
}

interface Scene {
  readonly name: string;
  readonly rules?: readonly Rule[];
  readonly behave?: Behaviour;
  readonly signals: Expected;
  readonly social: Expected;
  readonly more?: Partial<Flow>;
}

/** The 6th row. */
const withPoison = (type: RecordType) => (n: number) => rowOf(type, n, n === 6 ? 'Poison' : `Name ${n}`);

const well: Expected = { requests: 2, rows: { delivered: 8 }, exit: 0 };
const onceMore: Expected = { ...well, requests: 3 };
const firstUnknown: Expected = { requests: 2, rows: { unknown: 4, delivered: 4 }, exit: 4 };
/** The canary is not answered, so the second batch is not even cut. */
const stopped = (stop: string, exit = 6): Expected => ({ requests: 1, rows: { pending: 4 }, exit, stop });
const both = (expected: Expected) => ({ signals: expected, social: expected });

const matrix: readonly Scene[] = [
  ...casesIn<Scene>('faults.ndjson'),
  {
    name: '200 with 10 MB',
    behave: ({ n }) => (n === 1 ? { status: 200, body: ' '.repeat(10_000_000) } : undefined),
    ...both(firstUnknown),
  },
  {
    name: '200 with a receipt that 2 MB of blanks follow',
    behave: ({ n, type }) => (n === 1 ? { status: 200, body: receiptOf(type, 4) + ' '.repeat(2_000_000) } : undefined),
    ...both(firstUnknown),
  },
  {
    name: '429 with Retry-After of a date ahead',
    behave: ({ n }) =>
      n === 1 ? { status: 429, headers: { 'retry-after': new Date(Date.now() + 7000).toUTCString() } } : undefined,
    ...both(onceMore),
  },
];

/** What holds in every scene, whatever the service does. */
async function judge(
  { runState, exitCode, balanced, lines }: Flowed,
  there: Sandbox,
  type: RecordType,
  expected: Expected,
  resends = false,
): Promise<void> {
  const { read, ...rows } = runState.rows;
  const nonzero = Object.fromEntries(Object.entries(rows).filter(([, count]) => count > 0));
  expect(balanced).toBe(true);
  expect({ exit: exitCode, stop: runState.stop?.code }).toEqual({ exit: expected.exit, stop: expected.stop });
  // Where chance decides how many requests an outage lasts, what holds for any number is checked below.
  if (expected.requests >= 0) {
    expect(nonzero).toEqual(expected.rows);
    expect(runState.requests).toBe(expected.requests);
  }
  // Of each row that is said to be delivered, the service sent a receipt.
  const seen = there.requests();
  const receipts = seen.filter(({ status }) => status !== null && status >= 200 && status < 300);
  expect(receipts.reduce((sum, { records }) => sum + records, 0)).toBeGreaterThanOrEqual(rows.delivered);
  // Social events are never taken twice.
  if (type === 'social' && !resends) {
    const taken = seen.filter(({ processed }) => processed);
    expect(new Set(taken.map(({ digest }) => digest)).size).toBe(taken.length);
  }
  // What was neither delivered nor left pending is kept with its payload.
  const kept = (await lines('undelivered.ndjson')).map((line) => JSON.parse(line).records as number);
  const listed = kept.reduce((sum, records) => sum + records, 0);
  // What an outage exhausted is kept before anybody knows that it is put back.
  if (expected.stop !== 'outage') expect(listed).toBe(rows.refused + rows.exhausted + rows.unknown);
  expect(read).toBe(Object.values(rows).reduce((sum, count) => sum + count, 0));
}

describe.each(['signals', 'social'] as const)('%s meet', (type) => {
  test.for(matrix)('$name', async ({ rules, behave, more, [type]: expected }, { there }) => {
    there.fault = behave ?? behaviourOf(rules);
    const flowed = await flow({ type, url: there.url, row: withPoison(type), ...more });
    await judge(flowed, there, type, expected, more?.delivery?.resendUnknown === true);
    // The log of the service knows of every attempt, and of no other.
    expect(there.requests()).toHaveLength(flowed.runState.requests);
  });
});

/** What stands between the program and the service, and gives answers that no service could be asked for. */
interface Between {
  readonly name: string;
  /** Answers the n-th request itself and returns true, or leaves it to the service. */
  readonly odd?: (n: number, request: IncomingMessage, response: ServerResponse) => boolean;
  /** Changes what the service answered. */
  readonly change?: Parameters<typeof front>[2];
  readonly more?: Partial<Flow>;
  /** `requests`: those that the program sent. */
  readonly signals: Expected;
  readonly social: Expected;
}

/** The first request gets this body in place of an answer, read whole before. */
const firstBody = (headers: Record<string, string>, body: Buffer | string) =>
  ((n, request, response) => {
    if (n > 1) return false;
    request.resume();
    response.writeHead(200, { 'content-length': String(Buffer.byteLength(body)), ...headers });
    response.end(body);
    return true;
  }) satisfies Between['odd'];

const packed = (name: string, pack: (body: Buffer) => Buffer): NonNullable<Between['change']> => {
  return ({ body, headers }) => ({ body: pack(body), headers: { ...headers, 'content-encoding': name } });
};

const between: readonly Between[] = [
  {
    name: 'a slow drip of an answer',
    odd(n, request, response) {
      if (n > 1) return false;
      request.resume();
      response.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => response.write(' '), 20);
      response.once('close', () => clearInterval(timer));
      return true;
    },
    more: { timeoutMs: 1000 },
    signals: onceMore,
    social: firstUnknown,
  },
  {
    name: 'an answer before the request was read',
    odd(n, _request, response) {
      if (n > 1) return false;
      response.writeHead(503, { 'retry-after': '1', connection: 'close' });
      response.end();
      return true;
    },
    ...both(onceMore),
  },
  {
    name: 'a hint in front of every answer',
    odd(_n, _request, response) {
      response.writeEarlyHints({ link: '</style.css>; rel=preload; as=style' });
      return false;
    },
    ...both(well),
  },
  { name: 'answers packed by gzip', change: packed('gzip', gzipSync), ...both(well) },
  { name: 'answers packed by deflate', change: packed('deflate', deflateSync), ...both(well) },
  {
    name: 'a packed answer of 100 MB',
    odd: firstBody({ 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(100_000_000, ' '))),
    ...both(firstUnknown),
  },
  {
    name: 'a packed answer that is none',
    odd: firstBody({ 'content-encoding': 'gzip' }, '{"success":true}'),
    ...both(firstUnknown),
  },
  {
    name: 'an answer with an unknown content coding',
    odd: firstBody({ 'content-encoding': 'aes128gcm' }, '{"success":true}'),
    ...both(firstUnknown),
  },
  {
    name: 'an answer that is no HTTP',
    odd(n, request) {
      if (n > 1) return false;
      request.resume();
      request.once('end', () => request.socket.end('GREETINGS\r\n\r\n'));
      return true;
    },
    signals: onceMore,
    social: firstUnknown,
  },
  {
    name: 'a connection that is closed in place of an answer',
    odd(n, request) {
      if (n > 1) return false;
      request.resume();
      request.once('end', () => request.socket.end());
      return true;
    },
    signals: onceMore,
    social: firstUnknown,
  },
];

describe.each(['signals', 'social'] as const)('%s meet what stands in front of the service:', (type) => {
  test.for<Between>(between)('$name', async ({ odd, change, more, [type]: expected }, { there }) => {
    const before = await front(there.url, odd ?? (() => false), change);
    const flowed = await flow({ type, url: before.url, ...more });
    await judge(flowed, there, type, expected);
    expect(before.count()).toBe(expected.requests);
  });

  test.for([
    [
      'behind every answer',
      (_n: number, request: IncomingMessage, response: ServerResponse) => {
        response.once('finish', () => request.socket.end());
        return false;
      },
    ],
    [
      'when the next request arrives on them',
      (() => {
        const used = new WeakSet<Socket>();
        return (_n: number, request: IncomingMessage) => {
          if (used.has(request.socket)) {
            request.socket.resetAndDestroy();
            return true;
          }
          used.add(request.socket);
          return false;
        };
      })(),
    ],
  ] as const)('connections that are closed %s lose nothing and double nothing', async ([_name, odd], { there }) => {
    const before = await front(there.url, odd);
    const flowed = await flow({ type, url: before.url, rows: 80, delivery: { concurrency: 4, retries: 20 } });
    const { rows } = flowed.runState;
    // A request that met a closing connection may have been read: for social events that is for ever unknown.
    expect(rows.delivered + rows.unknown).toBe(80);
    if (type === 'signals') expect(rows.delivered).toBe(80);
    await judge(flowed, there, type, { requests: -1, rows: {}, exit: rows.unknown > 0 ? 4 : 0 });
    const taken = there.requests().map(({ digest }) => digest);
    expect(new Set(taken).size, 'no batch reached the service twice').toBe(taken.length);
  });

  test('a redirect to another host never sees the key', async ({ there }) => {
    const elsewhere = await service();
    there.fault = () => ({ status: 301, headers: { location: `${elsewhere.url}/v1/signals/ingest` } });
    await judge(await flow({ type, url: there.url }), there, type, stopped('address'));
    expect(there.requests()).toHaveLength(1);
    expect(elsewhere.requests()).toHaveLength(0);
  });

  test.for([
    ['nothing at that port', async (): Promise<string> => `http://127.0.0.1:${await freePort()}`],
    ['nothing of that name', async (): Promise<string> => 'http://service.invalid'],
  ] as const)(
    '%s: what was exhausted in the outage is put back, and nothing is unknown',
    async ([_name, address], { there }) => {
      const flowed = await flow({ type, url: await address(), delivery: { retryMaxTimeMs: 60_000 } });
      await judge(flowed, there, type, { requests: -1, rows: {}, exit: 6, stop: 'outage' });
      expect(flowed.runState.rows).toMatchObject({ read: 8, pending: 8, exhausted: 0, unknown: 0 });
      expect(there.requests()).toHaveLength(0);
    },
  );

  test('nothing at that port, and then the service: each batch arrives once', async ({ cwd }) => {
    const port = await freePort();
    const lines = Array.from({ length: 300 }, (_, n) => rowOf(type, n));
    const header =
      type === 'signals'
        ? 'company_name,company_domain,signal_name,source'
        : 'platform,engagement_type,engager_name,company_domain';
    await write(cwd, 'in.csv', `${[header, ...lines].join('\n')}\n`);
    const env = { SIGNALS_BASE_URL: `http://127.0.0.1:${port}`, SIGNALS_API_KEY: 'right-key' };
    const { child, ended } = start(cwd, ['upload', 'in.csv', '--json', '--verbose'], { env });
    await new Promise<void>((resolve) => {
      child.stderr?.on('data', (text: string) => text.includes('ECONNREFUSED') && resolve());
    });
    const there = await startSandbox({ key: 'right-key', port });
    onTestFinished(() => there.close());
    const done = await ended;
    expect(done.code, done.stderr).toBe(0);
    expect(done.stderr).toContain('ECONNREFUSED');
    expect(summaryOf(done)).toMatchObject({ balanced: true, rows: { read: 300, delivered: 300 } });
    expect(there.requests().map(({ status, records }) => [status, records])).toEqual([
      [200, 100],
      [200, 100],
      [200, 100],
    ]);
  });
});
