/**
 * The built program on run folders whose journal was cut or changed (test/acceptance/damaged-journal.test.ts tries every byte
 * of one). The service's own log says what it comes to.
 */
import { execFileSync } from 'node:child_process';
import { cp, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect } from 'vitest';
import type { RunEvent } from '../../src/model/event.ts';
import type { RecordType } from '../../src/model/record.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import {
  at,
  expectEnd,
  run,
  runFolder,
  runInProcess,
  service,
  start,
  summaryOf,
  test,
  timesDelivered,
  withWrongKey,
  workspace,
  write,
} from '../support/program.ts';

const ROWS = 600;
const HEADERS = { signals: 'company_name,signal_title,signal_source', social: 'platform,engagement_type,engager_name' };
const FIELDS = { signals: 'company_name', social: 'engager_name' };

const csvOf = (type: RecordType): string => {
  const row = (n: number): string => (type === 'signals' ? `Name ${n},Title,news` : `linkedin,like,Name ${n}`);
  return `${[HEADERS[type], ...Array.from({ length: ROWS }, (_, n) => row(n))].join('\n')}\n`;
};

/** A run of six batches that came to its end. */
async function done(type: RecordType): Promise<{ cwd: string; there: Sandbox; folder: string }> {
  const cwd = await workspace();
  const there = await service();
  await write(cwd, 'in.csv', csvOf(type));
  const ended = await runInProcess(cwd, ['upload', 'in.csv', '--quiet', '--concurrency', '1'], { env: at(there) });
  expect(ended.code, ended.stderr).toBe(0);
  return { cwd, there, folder: await runFolder(cwd) };
}

describe.each(['signals', 'social'] as const)('a run of %s', { timeout: 120_000 }, (type) => {
  test('whose journal was cut resumes only with --again: nothing is lost, and twice is only what the cut has forgotten', async () => {
    const { cwd, there, folder } = await done(type);
    const file = path.join(folder, 'journal.ndjson');
    const journal = await readFile(file);
    const kept = path.join(cwd, 'kept');
    await cp(folder, kept, { recursive: true });
    const cuts = [0.15, 0.5, 0.97].map((part) => Math.floor(part * journal.length));
    for (const cut of cuts) {
      await rm(folder, { recursive: true });
      await cp(kept, folder, { recursive: true });
      await writeFile(file, journal.subarray(0, cut));
      await fetch(`${there.url}/sandbox/reset`, { method: 'POST' });
      const events = journal
        .subarray(0, journal.subarray(0, cut).lastIndexOf(0x0a) + 1)
        .toString('utf8')
        .split('\n')
        .flatMap((line): readonly RunEvent[] => (line === '' ? [] : [JSON.parse(line)]));
      const settled = events.filter(({ event }) => event === 'batch.settled').length;
      const begun = new Set(events.flatMap((one) => (one.event === 'attempt.started' ? [one.batch] : [])));

      if (settled < 6) {
        for (const options of [[], ['--unknown', '--refused']]) {
          const refused = await run(cwd, ['resume', 'last', ...options], { env: at(there) });
          expect(refused.stderr).toContain('results.csv has a later result, of batch 6.');
          expect(refused.code).toBe(2);
        }
        expect(there.requests()).toEqual([]);
        expect(await readFile(path.join(folder, 'results.csv'))).toEqual(
          await readFile(path.join(kept, 'results.csv')),
        );
      }
      const ended = await runInProcess(cwd, ['resume', 'last', '--again', '--json'], { env: at(there) });
      const what = `cut at ${cut} of ${journal.length}: ${ended.stderr}`;
      const held = type === 'social' ? (begun.size - settled) * 100 : 0;
      expect(ended.code, what).toBe(held > 0 ? 4 : 0);
      expect(summaryOf(ended), what).toMatchObject({
        balanced: true,
        state: 'complete',
        rows: { read: ROWS, delivered: ROWS - held, unknown: held, pending: 0 },
      });
      // What was settled in the whole lines is never sent again, and the rest once.
      const again = await timesDelivered(there, FIELDS[type]);
      expect(
        [...again.values()].every((count) => count === 1),
        what,
      ).toBe(true);
      expect(again.size, what).toBe(ROWS - settled * 100 - held);
    }
  });
});

