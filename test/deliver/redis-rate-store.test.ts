/** The permits of a shared rate in a real Redis: what it gives, and until when. `npm run test:redis` gets one. */
import * as redis from '@redis/client';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Lease, RateStoreRefusal } from '../../src/deliver/rate-limit.ts';
import { openRateStore } from '../../src/deliver/redis-rate-store.ts';
import { hasRedis, type Redis, redisServer } from '../support/redis.ts';

const HOUR_MS = 3_600_000;
/** Spaced by twelve minutes, so that no test is late. */
const RATE = { count: 5, perMs: HOUR_MS };
/** Five may leave at once. */
const QUICK = { count: 5, perMs: 200 };
/** With a margin for the difference between clocks. */
const WINDOW_MS = HOUR_MS + 10;
/** How long a request may take to leave and to arrive. */
const HOLD_MS = 1500;

async function open({ url }: Redis) {
  const store = await openRateStore({ url, baseUrl: 'https://api.example.com', key: 'right-key' });
  onTestFinished(() => store.close());
  return store;
}

/** When each permit is free, in milliseconds. */
async function permitsIn({ url }: Redis) {
  const client = redis.createClient({ url }).on('error', () => undefined);
  await client.connect();
  onTestFinished(() => client.destroy());
  const [key = ''] = await client.keys('signals:rate:*:permits');
  return {
    freeAt: async (id: string) => Number(await client.zScore(key, id)) / 1000,
    setFreeAt: (id: string, ms: number) => client.zAdd(key, { value: id, score: ms * 1000 }),
    count: () => client.zCard(key),
    expireIn: () => client.pTTL(key),
    forbidWrites: () => client.sendCommand(['REPLICAOF', '127.0.0.1', '9']),
    delayWrites: (ms: number) => client.sendCommand(['CLIENT', 'PAUSE', String(ms), 'WRITE']),
    changePassword: async () => {
      await client.sendCommand(['CONFIG', 'SET', 'requirepass', 'other']);
      await client.sendCommand(['CLIENT', 'KILL', 'TYPE', 'normal']);
    },
  };
}

/** The time-outs of the store pass only when a test lets them. */
function holdTimeouts(): void {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}

/** When a store made its first lease. */
const startOf = ({ epoch }: Lease): number => Number(epoch) / 1000;

