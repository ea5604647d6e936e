/** Read-back with filters, and the state file that outlives the sandbox. */
import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.ts';
import { event, ingest, KEY, opened, SIGNALS, SOCIAL, signal } from '../support/open-sandbox.ts';
import { call, lines, post } from '../support/sandbox-client.ts';

const { start, newFolder } = opened();

async function read(sandbox: Sandbox, where: string): Promise<Record<string, unknown>[]> {
  const reply = await call(`${sandbox.url}/sandbox/${where}`);
  expect(reply.status, reply.text).toBe(200);
  return lines(reply.text);
}

describe('read-back', () => {
  const quillon = {
    company_name: 'Quillon Software',
    company_domain: 'quillon.example',
    signal_title: 'Hiring',
    signal_source: 'job_posting',
  };
  const tiny = { ...quillon, company_name: 'Zephyr Drones', company_domain: 'zephyrdrones.example' };

  async function filled(): Promise<Sandbox> {
    const sandbox = await start();
    await ingest(sandbox, [quillon, quillon, tiny, signal(1), {}]);
    await ingest(sandbox, [event, { ...event, engagement_type: 'like', company_domain: 'quillon.example' }], SOCIAL);
    return sandbox;
  }

  test.each([
    ['', 7],
    ['?type=social', 2],
    ['?status=deduplicated', 1],
    ['?status=rejected', 1],
    ['?n=1', 5],
    ['?n=9', 0],
    ['?family=hiring', 2],
    ['?account=QUILLON.example', 2],
    ['?account=quillon%20software&type=signals', 1],
    ['?icp=false', 1],
    ['?icp=true', 4],
    ['?promoted=true', 1],
    ['?promoted=false', 6],
    ['?text=ZEPHYR', 1],
    ['?last=3', 3],
    ['?last=1&type=signals&status=accepted', 1],
    ['?last=0', 0],
    ['?batch=none', 0],
  ])('of records%s gives %i', async (query, count) => {
    expect(await read(await filled(), `records${query}`)).toHaveLength(count);
  });

  test('returns the last records in order of arrival', async () => {
    const records = await read(await filled(), 'records?last=3');
    expect(records.map(({ n, status }) => [n, status])).toStrictEqual([
      [1, 'rejected'],
      [2, 'accepted'],
      [2, 'accepted'],
    ]);
  });

  test('lists the batches, and the records of one', async () => {
    const sandbox = await filled();
    await post(sandbox.url + SIGNALS, 'wrong', {});
    const batches = await read(sandbox, 'batches');
    expect(batches).toStrictEqual([
      {
        n: 1,
        time: expect.any(String),
        type: 'signals',
        batchId: expect.stringMatching(/^batch_/),
        status: 200,
        records: 5,
        bytes: expect.any(Number),
        accepted: 3,
        deduplicated: 1,
        rejected: 1,
      },
      expect.objectContaining({ n: 2, type: 'social', accepted: 2, rejected: 0, promoted: 1 }),
    ]);
    expect(await read(sandbox, 'batches?type=social')).toHaveLength(1);
    expect(await read(sandbox, 'requests?type=signals')).toHaveLength(2);
    expect(await read(sandbox, `records?batch=${String(batches[0]?.['batchId'])}`)).toHaveLength(5);
    expect(await read(sandbox, `records?n=2&batch=${String(batches[0]?.['batchId'])}`)).toHaveLength(0);
  });

  test.each(['records?typ=signals', 'records?status=ok', 'records?icp=1', 'records?last=-1', 'batches?type=people'])(
    'refuses %s',
    async (where) => {
      expect((await call(`${(await start()).url}/sandbox/${where}`)).status).toBe(400);
    },
  );

  test('returns the data of the page', async () => {
    const sandbox = await filled();
    await post(sandbox.url + SIGNALS, 'wrong', {});
    const summary = JSON.parse((await call(`${sandbox.url}/sandbox/summary`)).text);
    expect(summary).toMatchObject({
      requests: 3,
      refused: 1,
      batches: { signals: 1, social: 1 },
      records: {
        signals: { accepted: 3, deduplicated: 1, rejected: 1 },
        social: { accepted: 2, deduplicated: 0, rejected: 0 },
      },
      qualified: 4,
      promoted: 1,
      unmatched: 2,
      contacts: 0,
      families: [
        { name: 'hiring', count: 2 },
        { name: 'expansion', count: 1 },
      ],
    });
    expect(summary.accounts[0]).toStrictEqual({
      name: 'Quillon Software',
      domain: 'quillon.example',
      signals: 1,
      events: 1,
      deals: 0,
    });
    expect(summary.lastBatches).toMatchObject([{ type: 'social' }, { type: 'signals' }]);
    expect(summary.lastFailures).toMatchObject([{ status: 401 }]);
    expect(summary.timeline.steps.at(-1)).toMatchObject({ processed: expect.any(Number), failed: 1 });
    expect(summary.promotions).toMatchObject([{ deal: 'deal_1', title: expect.stringContaining('linkedin') }]);
    await call(`${sandbox.url}/sandbox/reset`, { method: 'POST' });
    const empty = JSON.parse((await call(`${sandbox.url}/sandbox/summary`)).text);
    expect(empty).toMatchObject({ requests: 0, lastBatches: [], lastFailures: [], families: [] });
    expect(empty.version).toBeGreaterThan(summary.version);
  });
});

