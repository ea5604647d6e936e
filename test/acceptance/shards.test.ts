/** One input divided among processes. The service's records are the witness. */
import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { parse } from 'yaml';
import {
  at,
  csvOf,
  expectEnd,
  plainRow,
  program,
  recordsAt,
  root,
  run,
  runIds,
  runInProcess,
  type service,
  socialCsv,
  summaryOf,
  test,
  timesDelivered,
  withWrongKey,
  write,
  writeCsv,
} from '../support/program.ts';

const SHARDS = 8;
const ROWS = 6500;
const INVALID = Math.floor(ROWS / 97);

/** Every 97th row has no name, and every 50th is followed by a blank line. */
const dividedCsv = csvOf(ROWS, (n) => {
  const row = n % 97 === 0 ? `,company${n}.example,Raised,funding,` : plainRow(n);
  return n % 50 === 0 ? `${row}\n` : row;
});

const uploadArgs = ['upload', 'in.csv', '--run-id', 'nightly', '--quiet', '--json'];

async function settledIn(cwd: string, id: string): Promise<number> {
  const file = path.join(cwd, 'signals-runs', id, 'journal.ndjson');
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('"batch.settled"').length - 1;
}

/**
 * Expects that the service has every valid row, that the shards know that, and that nothing was sent twice except what
 * was in flight when a shard was killed: one batch, which the service recognises.
 */
async function expectWhole(cwd: string, there: Awaited<ReturnType<typeof service>>): Promise<void> {
  const times = await timesDelivered(there, 'company_name');
  expect(times.size).toBe(ROWS - INVALID);
  const again = [...times.values()].reduce((sum, taken) => sum + taken - 1, 0);
  expect([0, 100]).toContain(again);
  const ids = await runIds(cwd);
  expect(ids).toEqual(Array.from({ length: SHARDS }, (_, index) => `nightly-${index}of${SHARDS}`));
  const merged = await runInProcess(cwd, ['runs', 'merge', ...ids, '--json']);
  expectEnd(merged, 3, {
    rows: { read: ROWS, invalid: INVALID, delivered: ROWS - INVALID, pending: 0, unknown: 0 },
    batches: { sealed: Math.ceil((ROWS - INVALID) / 100) },
    invalidReasons: [{ reason: 'company_name is missing', rows: INVALID, first: 'in.csv:99' }],
    service: { accepted: ROWS - INVALID - again, deduplicated: again },
    inputs: [{ source: 'in.csv', bytesUnread: 0, rejects: `${ids[0]}/rejects/in.csv` }],
    shards: ids.map((id) => ({ run: id, rejects: ['rejects/in.csv'] })),
    next: expect.stringMatching(/ fix( nightly-\dof8)?$/),
  });
  const { stdout } = await runInProcess(cwd, ['runs', 'merge', ...ids]);
  expect(stdout).toContain(`Rejects  signals-runs/${ids[0]}/rejects/in.csv and 7 other files\n`);
}

test('eight processes, one killed and started again, send every row once', async ({ cwd, there, signals }) => {
  there.fault = () => ({ latencyMs: 100 });
  await write(cwd, 'in.csv', dividedCsv);
  const shard = (index: number) => signals.start(...uploadArgs, '--shard', `${index}/${SHARDS}`);
  const processes = Array.from({ length: SHARDS }, (_, index) => shard(index));
  while ((await settledIn(cwd, `nightly-5of${SHARDS}`)) < 2) await sleep(10);
  processes[5]?.child.kill('SIGKILL');
  const ended = await Promise.all(processes.map(({ ended }) => ended));
  expect(ended.map(({ code }) => code)).toEqual([3, 3, 3, 3, 3, 137, 3, 3]);

  const unfinished = await runInProcess(cwd, ['runs', 'merge', ...(await runIds(cwd)), '--json']);
  expect(unfinished.code).toBe(6);
  expect(summaryOf(unfinished)).toMatchObject({
    state: 'interrupted',
    balanced: true,
    // Without a name if it is the one that started last.
    next: expect.stringMatching(/ resume( nightly-5of8)?$/),
  });

  expect(await shard(5).ended).toMatchObject({ code: 3 });
  // A second start of a complete shard sends nothing.
  const requests = there.requests().length;
  expect(await shard(5).ended).toMatchObject({ code: 3 });
  expect(there.requests()).toHaveLength(requests);
  await expectWhole(cwd, there);
});

