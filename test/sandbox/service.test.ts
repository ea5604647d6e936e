/** What the API leaves open: each test turns one switch (docs/sandbox.md). */
import { describe, expect, test } from 'vitest';
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

test.each([
  [SIGNALS, 'signals', signal(1)],
  [SOCIAL, 'events', event],
])('%s accepts 100 elements and refuses one more', async (where, envelope, element) => {
  const sandbox = await start();
  expect((await ingest(sandbox, Array(100).fill(element), where)).status).toBe(200);
  const reply = await ingest(sandbox, Array(101).fill(element), where);
  expect(reply.status).toBe(422);
  expect(reply.text).toContain(`\\"${envelope}\\" holds 101 records; at most 100.`);
});

test('accepts a body of 10 MiB and refuses one byte more', async () => {
  const sandbox = await start();
  const body = JSON.stringify({ signals: [signal(1)] });
  const padded = (bytes: number): string => body + ' '.repeat(bytes - body.length);
  expect((await post(sandbox.url + SIGNALS, KEY, undefined, { body: padded(10_485_760) })).status).toBe(200);
  const reply = await post(sandbox.url + SIGNALS, KEY, undefined, { body: padded(10_485_761) });
  expect(reply.status).toBe(413);
  expect(reply.text).toContain('10485760 bytes');
});