test.each(['stopped', 'killed'])(
  'a %s run whose journal lost its end resumes only with --again',
  { timeout: 120_000 },
  async (how) => {
    const cwd = await workspace();
    const there = await service();
    let isDown = true;
    there.fault = ({ n }) => (n < 4 || !isDown ? undefined : how === 'stopped' ? { status: 401 } : { hang: 'before' });
    const env = at(there);
    await write(cwd, 'in.csv', csvOf('social'));
    const { child, ended } = start(cwd, ['upload', 'in.csv', '--quiet', '--concurrency', '1'], { env });
    const results = async (): Promise<string> =>
      readFile(path.join(await runFolder(cwd), 'results.csv'), 'utf8').catch(() => '');
    await expect.poll(() => results().catch(() => '')).toMatch(/,3,/);
    if (how === 'killed') child.kill('SIGKILL');
    await ended;
    const folder = await runFolder(cwd);
    const file = path.join(folder, 'journal.ndjson');
    const lines = (await readFile(file, 'utf8')).split('\n');
    const kept = path.join(cwd, 'kept');
    await cp(folder, kept, { recursive: true });
    isDown = false;
    const settled = lines.flatMap((line, index) => (line.includes('"event":"batch.settled"') ? [index] : []));
    expect(settled).toHaveLength(3);
    for (const [known, cut] of [...settled.entries()].filter(([index]) => index !== 1)) {
      await rm(folder, { recursive: true });
      await cp(kept, folder, { recursive: true });
      await writeFile(file, `${lines.slice(0, cut).join('\n')}\n`);
      // What the runs of the loop before have added.
      await rm(path.join(cwd, 'signals-runs', '.catalogue.ndjson'), { force: true });
      await rm(path.join(cwd, '.local'), { recursive: true, force: true });
      await fetch(`${there.url}/sandbox/reset`, { method: 'POST' });
      for (const command of [
        ['resume'],
        ['resume', '--unknown'],
        ['resume', '--all'],
        ['upload', 'in.csv'],
        ['runs', 'show'],
      ]) {
        const refused = await run(cwd, command, { env });
        expect(refused.stdout + refused.stderr, `${command.join(' ')}: exit ${refused.code}`).toContain(
          'results.csv has a later result, of batch 3.',
        );
      }
      expect(there.requests()).toEqual([]);
      const again = await runInProcess(cwd, ['resume', '--again', '--json'], { env });
      expect(summaryOf(again)).toMatchObject({
        balanced: true,
        state: 'complete',
        // The batch that was in flight where the journal ends may have arrived.
        rows: { read: ROWS, delivered: ROWS - 100, unknown: 100, pending: 0 },
      });
      const taken = await timesDelivered(there, 'engager_name');
      expect(taken.size).toBe(ROWS - 100 * (known + 1));
    }
  },
);

test('a run whose journal was changed is not resumed and not shown, and each says why', {
  timeout: 60_000,
}, async () => {
  const { cwd, there, folder } = await done('social');
  const file = path.join(folder, 'journal.ndjson');
  const journal = await readFile(file);
  const before = there.requests().length;
  const offsets = [3, Math.floor(journal.length / 2), journal.length - 1];
  for (const offset of offsets) {
    const changed = Buffer.from(journal);
    changed[offset] = (changed[offset] ?? 0) ^ 0x04;
    await writeFile(file, changed);
    for (const command of [
      ['resume', 'last', '--json'],
      ['resume', 'last', '--unknown', '--refused', '--json'],
      ['runs', 'show', 'last', '--json'],
      ['runs', 'show', 'last', '--rows', 'delivered', '--json'],
    ]) {
      const ended = await runInProcess(cwd, command, { env: at(there) });
      const what = `${command.join(' ')}, byte ${offset}: ${ended.stdout}${ended.stderr}`;
      expect(ended.code, what).toBe(2);
      expect(JSON.parse(ended.stdout), what).toMatchObject({ errors: [{ code: 'journal.damaged' }] });
      expect(ended.stderr, what).toContain('results.csv');
    }
    const listed = await runInProcess(cwd, ['runs'], { env: at(there) });
    expect(listed.stdout).toContain('damaged');
  }
  expect(there.requests()).toHaveLength(before);
});

test('a run that was killed before its first line was whole says that nothing was sent', async () => {
  const { cwd, there, folder } = await done('signals');
  const file = path.join(folder, 'journal.ndjson');
  await writeFile(file, (await readFile(file)).subarray(0, 60));
  for (const name of ['results.csv', 'summary.json']) await rm(path.join(folder, name));
  const before = there.requests().length;
  for (const command of [
    ['resume', 'last'],
    ['resume', 'last', '--unknown', '--refused'],
    ['runs', 'show', 'last'],
  ]) {
    const ended = await runInProcess(cwd, command, { env: at(there) });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('Nothing was sent');
  }
  expect(there.requests()).toHaveLength(before);
  const anew = await runInProcess(cwd, ['upload', 'in.csv', '--json'], { env: at(there) });
  expect(summaryOf(anew).rows).toMatchObject({ delivered: ROWS });
});

