/** Runs whose rows overlap. The service's log is the witness: no event arrives twice. */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import type { Sandbox } from '../../src/sandbox/index.ts';
import {
  at,
  expectEnd,
  printed,
  run,
  runInProcess,
  service,
  summaryOf,
  test,
  timesDelivered,
  workspace,
  write,
} from '../support/program.ts';

/** Events of the persons from one number to another. */
function eventsOf(first: number, last: number): string {
  const rows = Array.from({ length: last - first + 1 }, (_, n) => `linkedin,like,Person ${first + n}\n`);
  return `platform,engagement_type,engager_name\n${rows.join('')}`;
}

async function expectEachOnce(there: Sandbox, persons: number): Promise<void> {
  const counts = await timesDelivered(there, 'engager_name');
  expect([...counts].filter(([, times]) => times > 1)).toEqual([]);
  expect(counts.size).toBe(persons);
}

const SMALL = ['--batch-size', '10', '--concurrency', '1'];

test.each(['resume monday', 'resume --all', 'upload monday.csv --run-id monday'])(
  'what a later run has delivered is not sent again by `%s`',
  async (command) => {
    const cwd = await workspace();
    let isExpired = true;
    const there = await service({ injectFault: ({ n }) => (isExpired && n > 5 ? { status: 401 } : undefined) });
    const env = at(there);
    await write(cwd, 'monday.csv', eventsOf(1, 100));
    await write(cwd, 'tuesday.csv', eventsOf(31, 140));
    expect((await run(cwd, ['upload', 'monday.csv', '--run-id', 'monday', ...SMALL], { env })).code).toBe(5);
    isExpired = false;
    const tuesday = summaryOf(
      await runInProcess(cwd, ['upload', 'tuesday.csv', '--run-id', 'tuesday', '--json', ...SMALL], { env }),
    );
    expect(tuesday).toMatchObject({ rows: { skipped: 20, delivered: 90 }, sentBefore: { runs: { monday: 20 } } });

    const resumed = await runInProcess(cwd, [...command.split(' '), '--json'], { env });
    expectEnd(resumed, 0, {
      rows: { read: 100, delivered: 50, skipped: 50, pending: 0 },
      sentBefore: { runs: { tuesday: 50 } },
    });
    await expectEachOnce(there, 140);
    const rows = (await printed(cwd, 'runs', 'show', 'monday', '--rows', 'skipped')).trimEnd().split('\n');
    expect(rows).toHaveLength(50);
    expect(rows[0]).toBe('monday.csv:52  already delivered by tuesday');
  },
);

test('batches that were refused are sent again without what a later run has delivered', async ({ cwd, there }) => {
  let isRefusing = true;
  there.fault = ({ n }) => (isRefusing && n > 1 ? { status: 422, body: '{}' } : undefined);
  const env = at(there);
  await write(cwd, 'monday.csv', eventsOf(1, 40));
  await write(cwd, 'tuesday.csv', eventsOf(21, 45));
  expect(
    (await runInProcess(cwd, ['upload', 'monday.csv', '--run-id', 'monday', '--quiet', ...SMALL], { env })).code,
  ).toBe(3);
  isRefusing = false;
  expect((await runInProcess(cwd, ['upload', 'tuesday.csv', '--quiet'], { env })).code).toBe(0);
  // The payloads are in the run folder.
  await rm(path.join(cwd, 'monday.csv'));
  const resumed = await run(cwd, ['resume', 'monday', '--refused', '--json'], { env });
  expect(summaryOf(resumed)).toMatchObject({ balanced: true, rows: { delivered: 20, skipped: 20, refused: 0 } });
  await expectEachOnce(there, 45);
});

