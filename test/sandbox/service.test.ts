/** What the interface leaves open: each test turns one switch (docs/sandbox.md). */
import { describe, expect, test } from 'vitest';
import { createRequestLimiter } from '../../src/sandbox/service.ts';
import { event, ingest, KEY, opened, SIGNALS, SOCIAL, signal } from '../support/open-sandbox.ts';
import { call, lines, post } from '../support/sandbox-client.ts';

const { start } = opened();

describe('variants', () => {
  const a = { company_name: 'A', signal_name: 'T', source: 'news' };
  const b = { company_name: 'B', company_domain: 'b.example', signal_title: 'T', signal_source: 'news' };
  const both = { ...a, ...b, company_name: 'C', company_domain: 'c.example' };

  test.each([
    ['either', ['accepted', 'accepted', 'accepted']],
    ['a', ['accepted', 'rejected', 'accepted']],
    ['b', ['rejected', 'accepted', 'accepted']],
    ['both', ['rejected', 'rejected', 'accepted']],
  ] as const)('accepts %s', async (variants, wanted) => {
    const sandbox = await start({ behaviour: { variants } });
    await ingest(sandbox, [a, b, both]);
    const kept = lines((await call(`${sandbox.url}/sandbox/records`)).text);
    expect(kept.map(({ status }) => status)).toStrictEqual(wanted);
  });
});

test('rejects signals that contain the text of reject, also when they come again', async () => {
  const sandbox = await start({ behaviour: { reject: 'Poison' } });
  const batch = [signal(1), { ...signal(2), company_name: 'Poison Ltd' }, signal(3)];
  for (const stats of [
    { accepted: 2, deduplicated: 0 },
    { accepted: 0, deduplicated: 2 },
  ]) {
    expect(JSON.parse((await ingest(sandbox, batch)).text).stats).toStrictEqual({ ...stats, rejected: 1 });
  }
  const kept = lines((await call(`${sandbox.url}/sandbox/records?status=rejected`)).text);
  expect(kept).toMatchObject(Array(2).fill({ reason: 'it contains "Poison"', record: { company_name: 'Poison Ltd' } }));
});

test('accepts maxEvents events and refuses one more', async () => {
  const sandbox = await start({ behaviour: { maxEvents: 250 } });
  expect((await ingest(sandbox, Array(250).fill(event), SOCIAL)).status).toBe(200);
  const reply = await ingest(sandbox, Array(251).fill(event), SOCIAL);
  expect(reply.status).toBe(422);
  expect(reply.text).toContain('\\"events\\" holds 251 records; at most 250.');
  expect(
    (
      await ingest(
        sandbox,
        Array.from({ length: 101 }, (_, n) => signal(n)),
      )
    ).status,
  ).toBe(422);
});

test('accepts a body of maxBody bytes and refuses one byte more', async () => {
  const sandbox = await start({ behaviour: { maxBody: 1000 } });
  const body = JSON.stringify({ signals: [signal(1)] });
  const padded = (bytes: number): string => body + ' '.repeat(bytes - body.length);
  expect((await post(sandbox.url + SIGNALS, KEY, undefined, { body: padded(1000) })).status).toBe(200);
  const reply = await post(sandbox.url + SIGNALS, KEY, undefined, { body: padded(1001) });
  expect(reply.status).toBe(413);
  expect(reply.text).toContain('1000 bytes');
});

test.each(['400', '413', '422'] as const)('a batch that is too large is refused with %s', async (overLimit) => {
  const batch = Array.from({ length: 103 }, (_, n) => signal(n));
  const sandbox = await start({ behaviour: { overLimit } });
  expect((await ingest(sandbox, batch)).status).toBe(Number(overLimit));
  expect(sandbox.requests()).toMatchObject([{ processed: false }]);
});

test('refuses the whole batch of an invalid event and processes nothing of it', async () => {
  const sandbox = await start({ behaviour: { invalidEvents: 'refuse' } });
  const reply = await ingest(sandbox, [event, { ...event, warmth_hint: 101 }], SOCIAL);
  expect(reply.status).toBe(422);
  expect(reply.text).toContain('\\"events\\"[1] is not valid: warmth_hint has a value that is not allowed.');
  expect(sandbox.requests()).toMatchObject([{ records: 2, processed: false }]);
  expect((await call(`${sandbox.url}/sandbox/records`)).text).toBe('');
  expect((await ingest(sandbox, [event], SOCIAL)).status).toBe(200);
});

describe('the rate limit', () => {
  test('accepts at most its count in any window, and returns the wait', () => {
    const wait = createRequestLimiter({ count: 2, perMs: 1000 });
    expect([0, 400, 500, 999].map(wait)).toStrictEqual([0, 0, 500, 1]);
    // Those that were turned away take no place.
    expect([1000, 1399, 1400, 1401].map(wait)).toStrictEqual([0, 1, 0, 599]);
  });

  test.each([
    ['seconds', { 'retry-after': '3600' }],
    ['reset', { 'ratelimit-reset': '3600' }],
    ['none', {}],
  ] as const)('answers 429 and says when in %s', async (retryAfter, headers) => {
    const sandbox = await start({ behaviour: { rateLimit: { count: 2, perMs: 3_600_000 }, retryAfter } });
    const statuses: number[] = [];
    for (let n = 0; n < 3; n++) statuses.push((await ingest(sandbox, [signal(n)])).status);
    expect(statuses).toStrictEqual([200, 200, 429]);
    const reply = await ingest(sandbox, [signal(9)]);
    expect(reply.headers).toMatchObject(headers);
    for (const name of ['retry-after', 'ratelimit-reset']) {
      if (!(name in headers)) expect(reply.headers).not.toHaveProperty(name);
    }
    expect(sandbox.requests().at(-1)).toMatchObject({ status: 429, processed: false });
  });
});

describe('the body of an error', () => {
  const message = 'Authorization must be "Bearer <API_KEY>" with a valid key.';

  test.each([
    ['object', 'application/json', JSON.stringify({ success: false, error: { code: 'unauthorized', message } })],
    ['flat', 'application/json', JSON.stringify({ success: false, message })],
    [
      'problem',
      'application/problem+json',
      JSON.stringify({ type: 'about:blank', title: 'unauthorized', status: 401, detail: message }),
    ],
    ['text', 'text/plain; charset=utf-8', `${message}\n`],
    [
      'html',
      'text/html; charset=utf-8',
      '<!doctype html>\n<title>401</title>\n<h1>401</h1>\n<p>Authorization must be &quot;Bearer &lt;API_KEY&gt;&quot; with a valid key.</p>\n',
    ],
    ['empty', undefined, ''],
  ] as const)('is %s', async (errors, type, text) => {
    const sandbox = await start({ behaviour: { errors } });
    const reply = await post(sandbox.url + SIGNALS, 'wrong', {});
    expect(reply.status).toBe(401);
    expect(reply.headers['content-type']).toBe(type);
    expect(reply.headers['www-authenticate']).toBe('Bearer');
    expect(reply.text).toBe(text);
    // A receipt is no error, and stays what the interface says.
    expect(JSON.parse((await ingest(sandbox, [signal(1)])).text)).toMatchObject({ success: true });
  });
});
