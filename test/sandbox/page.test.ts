/** The page at `/`. */
import { expect, test } from 'vitest';
import { event, ingest, opened, SIGNALS, SOCIAL, signal } from '../support/open-sandbox.ts';
import { call, post } from '../support/sandbox-client.ts';

const { start } = opened();

test('is at the root, allows no script, and is not logged', async () => {
  const sandbox = await start();
  const reply = await call(`${sandbox.url}/`);
  expect(reply.status).toBe(200);
  expect(reply.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(reply.headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-/);
  expect(reply.headers['content-security-policy']).not.toContain('script-src');
  expect(reply.text).not.toMatch(/https?:\/\//);
  expect(reply.text).toContain('Nothing has arrived yet');
  expect(sandbox.requests()).toStrictEqual([]);
  expect((await call(`${sandbox.url}/`, { headers: { host: 'records.example' } })).status).toBe(403);
  const head = await call(`${sandbox.url}/`, { method: 'HEAD' });
  expect([head.status, head.text]).toStrictEqual([200, '']);
});

test('shows counts and the last requests, with markup of clients escaped', async () => {
  const sandbox = await start();
  await ingest(sandbox, [signal(1), signal(1), {}]);
  await ingest(sandbox, [event, { ...event, warmth_hint: 1 }], SOCIAL);
  await post(sandbox.url + SIGNALS, 'a wrong key', { signals: [signal(1)] });
  await call(`${sandbox.url}/<img>`).catch(() => undefined);
  await call(`${sandbox.url}/x&y`);
  const cells = (await call(`${sandbox.url}/`)).text.match(/(?<=<td>)[^<]*(?=<\/td>)/g) ?? [];
  expect(cells).toEqual(expect.arrayContaining(['market signals', '1 accepted, 1 deduplicated, 1 rejected']));
  expect(cells).toEqual(expect.arrayContaining(['social events', '2 accepted, 1 promoted', '401']));
  expect(cells).toContain('GET /x&amp;y');
});
