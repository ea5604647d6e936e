/** What people do to a running program: they stop it, close its window, press Ctrl-C twice, name a pipe too early. */
import { execFileSync, spawnSync } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import {
  at,
  createGate,
  expectEnd,
  plainRow,
  readRun,
  socialCsv,
  start,
  summaryOf,
  test,
  write,
  writeCsv,
} from '../support/program.ts';

test('a named pipe without a writer is waited for, with a word, until Ctrl-C', async ({ cwd, there, signals }) => {
  execFileSync('mkfifo', [path.join(cwd, 'pipe')]);
  const { child, ended } = signals.start('upload', 'pipe', '--json');
  const said = await new Promise<string>((resolve) => child.stderr?.once('data', resolve));
  expect(said).toContain('Waiting for data from pipe');
  child.kill('SIGINT');
  const { code, stdout } = await ended;
  expect(code).toBe(130);
  expect(JSON.parse(stdout)).toMatchObject({ exitCode: 130, errors: [{ code: 'cancelled' }] });
  expect(there.requests()).toHaveLength(0);
});

/** Loaded before the program: presses Ctrl-C while bin/signals.js loads it. */
const EARLY = `data:text/javascript,${encodeURIComponent(`
  import module from 'node:module';
  module.enableCompileCache = () => process.kill(process.pid, 'SIGINT');
`)}`;

test('Ctrl-C before the program listens to signals prints one JSON object', async ({ cwd, there }) => {
  await write(cwd, 'in.csv', socialCsv(10));
  const env = { ...at(there), NODE_OPTIONS: `--import ${EARLY}` };
  const { code, signal, stdout } = await start(cwd, ['upload', 'in.csv', '--json'], { env }).ended;
  expect({ code, signal }).toEqual({ code: 130, signal: 'SIGINT' });
  expect(JSON.parse(stdout)).toMatchObject({ exitCode: 130, errors: [{ code: 'cancelled' }] });
  expect(there.requests()).toHaveLength(0);
});

test('a second Ctrl-C stops immediately with one JSON object; a resume works', async ({ cwd, there, signals }) => {
  const { opened } = createGate();
  there.fault = ({ n }) => ({ latencyMs: n > 2 && n < 5 ? opened : 0 });
  await write(cwd, 'in.csv', socialCsv(800));
  const { child, ended, tells } = signals.start('upload', 'in.csv', '--concurrency', '2', '--json', '--out', 'kept');
  while (there.requests().length < 4) await sleep(20);
  child.kill('SIGINT');
  await tells('Stopping');
  child.kill('SIGINT');
  const { code, signal, stdout, stderr } = await ended;
  expect({ code, signal }).toEqual({ code: 130, signal: 'SIGINT' });
  expect(JSON.parse(stdout)).toMatchObject({ exitCode: 130, errors: [{ code: 'ended' }] });
  expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  expect(stderr).toMatch(/Stopped immediately\..* To continue: \S+ \S+ resume \S+ --out kept\n/);
  const resumed = await signals('resume', 'last', '--json', '--out', 'kept');
  expect(resumed.code).toBe(4);
  // The outcome of the two batches in flight is unknown; every other batch arrived once.
  expect(summaryOf(resumed)).toMatchObject({ balanced: true, rows: { read: 800, delivered: 600, unknown: 200 } });
  const taken = there.requests().map(({ digest }) => digest);
  expect(new Set(taken).size).toBe(taken.length);
});

const hasTimeout = spawnSync('timeout', ['--version']).status === 0;

test.runIf(hasTimeout)(
  'the two SIGTERM that coreutils timeout sends are one: requests in flight finish',
  async ({ cwd, there }) => {
    const { opened, open } = createGate();
    there.fault = () => ({ latencyMs: opened });
    await write(cwd, 'in.csv', socialCsv(1600));
    const { child, ended, tells } = start(cwd, ['upload', 'in.csv', '--setting', 'canary=no', '--json'], {
      env: at(there),
      under: ['timeout', '300'],
    });
    while (there.requests().length < 8) await sleep(10);
    // It sends the signal to the program, and immediately again to its process group.
    child.kill('SIGTERM');
    await tells('Stopping');
    open();
    const { code, stdout, stderr } = await ended;
    expect(code, stderr).toBe(143);
    expect(JSON.parse(stdout)).toMatchObject({
      balanced: true,
      state: 'interrupted',
      rows: { delivered: 800, unknown: 0 },
    });
  },
);

test('an answer that came while the process was stopped is read, although late', async ({ cwd, there, signals }) => {
  there.fault = () => ({ latencyMs: 300 });
  await write(cwd, 'in.csv', socialCsv(100));
  const { child, ended } = signals.start('upload', 'in.csv', '--setting', 'timeout=1s', '--json');
  while (there.requests().length < 1) await sleep(5);
  child.kill('SIGSTOP');
  await sleep(4000);
  child.kill('SIGCONT');
  const done = await ended;
  expectEnd(done, 0, { rows: { delivered: 100, unknown: 0 } });
});

test('SIGHUP is an interruption: requests in flight finish, and a resume works', async ({ cwd, there, signals }) => {
  there.fault = () => ({ latencyMs: 200 });
  const row = (n: number): string => (n % 10 === 0 ? `,x${n}.example,Title,news,` : plainRow(n));
  await writeCsv(cwd, 'in.csv', 2000, row);
  const { child, ended } = signals.start('upload', 'in.csv', '--concurrency', '2', '--json');
  while (there.requests().length < 3) await sleep(10);
  child.kill('SIGHUP');
  const hung = await ended;
  expect(hung.code).toBe(143);
  expect(summaryOf(hung)).toMatchObject({ balanced: true, state: 'interrupted', rows: { unknown: 0 } });
  const resumed = await signals('resume', 'last', '--json');
  expectEnd(resumed, 3, { rows: { read: 2000, invalid: 200, delivered: 1800 } });
  const taken = there.requests().map(({ digest }) => digest);
  expect(taken).toHaveLength(18);
  expect(new Set(taken).size).toBe(18);
  const rejects = (await readRun(cwd, 'rejects/in.csv')).trimEnd().split('\r\n').slice(1);
  expect([rejects.length, new Set(rejects).size]).toEqual([200, 200]);
});
