/** What earlier runs have sent. The service's log is the witness. */
import { execFileSync } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Sandbox } from '../../src/sandbox/index.ts';
import {
  at,
  expectEnd,
  printed,
  run,
  runFolder,
  runIds,
  runInProcess,
  service,
  summaryOf,
  test,
  timesDelivered,
  workspace,
  write,
  writeCsv,
} from '../support/program.ts';

/** Events of the persons with these numbers. */
function eventsOf(...numbers: readonly number[]): string {
  return `${['platform,engagement_type,engager_name', ...numbers.map((n) => `linkedin,like,Person ${n}`)].join('\n')}\n`;
}

function upTo(last: number, first = 1): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, n) => first + n);
}

/** Expects that the service has taken the event of each person once. */
async function expectOnce(there: Sandbox, persons: number): Promise<void> {
  const times = await timesDelivered(there, 'engager_name');
  expect([times.size, [...times].filter(([, count]) => count > 1)]).toEqual([persons, []]);
}

test('events that an earlier run delivered are not sent again, and it is named', async ({ cwd, there, signals }) => {
  await write(cwd, 'in.csv', eventsOf(...upTo(250)));
  expect((await signals('upload', 'in.csv', '--quiet')).code).toBe(0);
  const requests = there.requests().length;
  const [first = ''] = await runIds(cwd);

  const second = await signals('upload', 'in.csv');
  expect(second.code).toBe(0);
  expect(second.stdout).toContain('Nothing new in in.csv: 250 already sent by another run.');
  expect(await printed(cwd, 'runs', 'show')).toContain(`250 rows were already delivered by ${first} `);
  const third = await signals('upload', 'in.csv', '--json');
  expect(summaryOf(third)).toMatchObject({
    exitCode: 0,
    balanced: true,
    requests: 0,
    rows: { read: 250, skipped: 250, delivered: 0 },
    sentBefore: { delivered: 250, unknown: 0, runs: { [first]: 250 } },
  });
  expect(there.requests()).toHaveLength(requests);

  const rows = (await printed(cwd, 'runs', 'show', 'last', '--rows', 'skipped')).trimEnd().split('\n');
  expect(rows).toHaveLength(250);
  expect(rows[249]).toBe(`in.csv:251  already delivered by ${first}`);

  const again = await signals('upload', 'in.csv', '--again', '--json');
  expect(summaryOf(again).rows).toMatchObject({ skipped: 0, delivered: 250 });
});

test('of a file that holds more than before, what is new is sent', async ({ cwd, there, signals }) => {
  await write(cwd, 'monday.csv', eventsOf(...upTo(150)));
  // Another order, another form, another file.
  await write(
    cwd,
    'tuesday.ndjson',
    upTo(220, 101)
      .toReversed()
      .map((n) => `{"engager_name":"Person ${n}","engagement_type":"like","platform":"linkedin"}\n`)
      .join(''),
  );
  await signals('upload', 'monday.csv', '--quiet');
  const checked = await signals('check', 'tuesday.ndjson', '--json');
  expect(JSON.parse(checked.stdout)).toMatchObject({ rows: { read: 120, valid: 70, skipped: 50 } });
  const ended = await signals('upload', 'tuesday.ndjson', '--json');
  expect(summaryOf(ended).rows).toMatchObject({ read: 120, skipped: 50, delivered: 70 });
  await expectOnce(there, 220);
});

test('another service, and the sandbox of a run, know nothing of it', async ({ cwd, there }) => {
  const elsewhere = await service();
  await write(cwd, 'in.csv', eventsOf(...upTo(30)));
  for (const args of [['--sandbox'], ['--sandbox']]) {
    const ended = await run(cwd, ['upload', 'in.csv', '--json', ...args]);
    expect(summaryOf(ended).rows).toMatchObject({ delivered: 30 });
  }
  for (const one of [there, elsewhere]) {
    const ended = await runInProcess(cwd, ['upload', 'in.csv', '--json'], { env: at(one) });
    expect(summaryOf(ended).rows).toMatchObject({ delivered: 30 });
  }
});

