/** Processes that share one rate through a real Redis, judged at the service. */
import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import type { Sandbox } from '../../src/sandbox/index.ts';
import {
  at,
  everythingIn,
  expectEnd,
  program,
  type Running,
  readRun,
  root,
  run,
  service,
  start,
  summaryOf,
  test,
  workspace,
  writeCsv,
} from '../support/program.ts';
import { hasRedis, redisServer } from '../support/redis.ts';

const OPTIONS = ['upload', 'in.csv', '--batch-size', '1', '--setting', 'canary=no', '--json', '--verbose'];

async function inputOf(rows: number): Promise<string> {
  const cwd = await workspace();
  await writeCsv(cwd, 'in.csv', rows);
  return cwd;
}

/** Most requests that arrived within any `ms`. */
function busiest(sandbox: Sandbox, ms: number): number {
  const times = sandbox.requests().map(({ at: time }) => time);
  return Math.max(...times.map((from) => times.filter((time) => time >= from && time < from + ms).length));
}

/** Requests that arrived in this time, by the system's clock. */
function between(sandbox: Sandbox, from: number, to: number): readonly unknown[] {
  return sandbox.requests().filter(({ time }) => Date.parse(time) > from && Date.parse(time) < to);
}

test('the store needs a rate, and its password is not an argument', async () => {
  const cwd = await inputOf(1);
  const env = { SIGNALS_BASE_URL: 'http://127.0.0.1:9', SIGNALS_API_KEY: 'right-key' };
  const alone = await run(cwd, [...OPTIONS, '--setting', 'rate_store=redis://127.0.0.1'], { env });
  expect([alone.code, JSON.parse(alone.stdout).errors[0].code]).toEqual([2, 'settings.rate_store']);
  const secret = await run(cwd, [...OPTIONS, '--rate', '5/s', '--setting', 'rate_store=redis://:xyzzy@127.0.0.1'], {
    env,
  });
  expect([secret.code, JSON.parse(secret.stdout).errors[0].code]).toEqual([2, 'settings.password']);
  expect(secret.stdout + secret.stderr).not.toContain('xyzzy');
});