test('shards run at once, but none twice, and none with other settings', async ({ cwd, there, signals }) => {
  there.fault = ({ n }) => (n === 2 ? { status: 401 } : undefined);
  await writeCsv(cwd, 'in.csv', 400);
  const upload = (...args: string[]) => ['upload', 'in.csv', '--json', ...args];
  // It stays unfinished, with one of its two batches delivered.
  expect((await signals(...upload('--shard', '0/2'))).code).toBe(5);
  const same = await signals(...upload('--shard', '0/2'));
  expect(same.code).toBe(2);
  expect(JSON.parse(same.stdout)).toMatchObject({ errors: [{ code: 'upload.unfinished' }] });
  for (const args of [
    ['--shard', '1/3'],
    ['--shard', '1/2', '--batch-size', '50'],
    ['--shard', '1/2', '--set', 'industry=x'],
    [],
  ]) {
    const other = await signals(...upload(...args));
    expect(JSON.parse(other.stdout)).toMatchObject({ exitCode: 2, errors: [{ code: 'upload.unfinished' }] });
    if (args.length > 0) expect(other.stderr).toMatch(/must agree in (the number of shards|--batch-size|the mapping)/);
  }
  expect(await recordsAt(there)).toHaveLength(100);
  expect((await signals(...upload('--shard', '1/2'))).code).toBe(0);
  expect((await signals('resume', 'last', '--quiet')).code).toBe(0);
  expect((await signals('resume', '0of2', '--quiet')).code).toBe(0);
  const times = await timesDelivered(there, 'company_name');
  expect([...times.values()].every((taken) => taken === 1) && times.size === 400).toBe(true);
});

test('a shard that has sent nothing blocks no upload that divides the data anew', async ({ cwd, there, signals }) => {
  await writeCsv(cwd, 'in.csv', 400);
  const upload = (...args: string[]) => ['upload', 'in.csv', '--quiet', ...args];
  const wrong = { env: withWrongKey(there) };
  expect((await run(cwd, upload('--shard', '0/2', '--run-id', 'first'), wrong)).code).toBe(5);
  expect((await signals(...upload('--shard', '1/2'))).code).toBe(0);
  // The other shard has none of its rows.
  expect((await runInProcess(cwd, ['resume', 'first-0of2', '--quiet'], wrong)).code).toBe(5);
  expect((await signals(...upload('--shard', '0/4'))).code).toBe(0);
  const ended = await signals('resume', 'first-0of2', '--json');
  expect(JSON.parse(ended.stdout)).toMatchObject({ exitCode: 2, errors: [{ code: 'resume.replaced' }] });
  const times = await timesDelivered(there, 'company_name');
  expect([times.size, [...times.values()].filter((taken) => taken !== 1)]).toEqual([300, []]);
});

