/** The page at `/`. */
import { expect, test } from 'vitest';
import { event, ingest, KEY, opened, SIGNALS, SOCIAL, signal } from '../support/open-sandbox.ts';
import { call, post } from '../support/sandbox-client.ts';

const { start } = opened();

function cellsOf(page: string): readonly string[] {
  return [...page.matchAll(/<td>(?:<a[^>]*>)?([^<]*)/g)].map(([, text = '']) => text);
}

test('is at the root, allows no script, says how to upload, and is not logged', async () => {
  const sandbox = await start();
  const reply = await call(`${sandbox.url}/`);
  expect(reply.status).toBe(200);
  expect(reply.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(reply.headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-/);
  expect(reply.headers['content-security-policy']).not.toContain('script-src');
  expect(reply.text).toContain('Nothing has arrived');
  expect(reply.text).toContain(`<code>SIGNALS_API_KEY=${KEY} signals upload --base-url ${sandbox.url} FILE</code>`);
  expect(sandbox.requests()).toStrictEqual([]);
  expect((await call(`${sandbox.url}/`, { headers: { host: 'records.example' } })).status).toBe(403);
  const head = await call(`${sandbox.url}/`, { method: 'HEAD' });
  expect([head.status, head.text]).toStrictEqual([200, '']);
});

test('shows what was stored, of the types that arrived', async () => {
  const sandbox = await start();
  await ingest(sandbox, [signal(1), signal(1), {}]);
  const { text } = await call(`${sandbox.url}/`);
  expect(text).toContain('Market signals: 1 batch, 1 accepted, 1 deduplicated, 1 rejected.');
  expect(text).not.toContain('Social events');
  expect(cellsOf(text)).toContain('1 accepted, 1 deduplicated, 1 rejected');
  await ingest(sandbox, [event, { ...event, warmth_hint: 1 }], SOCIAL);
  const both = (await call(`${sandbox.url}/`)).text;
  expect(both).toContain('Social events: 1 batch, 2 accepted, 0 rejected, 1 promoted.');
});

test('shows equal failures once, with markup of clients escaped', async () => {
  const sandbox = await start();
  for (let n = 0; n < 3; n += 1) await post(sandbox.url + SIGNALS, 'a wrong key', { signals: [signal(1)] });
  await call(`${sandbox.url}/x&y`);
  const { text } = await call(`${sandbox.url}/`);
  expect(cellsOf(text).slice(0, 3)).toStrictEqual(['3', `POST ${SIGNALS}`, '401']);
  expect(cellsOf(text)).toContain('GET /x&amp;y');
  expect(text).not.toContain('Last batches');
});

test('leads to all batches', async () => {
  const sandbox = await start();
  for (let n = 1; n <= 60; n += 1) await ingest(sandbox, [signal(n)]);
  let next: string | undefined = '/';
  const numbers: number[] = [];
  while (next !== undefined) {
    const { text, headers } = await call(sandbox.url + next);
    expect(headers['refresh']).toBe(next === '/' ? '2' : undefined);
    numbers.push(...[...text.matchAll(/records\?n=(\d+)"/g)].map(([, n]) => Number(n)));
    [, next] = /href="(\/\?before=\d+)"/.exec(text) ?? [];
  }
  expect(numbers).toStrictEqual(Array.from({ length: 60 }, (_, index) => 60 - index));
  expect((await call(`${sandbox.url}/sandbox/records?n=60`)).text).toContain('Company 60');
});
