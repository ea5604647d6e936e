/** The built program behind a forward proxy. The service has a name that only the proxy can resolve. */
import { expect, test } from 'vitest';
import { csvOf, type Ended, run, service, summaryOf, workspace, write } from '../support/program.ts';
import { startProxy } from '../support/proxy.ts';

const SERVICE = 'http://service.test';

async function upload(env: NodeJS.ProcessEnv, baseUrl = SERVICE, rows = 100): Promise<Ended> {
  const cwd = await workspace();
  await write(cwd, 'in.csv', csvOf(rows));
  const options = ['--base-url', baseUrl, '--allow-http', '--yes', '--json', '--retry-max-time', '1s'];
  return run(cwd, ['upload', 'in.csv', ...options], { env: { SIGNALS_API_KEY: 'right-key', ...env } });
}

test.each(['HTTP_PROXY', 'http_proxy'])('sends every row through the proxy named by %s', async (name) => {
  const sandbox = await service();
  const proxy = await startProxy(sandbox.url);
  const ended = await upload({ [name]: proxy.url });
  expect(summaryOf(ended)).toMatchObject({ balanced: true, rows: { read: 100, delivered: 100 } });
  expect(ended.code).toBe(0);
  expect(new Set(proxy.connects)).toEqual(new Set(['service.test:80']));
});

test('sends the credentials in the address of the proxy', async () => {
  const sandbox = await service();
  const proxy = await startProxy(sandbox.url, { credentials: 'ann:p w' });
  const ended = await upload({ HTTP_PROXY: proxy.url.replace('//', '//ann:p%20w@') });
  expect([ended.code, summaryOf(ended).rows['delivered']]).toEqual([0, 100]);
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

test('stops with everything pending if the proxy refuses to connect', async () => {
  const sandbox = await service();
  const proxy = await startProxy(sandbox.url, { answer: '403 Forbidden' });
  const ended = await upload({ HTTP_PROXY: proxy.url });
  expect(ended.code).toBe(6);
  expect(summaryOf(ended)).toMatchObject({ state: 'stopped', rows: { pending: 100, unknown: 0 } });
  expect(ended.stderr).toMatch(/proxy.*403/s);
});

test('retries if the proxy cannot be reached, then stops with everything pending', async () => {
  const ended = await upload({ HTTP_PROXY: 'http://127.0.0.1:9' });
  expect(ended.code).toBe(6);
  expect(summaryOf(ended)).toMatchObject({ state: 'stopped', rows: { pending: 100, unknown: 0 } });
  expect(ended.stderr).toMatch(/ECONNREFUSED/);
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
    const ended = await upload({ HTTPS_PROXY: address });
    expect(ended.code).toBe(2);
    expect(JSON.parse(ended.stdout)).toMatchObject({ exitCode: 2, errors: [{ code: 'setting.proxy' }] });
    expect(ended.stderr).toContain('HTTPS_PROXY');
  },
);