describe.skipIf(!hasRedis)('the permits of a rate', () => {
  test('are as many as the rate has, and evenly spaced, for all processes together', async () => {
    const server = await redisServer();
    const [one, other] = [await open(server), await open(server)];
    const first = await one.lease(RATE, 5);
    const second = await other.lease(RATE, 5);
    expect([first.permits.length, second.permits.length]).toEqual([1, 0]);
    expect(second.epoch).toBe(first.epoch);
    expect(second.waitMs).toBeGreaterThan(0);
    expect(second.waitMs).toBeLessThan(WINDOW_MS / RATE.count);
    // One question to the store, for more than the rate has within the time that may be caught up.
    const third = await open(await redisServer());
    const all = [...(await third.lease(QUICK, 3)).permits, ...(await third.lease(QUICK, 20)).permits];
    expect(new Set(all.map(({ id }) => id)).size).toBe(5);
    // Three catch up with the even spacing, and the next is a little ahead.
    const { permits } = await (await open(await redisServer())).lease({ count: 5, perMs: 1000 }, 5);
    expect(permits.map(({ inMs }) => Math.round(inMs / 100))).toEqual([0, 0, 0, 1]);
  });

  test('are held for the way to the service and one window, and are free again one window after the answer', async () => {
    const server = await redisServer();
    const store = await open(server);
    const lease = await store.lease(RATE, 1);
    const [{ id, inMs } = { id: '', inMs: Number.NaN }] = lease.permits;
    const permits = await permitsIn(server);
    expect(lease.windowMs).toBe(WINDOW_MS);
    expect(await permits.expireIn()).toBeGreaterThan(24 * HOUR_MS);
    expect((await permits.freeAt(id)) - startOf(lease)).toBeCloseTo(inMs + WINDOW_MS + HOLD_MS, 0);
    // Commands of one connection are answered in their order.
    const answered = async (): Promise<number> => {
      store.answered(id);
      await store.lease(RATE, 0);
      return (await permits.freeAt(id)) - startOf(lease);
    };
    await permits.setFreeAt(id, startOf(lease) + 9 * HOUR_MS);
    const free = await answered();
    expect(free).toBeGreaterThan(WINDOW_MS);
    expect(free).toBeLessThan(2 * WINDOW_MS);
    // It is never held longer.
    await permits.setFreeAt(id, startOf(lease) + HOUR_MS / 2);
    expect(await answered()).toBeCloseTo(HOUR_MS / 2, 0);
  });

  test('that were not used go back, and their late answers take none', async () => {
    const server = await redisServer();
    const store = await open(server);
    const { permits } = await store.lease(QUICK, 5);
    store.release(permits.slice(1).map(({ id }) => id));
    await store.lease(RATE, 0).catch(() => undefined);
    const stored = await permitsIn(server);
    expect(await stored.count()).toBeLessThanOrEqual(1);
    store.answered(permits[1]?.id ?? '');
    await store.lease(RATE, 0).catch(() => undefined);
    expect(await stored.freeAt(permits[1]?.id ?? '')).toBe(0);
    // Also when the process ends before the store answers.
    await stored.delayWrites(100);
    store.release([permits[0]?.id ?? '']);
    await store.close();
    expect(await stored.count()).toBe(0);
  });

  test('are not given under another rate, as long as others are held', async () => {
    const server = await redisServer();
    const [one, other] = [await open(server), await open(server)];
    // Too many to count are divided into shorter windows.
    expect((await other.lease({ count: 30_001, perMs: 10_000 }, 0)).windowMs).toBe(2509.917);
    await one.lease(RATE, 1);
    const refused = other.lease({ ...RATE, count: 50 }, 1);
    await expect(refused).rejects.toThrow(RateStoreRefusal);
    await expect(refused).rejects.toThrow('other processes use 5 requests per 3600 s');
  });

  test('are given again by a store that was away or read-only, whose failure is named, and never by one that refuses', async () => {
    const server = await redisServer({ password: 'right' });
    const store = await open(server);
    const failures: unknown[] = [];
    const failure = async () => {
      const lease = await store.lease(RATE, 1).catch((error: unknown) => void failures.push(error));
      return lease ?? failures.at(-1);
    };
    holdTimeouts();
    await store.lease(RATE, 0);
    await server.stop();
    store.answered('x');
    store.pause(1);
    expect(await failure()).not.toBeInstanceOf(RateStoreRefusal);
    for (const _ of [1, 2]) await expect.poll(failure).toMatchObject({ code: 'ECONNREFUSED' });
    await server.start();
    await expect.poll(failure).toMatchObject({ permits: [{ inMs: 0 }] });
    // Asking ends with the connection, not later.
    expect(failures.slice(1).map(String).join()).not.toContain('timeout');
    await (await permitsIn(server)).forbidWrites();
    const readOnly = await failure();
    expect(readOnly).toMatchObject({ message: expect.stringMatching(/^READONLY/) });
    expect(readOnly).not.toBeInstanceOf(RateStoreRefusal);
    const stranger = await open({ ...server, url: server.url.replace('right', 'wrong') });
    await expect(stranger.lease(RATE, 1)).rejects.toThrow(RateStoreRefusal);
  });

  test('are not given by a store that does not answer, and a changed password refuses them', async () => {
    const server = await redisServer({ password: 'right' });
    const store = await open(server);
    await store.lease(RATE, 0);
    store.release([]);
    const stored = await permitsIn(server);
    holdTimeouts();
    const lateFailure = () => {
      const failure = store.lease(RATE, 1).catch((error: unknown) => error);
      vi.advanceTimersByTime(5000);
      return failure;
    };
    await stored.delayWrites(60_000);
    expect(await lateFailure()).toMatchObject({ message: 'no answer within 5 s' });
    await stored.changePassword();
    await expect.poll(lateFailure).toBeInstanceOf(RateStoreRefusal);
  });

  test('are given to none while the service asks to wait', async () => {
    const server = await redisServer();
    const [one, other] = [await open(server), await open(server)];
    const { permits: before } = await one.lease(QUICK, 1);
    one.pause(9 * HOUR_MS);
    one.pause(1);
    await one.close();
    const { permits, pausedMs } = await other.lease(QUICK, 1);
    expect([before.length, permits.length]).toEqual([1, 0]);
    expect(pausedMs).toBeGreaterThan(8 * HOUR_MS);
    expect(pausedMs).toBeLessThanOrEqual(9 * HOUR_MS);
  });
});
