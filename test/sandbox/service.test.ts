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
  const kept = lines((await call(`${sandbox.url}/sandbox/records`)).text);
  expect(kept.filter(({ status }) => status === 'rejected')).toMatchObject(
    Array(2).fill({ reason: 'it contains "Poison"', record: { company_name: 'Poison Ltd' } }),
  );
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

describe('the rate limit', () => {
  test('accepts at most its count in any window, and returns the wait', () => {
    const wait = createRequestLimiter({ count: 2, perMs: 1000 });
    expect([0, 400, 500, 999].map(wait)).toStrictEqual([0, 0, 500, 1]);
    // Those that were turned away take no place.
    expect([1000, 1399, 1400, 1401].map(wait)).toStrictEqual([0, 1, 0, 599]);
  });

  test('answers 429 and says when to send again', async () => {
    const sandbox = await start({ behaviour: { rateLimit: { count: 2, perMs: 3_600_000 } } });
    const statuses: number[] = [];
    for (let n = 0; n < 3; n++) statuses.push((await ingest(sandbox, [signal(n)])).status);
    expect(statuses).toStrictEqual([200, 200, 429]);
    expect((await ingest(sandbox, [signal(9)])).headers).toMatchObject({ 'retry-after': '3600' });
    expect(sandbox.requests().at(-1)).toMatchObject({ status: 429, processed: false });
  });
});
