/** Sending again what a run did not deliver, on the built program. The service's log is the witness. */
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { RunEvent } from '../../src/model/event.ts';
import {
  at,
  csvOf,
  plainRow,
  recordsAt,
  run,
  runFolder,
  runIds,
  service,
  socialCsv,
  start,
  summaryOf,
  workspace,
  write,
} from '../support/program.ts';

async function journal(folder: string): Promise<readonly RunEvent[]> {
  const text = await readFile(path.join(folder, 'journal.ndjson'), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const nowhere = { SIGNALS_BASE_URL: 'http://127.0.0.1:1', SIGNALS_API_KEY: 'right-key' };

test('a run folder is replayed on another machine, with the very bytes that were sealed, as a run of its own', async () => {
  const cwd = await workspace();
  const there = await service();
  await write(
    cwd,
    'in.csv',
    csvOf(260, (n) => (n % 40 === 0 ? `,x,T,news,2026-11-20` : plainRow(n).replace('round', 'round\u2028é'))),
  );
  const failed = await run(cwd, ['upload', 'in.csv', '--setting', 'retries=0', '--json'], { env: nowhere });
  expect(failed.code).toBe(4);
  const parent = await runFolder(cwd);
  const elsewhere = path.join(cwd, 'carried');
  await mkdir(elsewhere);
  await rename(parent, path.join(elsewhere, path.basename(parent)));
  await rm(path.join(cwd, 'in.csv'));

  const args = ['replay', path.join(elsewhere, path.basename(parent)), '--base-url', there.url, '--yes', '--json'];
  const ended = await run(cwd, args, { env: at(there) });
  expect(ended.code).toBe(0);
  expect(summaryOf(ended)).toMatchObject({
    state: 'complete',
    balanced: true,
    rows: { read: 254, delivered: 254, invalid: 0 },
    batches: { sealed: 3, delivered: 3 },
  });
  const sealed = (await journal(path.join(elsewhere, path.basename(parent)))).flatMap((event) =>
    event.event === 'batch.sealed' ? [event.digest] : [],
  );
  expect(there.requests().map(({ digest }) => digest)).toEqual(expect.arrayContaining(sealed));
  expect(there.requests()).toHaveLength(3);
  const child = summaryOf(ended)['folder'];
  if (typeof child !== 'string') throw new Error('the summary names no folder');
  expect(path.dirname(child)).toBe(elsewhere);
  expect(JSON.parse(await readFile(path.join(child, 'run.json'), 'utf8'))).toMatchObject({
    parent: path.basename(parent),
    takes: { [path.basename(parent)]: ['1', '2', '3'] },
  });
  expect(await readFile(path.join(child, 'results.csv'), 'utf8')).toContain('in.csv,2 to 103,');
  expect(await readdir(child)).not.toContain('replay.ndjson');

  const again = await run(cwd, args, { env: at(there) });
  expect(again.code).toBe(0);
  expect(there.requests()).toHaveLength(3);
  // Nor does the run itself send again what its replay has delivered.
  const shown = JSON.parse(
    (await run(cwd, ['runs', 'show', path.basename(parent), '--out', elsewhere, '--json'])).stdout,
  );
  expect(shown).toMatchObject({
    rows: { exhausted: 254, invalid: 6 },
    left: { exhausted: 0 },
    next: expect.stringContaining(` fix ${path.basename(parent)} `),
    lineage: {
      rows: { read: 260, delivered: 254, exhausted: 0, invalid: 6 },
      runs: [{}, { rows: { delivered: 254 } }],
    },
  });
  const text = await run(cwd, ['runs', 'show', path.basename(parent), '--out', elsewhere]);
  expect(text.stdout).toMatch(/^Of 260 rows of in\.csv, 254 are delivered with replays; nothing is left to send\.\n/);
});

test('what a replay leaves over is replayed by the next one, and nothing is sent twice', async () => {
  const cwd = await workspace();
  const there = await service({ injectFault: ({ n }) => (n === 2 ? { status: 400 } : undefined) });
  await write(cwd, 'in.csv', socialCsv(300));
  await run(cwd, ['upload', 'in.csv', '--setting', 'retries=0', '--quiet'], { env: nowhere });
  const [parent = ''] = await runIds(cwd);
  const to = ['--base-url', there.url, '--yes', '--json', '--concurrency', '1'];
  const first = await run(cwd, ['replay', 'last', ...to], { env: at(there) });
  expect(first.code).toBe(3);
  expect(summaryOf(first).rows).toMatchObject({ read: 300, delivered: 200, refused: 100 });

  // Nothing of it is exhausted any more, neither for a replay nor for a resume.
  expect((await run(cwd, ['replay', parent, ...to], { env: at(there) })).code).toBe(0);
  await run(cwd, ['resume', parent, ...to], { env: at(there) });
  expect(there.requests()).toHaveLength(3);

  const rest = await run(cwd, ['replay', parent, '--only', 'refused', ...to], { env: at(there) });
  expect(rest.code).toBe(0);
  expect(summaryOf(rest).rows).toMatchObject({ read: 100, delivered: 100 });
  const arrived = (await recordsAt(there)).map((record) => record['engager_name']);
  expect(new Set(arrived).size).toBe(300);
  expect(arrived).toHaveLength(300);
  const shown = await run(cwd, ['runs', 'show', parent]);
  expect(shown.stdout).toMatch(/total +300 rows +300 delivered/);
  expect(shown.stdout).toContain('Nothing left to do.');
  const rows = (await run(cwd, ['runs', 'show', parent, '--rows', 'exhausted'])).stdout.trimEnd().split('\n');
  expect(rows).toHaveLength(300);
  expect(rows[0]).toMatch(/^in\.csv:2 {2}batch 1: .*; replayed by /);
});

test('rows that a replay left and a later one delivered are not sent again from the earlier one', async () => {
  const cwd = await workspace();
  let isDown = true;
  const there = await service({ injectFault: ({ n }) => (n > 1 && isDown ? { status: 422 } : undefined) });
  await write(cwd, 'in.csv', socialCsv(300));
  const env = at(there);
  expect((await run(cwd, ['upload', 'in.csv', '--run-id', 'first', '--quiet'], { env })).code).toBe(3);
  const named = ['upload', 'in.csv', '--run-id', 'first'];
  const before = await run(cwd, named, { env });
  expect(before.code).toBe(3);
  expect(before.stdout).toMatch(
    /Of 300 rows: 100 delivered, 200 refused \(exit code 3\)\.\nWhat to do: .*runs show first\n/,
  );
  expect((await run(cwd, ['runs', 'show', 'first'])).stdout).toMatch(/fixed:\n.* replay first --only refused\n/);
  const refused = ['--only', 'refused', '--quiet'];
  expect((await run(cwd, ['replay', 'first', ...refused], { env })).code).toBe(3);
  const earlier = (await runIds(cwd)).find((id) => id !== 'first') ?? '';
  isDown = false;
  expect((await run(cwd, ['replay', 'first', ...refused], { env })).code).toBe(0);

  const again = await run(cwd, ['replay', earlier, '--only', 'refused'], { env });
  expect(again.stdout).toContain(`Nothing to replay: no rows of ${earlier} and its replays are refused.`);
  expect((await run(cwd, ['resume', '--all'], { env })).stdout).toContain('has anything left to send');
  expect((await run(cwd, named, { env })).code).toBe(0);
  expect(await recordsAt(there)).toHaveLength(300);
  expect((await run(cwd, ['runs'])).stdout).not.toContain('signals.js');
  expect((await run(cwd, ['runs', 'show', earlier])).stdout).toContain('Nothing left to do.');
});

test('events whose answer was lost are replayed only when it is asked for twice', async () => {
  const cwd = await workspace();
  const there = await service({ injectFault: ({ n }) => (n === 1 ? { status: 500 } : undefined) });
  await write(cwd, 'in.csv', socialCsv(150));
  const lost = await run(cwd, ['upload', 'in.csv', '--json', '--setting', 'canary=no'], { env: at(there) });
  expect(lost.code).toBe(4);
  expect(summaryOf(lost).rows).toMatchObject({ unknown: 100, delivered: 50 });
  expect((await run(cwd, ['replay', 'last'], { env: at(there) })).stdout).toContain('Nothing to replay');
  const refused = await run(cwd, ['replay', 'last', '--only', 'unknown'], { env: at(there) });
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('--setting on_unknown=resend');
  expect(there.requests()).toHaveLength(2);
  const args = ['replay', 'last', '--only', 'unknown', '--setting', 'on_unknown=resend', '--json'];
  const ended = await run(cwd, args, { env: at(there) });
  expect(ended.code).toBe(0);
  expect(summaryOf(ended).rows).toMatchObject({ read: 100, delivered: 100 });
});

test('what may have been processed stays unknown when its replay never reaches the service', async () => {
  const cwd = await workspace();
  const there = await service({ injectFault: () => ({ status: 500 }) });
  await write(cwd, 'in.csv', csvOf(100));
  const lost = await run(cwd, ['upload', 'in.csv', '--setting', 'retries=0', '--json'], { env: at(there) });
  expect(summaryOf(lost).rows).toMatchObject({ unknown: 100 });
  const ended = await run(
    cwd,
    ['replay', 'last', '--setting', 'retries=0', '--base-url', 'http://127.0.0.1:1', '--yes', '--json'],
    { env: at(there) },
  );
  expect(ended.code).toBe(4);
  expect(summaryOf(ended).rows).toMatchObject({ read: 100, unknown: 100, exhausted: 0 });
});

test('a payload that was changed is not sent, and no folder is left of the attempt', async () => {
  const cwd = await workspace();
  const there = await service();
  await write(cwd, 'in.csv', csvOf(200));
  await run(cwd, ['upload', 'in.csv', '--setting', 'retries=0', '--quiet'], { env: nowhere });
  const file = path.join(await runFolder(cwd), 'undelivered.ndjson');
  await writeFile(file, (await readFile(file, 'utf8')).replace('Company 150', 'Company 151'));
  const ended = await run(cwd, ['replay', 'last', '--base-url', there.url, '--yes'], { env: at(there) });
  expect(ended.code).toBe(2);
  expect(ended.stderr).toContain('batch 2');
  expect(there.requests()).toHaveLength(0);
  expect(await runIds(cwd)).toHaveLength(1);
});

test('a replay that is killed goes on with resume, and until then nobody else replays its batches', async () => {
  const cwd = await workspace();
  // As long as the first replay is there the third request hangs: the second one may start as slowly as it likes.
  let killed = false;
  const there = await service({
    injectFault: ({ n }) => (n > 2 && !killed ? { hang: 'before' } : undefined),
  });
  await write(cwd, 'in.csv', csvOf(400));
  await run(cwd, ['upload', 'in.csv', '--setting', 'retries=0', '--quiet'], { env: nowhere });
  const [parent = ''] = await runIds(cwd);
  const to = ['--base-url', there.url, '--yes', '--concurrency', '1'];
  const { child, ended } = start(cwd, ['replay', parent, ...to], { env: at(there) });
  while (there.requests().length < 2) await sleep(10);
  expect((await run(cwd, ['replay', parent, ...to], { env: at(there) })).code).toBe(7);
  child.kill('SIGKILL');
  await ended;
  killed = true;
  const early = await run(cwd, ['replay', parent, ...to], { env: at(there) });
  expect(early.code).toBe(2);
  expect(early.stderr).toMatch(/signals\.js resume \S+/);
  const before = there.requests().length;
  const resumed = await run(cwd, ['resume', 'last', '--json'], { env: at(there) });
  expect(resumed.code).toBe(0);
  expect(summaryOf(resumed)).toMatchObject({
    state: 'complete',
    balanced: true,
    rows: { read: 400, delivered: 400 },
    batches: { sealed: 4 },
  });
  expect(there.requests().length - before).toBeLessThan(4);
  expect(new Set((await recordsAt(there)).map((record) => record['company_name'])).size).toBe(400);
});

test('a replay isolates a record that the service refuses, and what was split is replayed by its parts', async () => {
  const cwd = await workspace();
  let poison = true;
  const there = await service({
    injectFault: ({ records }) =>
      poison && (records === 100 || records === 50 || records === 7) ? { status: 422 } : undefined,
  });
  await write(cwd, 'in.csv', csvOf(200));
  await run(cwd, ['upload', 'in.csv', '--setting', 'retries=0', '--quiet'], { env: nowhere });
  const [parent = ''] = await runIds(cwd);
  const to = ['--base-url', there.url, '--yes', '--json', '--concurrency', '1'];
  const first = await run(cwd, ['replay', parent, ...to], { env: at(there) });
  expect(first.code).toBe(0);
  expect(summaryOf(first)).toMatchObject({ balanced: true, rows: { read: 200, delivered: 200 } });
  expect(Number((summaryOf(first)['batches'] as Record<string, number>)['split'])).toBeGreaterThan(0);
  poison = false;
  expect((await run(cwd, ['replay', parent, ...to], { env: at(there) })).code).toBe(0);
  const arrived = (await recordsAt(there)).map((record) => record['company_name']);
  expect(arrived).toHaveLength(200);
  expect(new Set(arrived).size).toBe(200);
});

test('a record that the service refuses in a replay stands in its rejects file, and can be corrected there', async () => {
  const cwd = await workspace();
  const there = await service({
    injectFault: ({ elements }) =>
      JSON.stringify(elements).includes('"Company 7"') ? { status: 422, body: 'no such company' } : undefined,
  });
  await write(cwd, 'in.csv', csvOf(20));
  await run(cwd, ['upload', 'in.csv', '--setting', 'retries=0', '--quiet'], { env: nowhere });
  const [parent] = await runIds(cwd);
  const ended = await run(cwd, ['replay', 'last', '--base-url', there.url, '--yes'], { env: at(there) });
  expect(ended.code).toBe(3);
  const replayed = (await runIds(cwd)).find((id) => id !== parent) ?? '';
  const rejects = path.join('signals-runs', replayed, 'rejects', 'in.ndjson');
  const lines = (await readFile(path.join(cwd, rejects), 'utf8')).trimEnd().split('\n');
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    _line: 8,
    _reason: expect.stringContaining('no such company'),
    company_name: 'Company 7',
  });
  const [, words = ''] = /signals\.js (upload --type signals .*in\.ndjson)/.exec(ended.stdout) ?? [];
  expect(words).toContain('--variant');
  await writeFile(path.join(cwd, rejects), (lines[0] ?? '').replace('Company 7', 'Company Seven'));
  const corrected = await run(cwd, [...words.split(' '), '--json'], { env: at(there) });
  expect(corrected.code, corrected.stderr).toBe(0);
  expect(summaryOf(corrected).rows).toMatchObject({ read: 1, delivered: 1 });
  const received = await recordsAt(there);
  expect(received.map((record) => record['company_name'])).toContain('Company Seven');
});

test('the summary of a run and of its replay name the file with what was not delivered', async () => {
  const cwd = await workspace();
  await write(cwd, 'in.csv', csvOf(120));
  const failed = await run(cwd, ['upload', 'in.csv', '--setting', 'retries=0'], { env: nowhere });
  expect(failed.stdout).toContain('undelivered.ndjson');
  const ended = await run(cwd, ['replay', 'last', '--setting', 'retries=0'], { env: nowhere });
  expect(ended.code).toBe(4);
  expect(ended.stdout).toContain('undelivered.ndjson');
});
