/** The rate store in Redis. Its client is an optional peer dependency, because few users need it. */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type * as redis from '@redis/client';
import { hasCode } from '../lib/text.ts';
import { DAY_MS } from '../lib/units.ts';
import { installCommand } from '../lib/version.ts';
import { ProblemError } from '../model/problem.ts';
import { ARRIVAL_MS, type Lease, MARGIN_MS, type RateStore, RateStoreRefusal, type RequestRate } from './rate-limit.ts';

/** A request leaves and arrives within this time of its permit. The permits of a dead process return later. */
const HOLD_MS = ARRIVAL_MS + 500;
/** How far the processes together may fall behind the even spacing and still catch up. */
const SLACK_MS = 500;
/** How far ahead a permit is given. */
const AHEAD_MS = 200;
/** Maximum permits of a rate: a higher one is divided into shorter windows. */
const MAX_PERMITS = 10_000;
/** The state of an address outlives its last use by this. */
const KEEP_MS = DAY_MS;
const ANSWER_MS = 5000;

/**
 * KEYS: permits (sorted set; the score is the time at which a permit is free), state (hash). ARGV: rate, count, window, hold,
 * ahead, slack, wanted, name of the permits, keep. Times are microseconds of the store's clock.
 * Answers: epoch, paused for, ask again in, then for each permit how long until its request may leave; or the other rate.
 */
const LEASE = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local count, window, hold, ahead, slack = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local function known(name) return tonumber(redis.call('HGET', KEYS[2], name) or 0) end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
-- No permit is held longer: the clock was set back.
redis.call('ZREMRANGEBYSCORE', KEYS[1], now + ahead + hold + 1, '+inf')
local used = redis.call('ZCARD', KEYS[1])
local rate = redis.call('HGET', KEYS[2], 'rate')
if rate and rate ~= ARGV[1] and used > 0 then return rate end
redis.call('HSET', KEYS[2], 'rate', ARGV[1])
redis.call('HSETNX', KEYS[2], 'epoch', now)
local answer = { redis.call('HGET', KEYS[2], 'epoch'), math.max(0, known('paused') - now), 0 }
local spaced = math.min(math.max(known('spaced'), now - slack), now + ahead + window)
for n = 1, answer[2] > 0 and 0 or tonumber(ARGV[7]) do
  local oldest = used >= count and redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
  local at = math.max(now, spaced, oldest and tonumber(oldest[2]) or 0)
  if at > now + ahead then
    answer[3] = at - ahead - now
    break
  end
  if oldest then redis.call('ZREM', KEYS[1], oldest[1]) else used = used + 1 end
  redis.call('ZADD', KEYS[1], at + hold, ARGV[8] .. n)
  spaced = math.max(spaced, at - slack) + window / count
  answer[3 + n] = at - now
end
redis.call('HSET', KEYS[2], 'spaced', spaced)
redis.call('PEXPIRE', KEYS[1], ARGV[9])
redis.call('PEXPIRE', KEYS[2], ARGV[9])
return answer
`;

/** ARGV: window, permit. A permit that another process has meanwhile is not there. */
const ANSWERED = `
local time = redis.call('TIME')
local free = time[1] * 1000000 + time[2] + ARGV[1]
local hold = redis.call('ZSCORE', KEYS[1], ARGV[2])
if hold and tonumber(hold) > free then redis.call('ZADD', KEYS[1], free, ARGV[2]) end
`;

const PAUSE = `
local time = redis.call('TIME')
local open = time[1] * 1000000 + time[2] + ARGV[1]
if open > tonumber(redis.call('HGET', KEYS[2], 'paused') or 0) then redis.call('HSET', KEYS[2], 'paused', open) end
`;

export interface RateStoreOptions {
  /** `redis://` or `rediss://`. It may contain a password. */
  readonly url: string;
  readonly baseUrl: string;
  readonly key: string;
}

/** @throws ProblemError `settings.rate_store_client` if the package is not installed */
export async function openRateStore(options: RateStoreOptions): Promise<RateStore> {
  return new RedisRateStore(await loadClient(), options);
}

async function loadClient(): Promise<typeof redis> {
  try {
    return await import('@redis/client');
  } catch (error) {
    if (!hasCode(error, 'ERR_MODULE_NOT_FOUND')) throw error;
    const command = installCommand(fileURLToPath(import.meta.url), ['@redis/client'], existsSync);
    throw new ProblemError({
      code: 'settings.rate_store_client',
      message: 'rate_store needs the package @redis/client, which is not installed.',
      hint: `Install it: \`${command}\`.`,
    });
  }
}

class RedisRateStore implements RateStore {
  readonly #library: typeof redis;
  readonly #client: redis.RedisClientType;
  readonly #keys: [string, string];
  readonly #holder = randomBytes(8).toString('hex');
  #leases = 0;
  #windowUs = 0;
  #isStarted = false;
  #lost: Error | undefined;