test('without the client of the store, nothing is sent, and the message says how to install it', async ({ there }) => {
  const cwd = await inputOf(1);
  const folder = await mkdtemp(path.join(os.tmpdir(), 'signals-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const part of ['bin', 'dist', 'package.json'])
    await cp(path.join(root, part), path.join(folder, part), { recursive: true });
  const args = [...OPTIONS, '--rate', '5/s', '--setting', 'rate_store=redis://127.0.0.1:9'];
  const copy = path.join(folder, path.relative(root, program));
  const { status, stdout, stderr } = spawnSync(process.execPath, [copy, ...args], {
    cwd,
    encoding: 'utf8',
    env: { ...at(there), PATH: process.env['PATH'], HOME: cwd },
  });
  expect(status, stderr).toBe(2);
  expect(JSON.parse(stdout).errors[0]).toMatchObject({
    code: 'settings.rate_store_client',
    hint: expect.stringContaining('npm install @redis/client'),
  });
  expect(there.requests()).toEqual([]);
});

describe.skipIf(!hasRedis)('with Redis (Debian: redis-server)', () => {
  test('three processes, one of them killed, never exceed the rate together, and send every row', async () => {
    const [there, redis] = [await service(), await redisServer({ password: 'xyzzy' })];
    const env = { ...at(there), SIGNALS_RATE_STORE: redis.url };
    const cwds = await Promise.all([40, 40, 40].map(inputOf));
    const begin = (cwd: string): Running => start(cwd, [...OPTIONS, '--rate', '30/s'], { env });
    const first = begin(cwds[0] ?? '');
    // It must have begun its run before it is killed.
    await expect.poll(() => there.requests().length).toBeGreaterThan(0);
    const others = cwds.slice(1).map(begin);
    await expect.poll(() => there.requests().length).toBeGreaterThan(20);
    first.child.kill('SIGKILL');
    await first.ended;
    const resumed = await run(cwds[0] ?? '', ['resume', 'last', '--json', '--yes'], { env });
    for (const ended of [resumed, ...(await Promise.all(others.map((other) => other.ended)))]) {
      expectEnd(ended, 0, { rows: { delivered: 40 } });
    }
    expect(busiest(there, 1000)).toBeLessThanOrEqual(30);
    const files = await Promise.all(cwds.map(everythingIn));
    expect(files.join('\n')).not.toContain('xyzzy');
  });

  test('a wait that the service asks of one process holds for the other', async ({ there }) => {
    let throttled = 0;
    there.fault = () => {
      if (there.requests().length !== 10) return undefined;
      throttled = Date.now();
      return { status: 429, headers: { 'retry-after': '2' } };
    };
    const redis = await redisServer();
    const env = { ...at(there), SIGNALS_RATE_STORE: redis.url };
    const cwds = await Promise.all([30, 30].map(inputOf));
    const both = await Promise.all(cwds.map((cwd) => run(cwd, [...OPTIONS, '--rate', '20/s'], { env })));
    for (const ended of both) expect(ended.code, ended.stderr).toBe(0);
    expect(throttled).toBeGreaterThan(0);
    // What had a permit may still leave. Without the wait there would be about 40.
    expect(between(there, throttled, throttled + 2000).length).toBeLessThan(20);
    expect(both.map(({ stderr }) => stderr).join('')).toContain('another process');
  });

  test('while the store is away no request starts, and the run continues when it is back', async () => {
    const [there, redis] = [await service(), await redisServer()];
    const cwd = await inputOf(60);
    const args = [...OPTIONS, '--rate', '20/s', '--setting', `rate_store=${redis.url}`];
    const running = start(cwd, args, { env: at(there) });
    await expect.poll(() => there.requests().length).toBeGreaterThan(5);
    await redis.stop();
    const stopped = Date.now();
    await expect.poll(() => Date.now() - stopped).toBeGreaterThan(2500);
    const meanwhile = between(there, stopped, Date.now());
    await redis.start();
    const ended = await running.ended;
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).toMatch(/the rate store is unavailable \(.*\)/);
    // What had a permit may still leave. With the store there would be about 50.
    expect(meanwhile.length).toBeLessThan(20);
    expect(summaryOf(ended)).toMatchObject({ balanced: true, rows: { delivered: 60 } });
    expect(busiest(there, 1000)).toBeLessThanOrEqual(20);
    expect(JSON.parse(await readRun(cwd, 'run.json')).settings).toMatchObject({ rateStore: redis.url, rate: '20/s' });
  });

  test('a store that stays away, or refuses the password, stops the run, which can be resumed', async () => {
    const [there, redis] = [await service(), await redisServer({ password: 'xyzzy' })];
    const cwd = await inputOf(3);
    await redis.stop();
    const args = [...OPTIONS, '--rate', '20/s', '--setting', 'retry_max_time=1s'];
    const env = { ...at(there), SIGNALS_RATE_STORE: redis.url };
    const away = await run(cwd, args, { env });
    expect(away.code, away.stderr).toBe(6);
    expect(summaryOf(away)).toMatchObject({ stop: { code: 'rate' }, rows: { unknown: 0, exhausted: 0 } });
    expect(there.requests()).toEqual([]);
    await redis.start();
    const refused = await run(cwd, ['resume', 'last', '--json'], {
      env: { ...env, SIGNALS_RATE_STORE: redis.url.replace('xyzzy', 'plugh') },
    });
    expect([refused.code, summaryOf(refused)['stop']]).toMatchObject([6, { code: 'rate', message: /WRONGPASS/ }]);
    const ended = await run(cwd, ['resume', 'last', '--json'], { env });
    expect(ended.code, ended.stderr).toBe(0);
    expect(away.stderr + refused.stderr + refused.stdout + ended.stderr).not.toMatch(/xyzzy|plugh/);
  });

  test('a process with another rate stops, as long as others send', async () => {
    const [there, redis] = [await service(), await redisServer()];
    const env = { ...at(there), SIGNALS_RATE_STORE: redis.url };
    const [one, two] = [await inputOf(3000), await inputOf(3)];
    const running = start(one, [...OPTIONS, '--rate', '20/s'], { env });
    await expect.poll(() => there.requests().length).toBeGreaterThan(5);
    const other = await run(two, [...OPTIONS, '--rate', '50/s'], { env });
    expect([other.code, other.stderr]).toEqual([6, expect.stringContaining('other processes use 20 requests per 1 s')]);
    // It sends until the other one has seen it, however late that one started.
    running.child.kill('SIGINT');
    expect((await running.ended).code).toBe(130);
  });
});
