/** The built program behind a forward proxy. The service has a name that only the proxy can resolve. */
import path from 'node:path';
import { expect } from 'vitest';
import { type Ended, everythingIn, run, service, summaryOf, test, workspace, writeCsv } from '../support/program.ts';
import { startProxy } from '../support/proxy.ts';

const SERVICE = 'http://service.test';

async function upload(
  env: NodeJS.ProcessEnv,
  baseUrl = SERVICE,
  rows = 100,
  args: readonly string[] = [],
): Promise<Ended & { readonly cwd: string }> {
  const cwd = await workspace();
  await writeCsv(cwd, 'in.csv', rows);
  const options = ['--base-url', baseUrl, '--allow-http', '--yes', '--json', '--setting', 'retry_max_time=1s'];
  const environment = { SIGNALS_API_KEY: 'right-key', ...env };
  return { ...(await run(cwd, ['upload', 'in.csv', ...options, ...args], { env: environment })), cwd };
}

test.each(['HTTP_PROXY', 'http_proxy'])('sends every row through the proxy named by %s', async (name) => {
  const sandbox = await service();
  const proxy = await startProxy(sandbox.url);
  const ended = await upload({ [name]: proxy.url });
  expect(summaryOf(ended)).toMatchObject({ balanced: true, rows: { read: 100, delivered: 100 } });
  expect(ended.code).toBe(0);
  expect(new Set(proxy.connects)).toEqual(new Set(['service.test:80']));
});

test('SIGNALS_PROXY may contain a password, which no output and no file contains; proxy may not', async () => {
  const sandbox = await service();
  const proxy = await startProxy(sandbox.url, { credentials: 'ann:xyzzy' });
  const url = proxy.url.replace('//', '//ann:xyzzy@');
  const ended = await upload({ SIGNALS_PROXY: url });
  expect([ended.code, summaryOf(ended).rows['delivered']]).toEqual([0, 100]);
  expect(ended.stdout + ended.stderr + (await everythingIn(path.join(ended.cwd, 'signals-runs')))).not.toContain(
    'xyzzy',
  );
  const refused = await upload({}, SERVICE, 100, ['--setting', `proxy=${url}`]);
  expect(refused.code).toBe(2);
  expect(JSON.parse(refused.stdout)).toMatchObject({
    errors: [{ code: 'settings.password', where: '--setting proxy' }],
  });
  expect(refused.stdout + refused.stderr).not.toContain('xyzzy');
});

test('config set reads a proxy with a password from a pipe, and shows it without the password', async ({ cwd }) => {
  const input = 'http://ann:xyzzy@proxy.example:3128\n';
  const asArgument = await run(cwd, ['config', 'set', 'proxy', input.trim()]);
  expect([asArgument.code, asArgument.stderr]).toEqual([2, expect.stringContaining('SIGNALS_PROXY')]);
  const saved = await run(cwd, ['config', 'set', 'proxy'], { input });
  const got = await run(cwd, ['config', 'get', 'proxy']);
  expect(got.stdout).toBe('http://ann:***@proxy.example:3128/\n');
  expect(saved.stdout + saved.stderr + asArgument.stderr).not.toContain('xyzzy');
});

test('stops with everything pending if the proxy wants other credentials', async () => {
  const sandbox = await service();
  const proxy = await startProxy(sandbox.url, { credentials: 'ann:secret' });
  const ended = await upload({ HTTP_PROXY: proxy.url });
  expect(ended.code).toBe(6);
  expect(summaryOf(ended)).toMatchObject({ state: 'stopped', rows: { pending: 100, unknown: 0 } });
  expect(ended.stderr).toMatch(/proxy/);
  expect(ended.stderr).toMatch(/407/);
});

test('retries if the proxy cannot be reached, then stops with everything pending', async () => {
  const ended = await upload({ HTTP_PROXY: 'http://127.0.0.1:9' });
  expect(ended.code).toBe(6);
  expect(summaryOf(ended)).toMatchObject({ state: 'stopped', rows: { pending: 100, unknown: 0 } });
  expect(ended.stderr).toContain('no connection to the proxy for 1.0 s (127.0.0.1:9: ECONNREFUSED)');
});

test('does not use the proxy for hosts in NO_PROXY, nor for loopback', async () => {
  const sandbox = await service();
  const proxy = await startProxy(sandbox.url);
  const env = { HTTP_PROXY: proxy.url, NO_PROXY: 'service.test' };
  // The name cannot be resolved without the proxy.
  expect(summaryOf(await upload(env))).toMatchObject({ state: 'stopped', rows: { pending: 100 } });
  expect((await upload({ HTTP_PROXY: proxy.url }, sandbox.url)).code).toBe(0);
  expect(proxy.connects).toEqual([]);
});

test.each(['not a url', 'socks5://127.0.0.1:1080'])(
  'refuses the proxy address %j before anything is sent, and names the variable',
  async (address) => {
    const ended = await upload({ HTTP_PROXY: address });
    expect(ended.code).toBe(2);
    expect(JSON.parse(ended.stdout)).toMatchObject({ exitCode: 2, errors: [{ code: 'setting.proxy' }] });
    expect(ended.stderr).toContain('HTTP_PROXY');
  },
);