test('only all shards of one upload are merged; a missing one is named with its command', async ({ cwd, signals }) => {
  await writeCsv(cwd, 'in.csv', 300);
  await writeCsv(cwd, 'other.csv', 301);
  const upload = (name: string, ...args: string[]) => signals('upload', ...args, '--run-id', name, '--quiet');
  await upload('a', 'in.csv', '--shard', '0/3');
  await upload('a', 'in.csv', '--shard', '2/3');
  await upload('again', 'in.csv', '--shard', '2/3');
  await upload('b', 'other.csv', '--shard', '1/3');
  await upload('c', 'in.csv', '--shard', '1/3', '--batch-size', '50');
  await upload('d', 'in.csv', '--shard', '1/3', '--set', 'industry=Software');
  await upload('whole', 'other.csv');
  const merge = async (...ids: string[]) => {
    const merged = await runInProcess(cwd, ['runs', 'merge', ...ids, '--json']);
    return { code: merged.code, errors: JSON.parse(merged.stdout).errors, stderr: merged.stderr };
  };
  const missing = await merge('a-0of3', 'a-2of3');
  expect(missing).toMatchObject({ code: 2, errors: [{ code: 'merge.missing' }] });
  expect(missing.stderr).toMatch(/upload in\.csv --run-id a --quiet --shard 1\/3/);
  expect(await merge('a-0of3', 'a-2of3', 'again-2of3')).toMatchObject({
    code: 2,
    errors: [
      { code: 'merge.missing' },
      { code: 'merge.doubled', message: expect.stringMatching(/a-2of3 and again-2of3/) },
    ],
  });
  for (const [id, what] of [
    ['b', 'inputs'],
    ['c', '--batch-size'],
    ['d', 'the mapping'],
  ] as const) {
    const errors = [{ code: 'merge.differs', message: expect.stringContaining(what) }];
    expect(await merge('a-0of3', `${id}-1of3`, 'a-2of3')).toMatchObject({ code: 2, errors });
  }
  expect(await merge('a-0of3', 'whole')).toMatchObject({ code: 2, errors: [{ code: 'merge.not_shard' }] });
});

test('each shard skips what earlier runs delivered, and others send the same', async ({ cwd, there, signals }) => {
  await write(cwd, 'in.csv', socialCsv(1000));
  const before = await signals('upload', 'in.csv', '--limit', '150', '--json');
  expect(before.code).toBe(0);
  const shard = (index: number, state?: string) =>
    runInProcess(cwd, ['upload', 'in.csv', '--shard', `${index}/3`, '--run-id', 'x', '--json'], {
      env: { ...at(there), ...(state === undefined ? {} : { SIGNALS_STATE_DIR: path.join(cwd, state) }) },
    });
  // One after the other, so that a later shard knows what an earlier one has delivered; the last on another machine.
  const shards = [await shard(0), await shard(1), await shard(2, 'elsewhere')].map(summaryOf);
  expect(shards.map(({ rows }) => [rows['delivered'], rows['skipped']])).toEqual([
    [300, 100],
    [250, 50],
    [300, 0],
  ]);
  expect(shards[1]).toMatchObject({ shard: { index: 1, of: 3 }, batches: { sealed: 3 } });
  const times = await timesDelivered(there, 'engager_name');
  expect([times.size, [...times.values()].filter((taken) => taken !== 1)]).toEqual([1000, []]);
  const merged = await runInProcess(cwd, ['runs', 'merge', 'x-0of3', 'x-1of3', 'x-2of3', '--json']);
  expectEnd(merged, 0, { rows: { read: 1000, delivered: 850, skipped: 150 } });
});

test('a resumed shard omits duplicates of earlier batches, also of other shards', async ({ cwd, there, signals }) => {
  // In the second half, each third row equals one of the first hundred.
  const same = (n: number): number => (n > 400 && n % 3 === 0 ? (n % 100) + 1 : n);
  await writeCsv(cwd, 'in.csv', 800, (n) => plainRow(same(n)));
  const rows = new Set(Array.from({ length: 800 }, (_, n) => same(n + 1))).size;
  const shard = (index: number) =>
    signals(
      'upload',
      'in.csv',
      '--shard',
      `${index}/2`,
      '--dedupe',
      '--batch-size',
      '10',
      '--concurrency',
      '1',
      '--json',
    );
  // The second one stops where most of the input is not read.
  expect((await shard(0)).code).toBe(0);
  const before = there.requests().length;
  there.fault = ({ n }) => (n > before + 2 ? { status: 401 } : undefined);
  expect((await shard(1)).code).toBe(5);
  there.fault = undefined;
  const resumed = await signals('resume', 'last', '--json');
  expect([resumed.code, summaryOf(resumed)['state']]).toEqual([0, 'complete']);
  const times = await timesDelivered(there, 'company_name');
  expect([times.size, [...times].filter(([, taken]) => taken !== 1)]).toEqual([rows, []]);
  const merged = await signals('runs', 'merge', ...(await runIds(cwd)), '--json');
  expect(summaryOf(merged)).toMatchObject({
    balanced: true,
    rows: { read: 800, delivered: rows, duplicate: 800 - rows, pending: 0 },
  });
});