test('signals are sent again, unless it is asked that they are not', async ({ cwd, signals }) => {
  await writeCsv(cwd, 'in.csv', 120);
  const sent = async (...more: readonly string[]) =>
    summaryOf(await signals('upload', 'in.csv', '--json', ...more)).rows;
  expect(await sent()).toMatchObject({ delivered: 120, skipped: 0 });
  expect(await sent('--skip-delivered')).toMatchObject({ delivered: 120 });
  expect(await sent()).toMatchObject({ delivered: 120, skipped: 0 });
  expect(await sent('--skip-delivered')).toMatchObject({ delivered: 0, skipped: 120 });
  expect(await sent('--skip-delivered', '--again')).toMatchObject({ delivered: 120 });
});

test('what the service rejected of a batch is not said to be delivered', async ({ cwd }) => {
  const answer = { success: true, batchId: 'b', stats: { accepted: 97, deduplicated: 0, rejected: 3 } };
  const there = await service({
    injectFault: ({ n }) => (n === 2 ? { status: 200, body: JSON.stringify(answer) } : undefined),
  });
  await writeCsv(cwd, 'in.csv', 300);
  const args = ['upload', 'in.csv', '--json', '--skip-delivered'];
  await runInProcess(cwd, args, { env: at(there) });
  const ended = await runInProcess(cwd, args, { env: at(there) });
  expect(summaryOf(ended).rows).toMatchObject({ skipped: 200, delivered: 100 });
});

test('an upload that skips unknown events says so until they are sent again', async ({ cwd, there }) => {
  let isIll = true;
  there.fault = ({ n }) => (isIll && n > 1 ? { status: 500 } : undefined);
  await write(cwd, 'in.csv', eventsOf(...upTo(300)));
  const env = at(there);
  expect((await runInProcess(cwd, ['upload', 'in.csv', '--run-id', 'first', '--quiet'], { env })).code).toBe(4);
  isIll = false;

  const again = await runInProcess(cwd, ['upload', 'in.csv'], { env });
  expect(again.code).toBe(4);
  expect(again.stdout).toContain('300 already sent by another run (200 may not have arrived).');
  const next = 'resume first --unknown';
  expect(await printed(cwd, 'runs', 'show')).toContain('200 rows were already sent by first, may have arrived');
  expect(again.stdout).toContain(next);
  expect((await runInProcess(cwd, ['upload', 'in.csv', '--json'], { env })).stdout).toContain(next);
  expect((await runInProcess(cwd, ['check', 'in.csv', '--quiet'], { env })).code).toBe(0);
  const elsewhere = await runInProcess(cwd, ['upload', 'in.csv', '--out', 'other-runs'], { env });
  expect(elsewhere.stdout).toContain(`resume ${path.join(cwd, 'signals-runs', 'first')} --unknown`);

  expect((await runInProcess(cwd, [...next.split(' '), '--quiet'], { env })).code).toBe(0);
  expect((await runInProcess(cwd, ['upload', 'in.csv'], { env })).code).toBe(0);
  await expectOnce(there, 300);
});

test('without a state folder that can be written, events are not sent, and signals are', async ({ cwd, there }) => {
  await write(cwd, 'in.csv', eventsOf(...upTo(20)));
  await writeCsv(cwd, 'signals.csv', 20);
  await write(cwd, 'a-file', 'no folder');
  const env = { ...at(there), SIGNALS_STATE_DIR: path.join(cwd, 'a-file') };
  const refused = await runInProcess(cwd, ['upload', 'in.csv', '--quiet'], { env });
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('nothing was sent');
  expect(refused.stderr).toContain('SIGNALS_STATE_DIR');
  expect(there.requests()).toHaveLength(0);
  expect(await readdir(cwd)).not.toContain('signals-runs');

  const ended = await runInProcess(cwd, ['upload', 'signals.csv', '--json'], { env });
  expectEnd(ended, 0, { rows: { delivered: 20 } });
  expect(JSON.parse(ended.stdout).warnings).toContainEqual(expect.objectContaining({ code: 'state.folder' }));
  const anyway = await runInProcess(cwd, ['upload', 'in.csv', '--again', '--json'], { env });
  expect(summaryOf(anyway).rows).toMatchObject({ delivered: 20 });
});