describe.runIf(process.platform !== 'win32')('a run folder with a file that no run creates is not resumed', () => {
  test.for([
    ['results.csv', 'a symbolic link'],
    ['summary.json.tmp', 'a symbolic link'],
    ['rejects', 'a symbolic link'],
    ['undelivered.ndjson', 'a special file'],
  ] as const)('%s is %s', async ([name, kind], { cwd, there, signals }) => {
    await write(cwd, 'in.csv', csvOf('signals'));
    await runInProcess(cwd, ['upload', 'in.csv', '--quiet'], { env: withWrongKey(there) });
    const folder = await runFolder(cwd);
    await rm(path.join(folder, name), { force: true });
    const victim = path.join(cwd, 'victim');
    await (name === 'rejects' ? mkdir(victim) : write(cwd, 'victim', 'precious'));
    if (kind === 'a symbolic link') await symlink(victim, path.join(folder, name));
    else execFileSync('mkfifo', [path.join(folder, name)]);
    const resumed = await signals('resume', 'last', '--quiet');
    expect(resumed.stderr).toContain(`contains ${kind}`);
    expect(resumed.stderr).toContain(path.join(path.basename(folder), name));
    expect(resumed.code).toBe(2);
    expect(there.requests().filter(({ status }) => status === 200)).toEqual([]);
    if (name !== 'rejects') expect(await readFile(victim, 'utf8')).toBe('precious');
  });
});

test.for([
  ['report', 'report.html', []],
  ['report', 'mapping.yaml', ['-o', '-']],
  ['fix', 'mapping.fixed.yaml', ['--accept', '--overwrite']],
] as const)(
  'signals %s neither reads nor writes %s through a symbolic link',
  async ([command, name, options], { cwd, signals }) => {
    await write(cwd, 'in.csv', 'company_name,signal_title,source\nAcme,Title,news\nBeta,Title,Press\n');
    await signals('upload', 'in.csv', '--quiet');
    const folder = await runFolder(cwd);
    await write(cwd, 'victim', 'precious');
    await rm(path.join(folder, name), { force: true });
    await symlink(path.join(cwd, 'victim'), path.join(folder, name));
    const ended = await run(cwd, [command, 'last', ...options]);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('contains a symbolic link');
    expect(ended.stdout).not.toContain('precious');
    expect(await readFile(path.join(cwd, 'victim'), 'utf8')).toBe('precious');
  },
);

describe('a run folder that vanishes during the run', () => {
  /** Starts an upload of many batches, one after the other, and waits until some are sent. */
  async function underWay() {
    const cwd = await workspace();
    const there = await service({ injectFault: () => ({ latencyMs: 30 }) });
    await write(cwd, 'in.csv', csvOf('signals'));
    const options = ['--quiet', '--concurrency', '1', '--batch-size', '5'];
    const { ended } = start(cwd, ['upload', 'in.csv', ...options], { env: at(there) });
    await expect.poll(() => there.requests().length, { timeout: 20_000, interval: 5 }).toBeGreaterThan(3);
    return { cwd, there, ended, folder: await runFolder(cwd) };
  }

  test('stops the run and is named if it was deleted', async () => {
    const { there, ended, folder } = await underWay();
    await rm(folder, { recursive: true });
    const { code, stderr } = await ended;
    expect(stderr).toContain(`${path.basename(folder)} was deleted or renamed`);
    expect(stderr).toContain('resume the run by its new path.');
    expect(stderr).not.toContain('results.csv');
    expect(stderr).not.toContain('    at ');
    expect(code).toBe(6);
    expect(there.requests().length).toBeLessThan(ROWS / 5);
  });

  test('stops the run, which can be resumed at the new path if it was renamed', async () => {
    const { cwd, there, ended, folder } = await underWay();
    await rename(folder, `${folder}-moved`);
    const { code, stderr } = await ended;
    expect(stderr).toContain('was deleted or renamed');
    expect(code).toBe(6);
    const resumed = await runInProcess(cwd, ['resume', `${folder}-moved`, '--json'], { env: at(there) });
    expectEnd(resumed, 0, { rows: { read: ROWS, delivered: ROWS } });
    const times = await timesDelivered(there, FIELDS.signals);
    expect([times.size, Math.max(...times.values())]).toEqual([ROWS, 1]);
  });
});