test('limits of rows judge the whole input, so that all shards stop or none does', async ({ cwd, there, signals }) => {
  await writeCsv(cwd, 'in.csv', 500, (n) => (n % 10 === 0 && n > 300 ? ',x.example,T,news,' : plainRow(n)));
  for (const index of [0, 1, 2]) {
    const args = ['upload', 'in.csv', '--shard', `${index}/3`, '--json', '--again'];
    const few = await signals(...args, '--max-invalid', '3%');
    expect([few.code, summaryOf(few)]).toMatchObject([6, { stop: { code: 'invalid' } }]);
    const short = await signals(...args, '--min-rows', '501');
    expect([short.code, summaryOf(short)]).toMatchObject([6, { stop: { code: 'rows' } }]);
  }
  expect(await recordsAt(there)).toEqual([]);
  const checks = await Promise.all(
    [0, 1, 2].map(async (index) =>
      summaryOf(await runInProcess(cwd, ['check', 'in.csv', '--shard', `${index}/3`, '--json'])),
    ),
  );
  expect(checks.reduce((sum, { rows }) => sum + (rows['read'] ?? 0), 0)).toBe(500);
});

test('the commands of the Kubernetes examples run as they are', async ({ cwd, there }) => {
  for (const folder of ['data/exports', 'bin']) await mkdir(path.join(cwd, folder), { recursive: true });
  await writeCsv(cwd, 'data/funding.csv', 1500);
  await writeCsv(cwd, `data/exports/${new Date().toISOString().slice(0, 10)}.csv`, 1500, (n) => plainRow(n + 5000));
  await write(cwd, 'bin/signals', `#!/bin/sh\nexec ${process.execPath} ${program} "$@"\n`);
  await chmod(path.join(cwd, 'bin', 'signals'), 0o755);
  const env = { ...at(there), PATH: `${path.join(cwd, 'bin')}:${process.env['PATH']}`, JOB_COMPLETION_INDEX: '3' };
  for (const file of ['indexed-job.yaml', 'cronjob.yaml']) {
    const { spec } = parse(await readFile(path.join(root, 'docs/examples/kubernetes', file), 'utf8'));
    const [{ command, args }] = (spec.jobTemplate?.spec ?? spec).template.spec.containers;
    const words = [...command, ...args].map((word: string) => word.replaceAll('/data', path.join(cwd, 'data')));
    // Rejects with the output if the exit code is not 0.
    await promisify(execFile)('env', words, { env });
  }
  expect(await recordsAt(there)).toHaveLength(200 + 1500);
});

test('a named run that was divided differently before sends nothing', async ({ cwd, there, signals }) => {
  await writeCsv(cwd, 'in.csv', 200);
  const upload = (name: string, ...division: string[]) =>
    signals('upload', 'in.csv', '--run-id', name, '--json', ...division);
  expect((await upload('day', '--shard', '0/2')).code).toBe(0);
  expect((await upload('day', '--shard', '1/2')).code).toBe(0);
  expect((await upload('day-2', '--again')).code).toBe(0);
  const requests = there.requests().length;
  for (const [name, ...division] of [['day', '--shard', '0/3'], ['day'], ['day-2', '--shard', '0/2']] as const) {
    const ended = await upload(name, ...division);
    expect(JSON.parse(ended.stdout)).toMatchObject({ exitCode: 2, errors: [{ code: 'run.other_division' }] });
  }
  expect(there.requests()).toHaveLength(requests);
});