test('a run that was resumed at the corrected address is known there', async ({ cwd, there }) => {
  const wrong = await service({ injectFault: () => ({ status: 404 }) });
  await write(cwd, 'in.csv', eventsOf(1, 30));
  await write(cwd, 'more.csv', eventsOf(1, 50));
  expect((await runInProcess(cwd, ['upload', 'in.csv', '--quiet'], { env: at(wrong) })).code).toBe(6);
  const env = at(there);
  expect((await runInProcess(cwd, ['resume', 'last', '--base-url', there.url, '--yes', '--quiet'], { env })).code).toBe(
    0,
  );
  const more = summaryOf(await runInProcess(cwd, ['upload', 'more.csv', '--json'], { env }));
  expect(more.rows).toMatchObject({ skipped: 30, delivered: 20 });
  await expectEachOnce(there, 50);
});

test('uploads of overlapping rows at the same moment send each event once', async ({ cwd, there }) => {
  there.fault = () => ({ latencyMs: 20 });
  const env = { ...at(there), SIGNALS_STATE_DIR: path.join(cwd, 'state') };
  const text = eventsOf(1, 300);
  await write(cwd, 'in.csv', text);
  await write(cwd, 'more.csv', eventsOf(1, 310));
  await write(cwd, 'other.csv', eventsOf(101, 300).replace('platform,', 'Platform,'));
  await write(cwd, 'in.csv.gz', gzipSync(text));
  await mkdir(path.join(cwd, 'elsewhere'));
  const small = ['--batch-size', '10', '--json'];
  const ended = await Promise.all([
    run(cwd, ['upload', 'in.csv', ...small], { env }),
    run(cwd, ['upload', 'more.csv', ...small], { env }),
    run(cwd, ['upload', 'in.csv.gz', ...small], { env }),
    run(cwd, ['upload', '-', ...small], { env, input: eventsOf(1, 300).replace('like,Person 300', 'like,Person 311') }),
    run(path.join(cwd, 'elsewhere'), ['upload', path.join('..', 'other.csv'), ...small], { env }),
  ]);
  await expectEachOnce(there, 311);
  const summaries = ended.map(summaryOf);
  expect(summaries.every(({ balanced }) => balanced)).toBe(true);
  const delivered = summaries.reduce((sum, { rows }) => sum + (rows['delivered'] ?? 0), 0);
  const skipped = summaries.reduce((sum, { rows }) => sum + (rows['skipped'] ?? 0), 0);
  expect([delivered, skipped]).toEqual([311, 300 + 310 + 300 + 300 + 200 - 311]);
  // Nothing of it is left: one log without sessions, and the next run finds everything.
  const again = summaryOf(await runInProcess(cwd, ['upload', 'more.csv', '--again', '--json'], { env }));
  expect(again.rows).toMatchObject({ delivered: 310 });
});

test('a damaged list of sent events is named, and nothing is sent until it is deleted', async ({ cwd, there }) => {
  const env = at(there);
  await write(cwd, 'in.csv', eventsOf(1, 30));
  await write(cwd, 'more.csv', eventsOf(21, 50));
  expect((await runInProcess(cwd, ['upload', 'in.csv', '--quiet'], { env })).code).toBe(0);
  const claims = path.join(cwd, '.local', 'state', 'signals', 'claims');
  const [store = ''] = await readdir(claims);
  const name = (await readdir(path.join(claims, store))).find((each) => each.endsWith('.sent')) ?? '';
  const file = path.join(claims, store, name);
  const bytes = await readFile(file);
  bytes.writeUInt8(bytes.readUInt8(0) ^ 1, 0);
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
  await writeFile(file, bytes);
  const stopped = await runInProcess(cwd, ['upload', 'more.csv', '--json'], { env });
  expect(stopped.code, stopped.stderr).toBe(2);
  expect(stopped.stderr).toContain(file);
  expect(stopped.stderr).toContain('may be sent again: if that is acceptable, delete it');
  expect(there.requests()).toHaveLength(1);
  await rm(file);
  const again = await runInProcess(cwd, ['upload', 'more.csv', '--json'], { env });
  expect(summaryOf(again).rows).toMatchObject({ delivered: 30 });
});