  constructor(library: typeof redis, { url, baseUrl, key }: RateStoreOptions) {
    this.#library = library;
    const owner = createHash('sha256').update(`${baseUrl}\n${key}`).digest('hex').slice(0, 32);
    this.#keys = [`signals:rate:{${owner}}:permits`, `signals:rate:{${owner}}:state`];
    this.#client = library.createClient({
      url,
      disableOfflineQueue: true,
      pingInterval: ANSWER_MS / 2,
      socket: {
        connectTimeout: ANSWER_MS,
        socketTimeout: ANSWER_MS,
        // A store that refuses the password will refuse it again.
        reconnectStrategy: (retries, cause) =>
          cause instanceof library.ErrorReply ? cause : Math.min(100 * 2 ** retries, ANSWER_MS),
      },
    });
    this.#client.on('error', (error: Error) => {
      this.#lost = error;
    });
  }

  async lease(rate: RequestRate, wanted: number): Promise<Lease> {
    const divisor = Math.ceil(rate.count / MAX_PERMITS);
    const count = Math.floor(rate.count / divisor);
    this.#windowUs = Math.ceil(((rate.perMs * count) / rate.count + MARGIN_MS) * 1000);
    this.#leases += 1;
    const name = `${this.#holder}:${this.#leases}:`;
    const hold = this.#windowUs + HOLD_MS * 1000;
    const times = [this.#windowUs, hold, AHEAD_MS * 1000, SLACK_MS * 1000];
    const answer = await this.#eval(LEASE, [
      `${rate.count}/${rate.perMs}`,
      count,
      ...times,
      wanted,
      name,
      KEEP_MS + rate.perMs,
    ]);
    if (!Array.isArray(answer)) {
      const [other, perMs = 0] = String(answer).split('/').map(Number);
      throw new RateStoreRefusal(
        `other processes use ${other} requests per ${perMs / 1000} s for this address and key. Use the same --rate, or wait until they end`,
      );
    }
    const [epoch, pausedUs, waitUs, ...inUs] = answer;
    return {
      epoch: String(epoch),
      windowMs: this.#windowUs / 1000,
      pausedMs: Number(pausedUs) / 1000,
      waitMs: Number(waitUs) / 1000,
      permits: inUs.map((us, index) => ({ id: `${name}${index + 1}`, inMs: Number(us) / 1000 })),
    };
  }

  answered(permit: string): void {
    void this.#try(() => this.#eval(ANSWERED, [this.#windowUs, permit]));
  }

  release(permits: readonly string[]): void {
    if (permits.length > 0) void this.#try(() => this.#client.zRem(this.#keys[0], [...permits]));
  }

  pause(ms: number): void {
    void this.#try(() => this.#eval(PAUSE, [Math.ceil(ms * 1000)]));
  }

  async close(): Promise<void> {
    if (this.#client.isReady) await this.#try(() => withTimeout(this.#client.close()));
    if (this.#client.isOpen) this.#client.destroy();
  }

  /** Permits expire if the store does not hear of it. The next lease fails and reports the outage. */
  async #try(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#lost = error instanceof Error ? error : new Error(String(error));
    }
  }

  async #eval(script: string, args: readonly (string | number)[]): Promise<unknown> {
    try {
      if (!this.#client.isReady) await withTimeout(this.#connect());
      return await withTimeout(this.#client.eval(script, { keys: this.#keys, arguments: args.map(String) }));
    } catch (error) {
      throw this.#explain(error);
    }
  }

  /** The client tries until it is connected. Rejects if one try fails. */
  #connect(): Promise<unknown> {
    const ready = once(this.#client, 'ready');
    if (this.#isStarted) return ready;
    this.#isStarted = true;
    return Promise.race([this.#client.connect(), ready]);
  }

  /** The client says only that it is offline; the reason was an event. */
  #explain(error: unknown): unknown {
    const { ErrorReply, ClientOfflineError, ClientClosedError } = this.#library;
    const isOffline =
      error instanceof ClientOfflineError || error instanceof ClientClosedError || error instanceof Slow;
    const cause = isOffline ? (this.#lost ?? error) : error;
    if (!(cause instanceof ErrorReply) || PASSING.test(cause.message)) return cause;
    return new RateStoreRefusal(cause.message.replace(/\.$/, ''));
  }
}

/** Errors of a store that is starting, failing over, or busy. */
const PASSING = /^(LOADING|BUSY|TRYAGAIN|MASTERDOWN|CLUSTERDOWN|READONLY|OOM|MISCONF|NOREPLICAS)/;

class Slow extends Error {}

async function withTimeout<T>(promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const slow = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Slow(`no answer within ${ANSWER_MS / 1000} s`)), ANSWER_MS);
  });
  try {
    return await Promise.race([promise, slow]);
  } finally {
    clearTimeout(timer);
  }
}