describe('the state file', () => {
  test('restores the next sandbox to where the last one ended', async () => {
    const state = path.join(newFolder(), 'state.ndjson');
    const first = await startSandbox({ key: KEY, state });
    const warm = { ...event, company_domain: 'new.example', engager_profile_url: 'https://x.com/ana' };
    await ingest(first, [signal(1), signal(1), {}]);
    await ingest(first, [warm], SOCIAL);
    await post(first.url + SIGNALS, 'wrong', {});
    const before = await Promise.all(['records', 'requests', 'batches'].map((where) => read(first, where)));
    const summary = JSON.parse((await call(`${first.url}/sandbox/summary`)).text);
    await first.close();

    const second = await start({ state });
    expect(await Promise.all(['records', 'requests', 'batches'].map((where) => read(second, where)))).toStrictEqual(
      before,
    );
    expect(JSON.parse((await call(`${second.url}/sandbox/summary`)).text)).toStrictEqual(summary);
    // Keys, people, accounts and deals are there too, and requests are numbered on.
    expect(JSON.parse((await ingest(second, [signal(1)])).text).stats.deduplicated).toBe(1);
    await ingest(second, [warm, { ...warm, engager_profile_url: 'https://x.com/ben' }], SOCIAL);
    expect(await read(second, 'records?n=5')).toMatchObject([
      { contact: { id: 'contact_1' }, account: { by: 'domain' }, deal: 'deal_2' },
      { contact: { id: 'contact_2' }, account: { by: 'domain' }, deal: 'deal_3' },
    ]);
    expect(readFileSync(state, 'utf8')).not.toContain(KEY);
    expect(statSync(state).mode & 0o777).toBe(0o600);
  });

  test('remembers that the sandbox was reset, and keeps the older lines', async () => {
    const state = path.join(newFolder(), 'state.ndjson');
    const first = await startSandbox({ key: KEY, state });
    await ingest(first, [signal(1)]);
    await call(`${first.url}/sandbox/reset`, { method: 'POST' });
    await ingest(first, [signal(2)]);
    await first.close();
    const second = await start({ state });
    expect(await read(second, 'records')).toMatchObject([{ n: 2 }]);
    expect(JSON.parse((await ingest(second, [signal(1), signal(2)])).text).stats).toMatchObject({
      accepted: 1,
      deduplicated: 1,
    });
    expect(readFileSync(state, 'utf8')).toContain('Company 1');
  });

  test('loses only an incomplete last line', async () => {
    const state = path.join(newFolder(), 'state.ndjson');
    const first = await startSandbox({ key: KEY, state });
    await ingest(first, [signal(1)]);
    await first.close();
    const whole = readFileSync(state, 'utf8');
    appendFileSync(state, '{"v":1,"request":{"n":2,"ti');
    const second = await startSandbox({ key: KEY, state });
    expect(readFileSync(state, 'utf8')).toBe(whole);
    await ingest(second, [signal(2)]);
    await second.close();
    expect(await read(await start({ state }), 'records')).toHaveLength(2);
  });

  test.each([
    ['a line that is none of it', '{"v":1,"reset":true}\nhello\n', 2],
    ['a line of another version', '{"v":2,"reset":true}\n', 1],
  ])('is refused with %s', async (_what, text, line) => {
    const state = path.join(newFolder(), 'state.ndjson');
    writeFileSync(state, text);
    await expect(startSandbox({ key: KEY, state })).rejects.toMatchObject({
      problems: [{ code: 'sandbox.state', where: `${state}:${line}` }],
    });
    expect(readFileSync(state, 'utf8')).toBe(text);
  });

  test('survives kill -9: every batch with a receipt is in it', async () => {
    const root = path.join(import.meta.dirname, '..', '..');
    const state = path.join(newFolder(), 'state.ndjson');
    const bin = path.join(root, 'bin', 'signals.js');
    const child = spawn(process.execPath, [bin, 'sandbox', '--key', KEY, '--state', state], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    await expect.poll(() => text).toContain('Press Ctrl-C to stop it.');
    const url = /base URL +(\S+)/.exec(text)?.[1] ?? '';
    const receipts = new Set<string>();
    let next = 0;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    const sender = async (): Promise<void> => {
      for (;;) {
        const reply = await post(url + SIGNALS, KEY, { signals: [signal(next++)] }).catch(() => undefined);
        if (reply === undefined) return;
        receipts.add(JSON.parse(reply.text).batchId);
        if (receipts.size === 60) child.kill('SIGKILL');
      }
    };
    await Promise.all([sender(), sender(), sender(), sender()]);
    await ended;
    expect(receipts.size).toBeGreaterThanOrEqual(60);
    const after = await start({ state });
    const kept = new Set((await read(after, 'batches')).map(({ batchId }) => String(batchId)));
    expect([...receipts].filter((id) => !kept.has(id))).toStrictEqual([]);
    expect(await read(after, 'records')).toHaveLength(kept.size);
  });
});