test('a resume of events needs a state folder too', async ({ cwd, there, signals }) => {
  there.fault = ({ n }) => (n === 2 ? { status: 422, body: '{}' } : undefined);
  await write(cwd, 'in.csv', eventsOf(...upTo(300)));
  await write(cwd, 'a-file', 'no folder');
  await signals('upload', 'in.csv', '--min-rows', '400', '--quiet');
  const env = { ...at(there), SIGNALS_STATE_DIR: path.join(cwd, 'a-file') };
  const resumed = await runInProcess(cwd, ['resume', await runFolder(cwd)], { env });
  expect(resumed.code, resumed.stderr).toBe(2);
  expect(there.requests()).toHaveLength(0);
  await signals('resume', 'last', '--quiet');
  const sent = there.requests().length;
  const again = await runInProcess(cwd, ['resume', await runFolder(cwd), '--refused'], { env });
  expect(again.code, again.stderr).toBe(2);
  expect(again.stderr).toContain('SIGNALS_STATE_DIR');
  expect(there.requests()).toHaveLength(sent);
  expect(await runIds(cwd)).toHaveLength(1);
});

// Node's own recursive mkdir never returns below /proc, which some service accounts have as their home.
test.skipIf(process.platform !== 'linux').each([
  ['the state folder', { SIGNALS_STATE_DIR: '/proc/none/signals' }, 2, 'SIGNALS_STATE_DIR'],
  ['the folder of the runs', { SIGNALS_RUNS: '/proc/none' }, 2, 'SIGNALS_RUNS'],
])('%s that can never be made is told, and no process waits for it', async (_name, folders, code, told) => {
  const cwd = await workspace();
  const there = await service();
  await write(cwd, 'in.csv', eventsOf(...upTo(20)));
  const ended = await runInProcess(cwd, ['upload', 'in.csv', '--json'], { env: { ...at(there), ...folders } });
  expect(ended.code).toBe(code);
  expect(ended.stderr).toContain(told);
  expect(there.requests()).toEqual([]);
});

test('a run that is handed over carries along what it knew of earlier ones', async ({ cwd, there, signals }) => {
  const other = await workspace();
  there.fault = ({ n }) => (n > 1 ? { latencyMs: 150 } : undefined);
  await write(cwd, 'first.csv', eventsOf(...upTo(400, 301)));
  await write(cwd, 'in.csv', eventsOf(...upTo(400)));
  await signals('upload', 'first.csv', '--quiet');
  const { child, ended } = signals.start('upload', 'in.csv', '--concurrency', '1', '--batch-size', '20');
  while (there.requests().length < 4) await sleep(10);
  child.kill('SIGINT');
  await ended;
  const id = (await runIds(cwd)).at(-1) ?? '';
  expect((await runInProcess(cwd, ['runs', 'pack', id, '--hand-over', '--yes', '--to', 'run.tar.gz'])).code).toBe(0);
  execFileSync('tar', ['-xzf', path.join(cwd, 'run.tar.gz'), '-C', other]);
  const done = await run(other, ['resume', id, '--out', '.', '--json'], { env: at(there) });
  expectEnd(done, 0, { rows: { read: 400, skipped: 100, delivered: 300 } });
  await write(other, 'more.csv', eventsOf(...upTo(401)));
  const more = await run(other, ['upload', 'more.csv', '--json'], { env: at(there) });
  expectEnd(more, 0, { rows: { read: 401, skipped: 400, delivered: 1 } });
  await expectOnce(there, 401);
});

test('a run is found from another folder with --out or by its path, until it is gone', async ({ cwd, there }) => {
  const elsewhere = path.join(cwd, 'elsewhere');
  await mkdir(elsewhere);
  await writeCsv(cwd, 'in.csv', 20);
  const env = { ...at(there), SIGNALS_STATE_DIR: path.join(cwd, 'state') };
  await runInProcess(cwd, ['upload', 'in.csv', '--quiet'], { env });
  const id = path.basename(await runFolder(cwd));
  const out = ['--out', path.join(cwd, 'signals-runs')];
  for (const words of [['last', ...out], [id, ...out], [id.slice(-7), ...out], [path.join(out[1] ?? '', id)]]) {
    const shown = await runInProcess(elsewhere, ['runs', 'show', ...words, '--json'], { env });
    expect(JSON.parse(shown.stdout)).toMatchObject({ run: id, rows: { delivered: 20 } });
  }
  expect((await runInProcess(elsewhere, ['runs', 'show', 'last', '--out', '.'], { env })).code).toBe(2);
  await runInProcess(cwd, ['runs', 'prune', '--older-than', '0s', '--yes'], { env });
  for (const where of [out, []]) {
    const gone = await runInProcess(elsewhere, ['runs', 'show', id, ...where], { env });
    expect(gone.code).toBe(2);
    expect(gone.stderr).toContain('No runs in');
  }
});
