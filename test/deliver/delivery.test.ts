/**
 * What becomes of batches, over real HTTP against the sandbox, whose log is the witness. Only time is not real:
 * waits end at once, and are remembered.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { contracts } from '../../src/contract/index.ts';
import { HttpTransport } from '../../src/deliver/http.ts';
import {
  type Clock,
  Delivery,
  type DeliveryDeps,
  type DeliveryOptions,
  InFlightLimit,
  type Transport,
} from '../../src/deliver/index.ts';
import { loadDigests } from '../../src/lib/digest.ts';
import type { Batch } from '../../src/model/batch.ts';
import type { RunEvent } from '../../src/model/event.ts';
import { type RunStop, StorageError } from '../../src/model/outcome.ts';
import type { RecordType } from '../../src/model/record.ts';
import { createRunStop } from '../../src/run/run-stop.ts';
import { startSandbox } from '../../src/sandbox/index.ts';

const { digestOf } = await loadDigests();

/** A clock that stands still: nothing waits. */
const STILL: Clock = { now: () => 0, date: () => 0, random: () => 0, sleep: async () => undefined };

/** Where no server listens. */
const NOWHERE = 'http://127.0.0.1:1';

/** Delivery to an address, with what it records and keeps. One request at a time, unless the options say otherwise. */
function deliverTo(
  url: string,
  scene: {
    readonly type: RecordType;
    readonly options?: Partial<DeliveryOptions>;
    readonly timeoutMs?: number;
    readonly deps?: Partial<Omit<DeliveryDeps, 'transport'>>;
  },
): {
  readonly delivery: Delivery;
  readonly runStop: RunStop;
  readonly transport: Transport;
  readonly events: readonly RunEvent[];
} {
  const { type, options, timeoutMs = 5000, deps } = scene;
  const transport = new HttpTransport({ baseUrl: url, key: 'key', agent: 'test', connections: 4, timeoutMs });
  onTestFinished(() => transport.close());
  const events: RunEvent[] = [];
  const runStop = createRunStop();
  const delivery = new Delivery(
    {
      contract: contracts[type],
      concurrency: 1,
      retries: 3,
      maxWaitMs: 300_000,
      retryMaxTimeMs: 3_600_000,
      resendUnknown: false,
      timeoutMs,
      ...options,
    },
    {
      transport,
      clock: STILL,
      digestOf,
      runStop,
      record: async (event) => void events.push(event),
      storePayload: async () => undefined,
      ...deps,
    },
  );
  return { delivery, runStop, transport, events };
}

function batchOf(type: RecordType, id: string): Batch {
  const record =
    type === 'signals'
      ? { company_name: `Company ${id}`, signal_name: 'Raised', source: 'funding' }
      : { platform: 'linkedin', engagement_type: 'like', engager_name: `Person ${id}` };
  const payload = Buffer.from(JSON.stringify({ [contracts[type].envelope]: [record] }));
  return {
    id,
    records: 1,
    payload,
    digest: digestOf(payload),
    ranges: [],
    offsets: [payload.indexOf('[') + 1, payload.byteLength - 1],
    rows: [],
  };
}

/** The address of a service that accepts connections and never answers a TLS handshake. */
async function silentTls(): Promise<string> {
  const server = createServer();
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each([
  ['is refused', () => NOWHERE],
  ['does not come about in time', silentTls],
])('a connection that %s is tried again, and is exhausted and not unknown', async (_what, address) => {
  const waits: number[] = [];
  const { delivery, events } = deliverTo(await address(), {
    type: 'social',
    options: { retries: 2 },
    timeoutMs: 200,
    deps: { clock: { ...STILL, random: () => 1, sleep: async (ms) => void waits.push(ms) } },
  });
  await delivery.submit(batchOf('social', '1'));
  await delivery.idle();
  expect(events.at(-1)).toMatchObject({ event: 'batch.settled', outcome: 'exhausted', attempts: 3 });
  expect(waits).toEqual([250, 500]);
});

test('an attempt is recorded before its request leaves, and a record that fails keeps it from leaving', async () => {
  const sandbox = await startSandbox({ key: 'key' });
  onTestFinished(() => sandbox.close());
  const { delivery, runStop } = deliverTo(sandbox.url, {
    type: 'signals',
    deps: {
      record: async () => {
        runStop.stop({ code: 'storage', message: 'The disk is full.' });
        throw new StorageError(new Error('ENOSPC'));
      },
    },
  });
  await delivery.submit(batchOf('signals', '1'));
  await delivery.idle();
  expect(runStop.reason?.code).toBe('storage');
  expect(sandbox.requests()).toHaveLength(0);
});

test('no more than twice the requests in flight are held in memory', async () => {
  const sandbox = await startSandbox({ key: 'key', injectFault: () => ({ hang: 'before' }) });
  onTestFinished(() => sandbox.close());
  const { delivery, runStop, transport } = deliverTo(sandbox.url, {
    type: 'signals',
    options: { concurrency: 2, retries: 0 },
    timeoutMs: 60_000,
  });
  let taken = 0;
  const feeding = (async () => {
    for (let n = 1; n <= 20; n += 1) {
      await delivery.submit(batchOf('signals', String(n)));
      taken += 1;
    }
  })();
  await expect.poll(() => sandbox.requests().length).toBe(2);
  expect(taken).toBe(3);
  runStop.stop({ code: 'signal', message: 'enough' });
  transport.abandon();
  await feeding;
  await delivery.idle();
});

test('is full with so many batches, or with fewer that are large', () => {
  const limit = new InFlightLimit(2);
  limit.enter(10);
  expect(limit.isFull).toBe(false);
  limit.enter(10);
  expect(limit.isFull).toBe(true);
  limit.leave(10);
  expect(limit.isFull).toBe(false);
  limit.leave(10);
  limit.enter(64 * 1024 * 1024);
  expect(limit.isFull).toBe(true);
});

test('wakes who waits behind the turn in which a batch ended, when requests that are ready have left', async () => {
  const limit = new InFlightLimit(1);
  limit.enter(1);
  const order: string[] = [];
  const woken = limit.change().then(() => order.push('reader'));
  // As undici does it: a connection is given out again at the end of the turn.
  setImmediate(() => {
    limit.leave(1);
    setImmediate(() => order.push('next turn'));
    queueMicrotask(() => order.push('request'));
  });
  setImmediate(() => order.push('another request'));
  await woken;
  expect(order).toEqual(['request', 'another request', 'reader']);
});

test('is empty when the last batch has ended', async () => {
  const limit = new InFlightLimit(4);
  await limit.empty();
  limit.enter(1);
  limit.enter(1);
  let empty = false;
  const emptied = limit.empty().then(() => {
    empty = true;
  });
  limit.leave(1);
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(empty).toBe(false);
  limit.leave(1);
  await emptied;
});
