/** `runs explain`: which records the service rejected, and what must never happen while it finds out. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect } from 'vitest';
import type { Sandbox, SandboxServerOptions } from '../../src/sandbox/index.ts';
import {
  at,
  plainRow,
  printed,
  run,
  runFolder,
  runIds,
  runInProcess,
  service,
  socialCsv,
  start,
  test,
  workspace,
  write,
  writeCsv,
} from '../support/program.ts';

const REJECTS = { behaviour: { reject: 'Poison' } };

interface World {
  readonly cwd: string;
  readonly there: Sandbox;
  /** The lines of the input whose records the service rejects. */
  readonly bad: readonly number[];
  explain(...words: readonly string[]): ReturnType<typeof run>;
  /** `_line` of the rows in the rejects file. */
  listed(): Promise<readonly number[]>;
}

/** Uploads rows, of which the service rejects those for which `isBad` holds. */
async function uploaded(
  rows: number,
  isBad: (n: number) => boolean,
  options: Partial<SandboxServerOptions> = {},
): Promise<World> {
  const cwd = await workspace();
  const there = await service({ ...REJECTS, ...options });
  const row = (n: number) => (isBad(n) ? plainRow(n).replace('Company', 'Poison') : plainRow(n));
  await writeCsv(cwd, 'in.csv', rows, row);
  const ended = await run(cwd, ['upload', 'in.csv', '--setting', 'canary=no'], { env: at(there) });
  expect(ended.stdout + ended.stderr).toContain('runs explain');
  return {
    cwd,
    there,
    bad: Array.from({ length: rows }, (_, n) => n + 1).flatMap((n) => (isBad(n) ? [n + 1] : [])),
    explain: (...words) => runInProcess(cwd, ['runs', 'explain', 'last', ...words], { env: at(there) }),
    async listed() {
      const text = await readFile(path.join(await runFolder(cwd), 'rejects', 'in.csv'), 'utf8').catch(() => '');
      return text
        .split('\r\n')
        .flatMap((line) => (/^\d+,the service rejected it/.test(line) ? [Number.parseInt(line, 10)] : []));
    },
  };
}

/** The same rows for the same percentage, neither evenly spread nor together. */
const scattered = (percent: number) => (n: number) => (Math.imul(n, 2_654_435_761) >>> 0) / 2 ** 32 < percent / 100;

describe('runs explain', () => {
  test.each([0.1, 1, 5])('names all of the rejected records and no other: %d percent', async (percent) => {
    const { there, bad, explain, listed } = await uploaded(3000, scattered(percent));
    expect(bad.length).toBeGreaterThan(0);
    const before = there.requests().length;
    const ended = await explain('--yes', '--json');
    expect(ended.code).toBe(0);
    expect(await listed()).toEqual(bad);
    const requests = there.requests().length - before;
    expect(requests).toBeLessThanOrEqual(20 * bad.length);
    expect(JSON.parse(ended.stdout)).toMatchObject({ rejected: bad.length, named: bad.length, requests, left: 0 });
    // Nothing was stored twice.
    expect(
      there
        .requests()
        .slice(before)
        .every(({ accepted }) => accepted === 0),
    ).toBe(true);
  });
});

describe('a second explain', () => {
  test('sends nothing, lists nothing twice, and `runs show` counts the rows of the rejects file', async () => {
    const { cwd, there, bad, explain, listed } = await uploaded(300, (n) => n === 7 || n === 250);
    expect((await explain('--yes')).code).toBe(0);
    const before = there.requests().length;
    const again = await explain('--yes');
    expect(again.stdout).toContain('Found 2 of 2 rejected records');
    expect(there.requests()).toHaveLength(before);
    expect(await listed()).toEqual(bad);
    const shown = await runInProcess(cwd, ['runs', 'show', 'last']);
    expect(shown.stdout).toMatch(/^ +298 {2}delivered /m);
    expect(shown.stdout).toMatch(/^ +2 {2}rejected /m);
    expect(shown.stdout).toMatch(/rejects\/in\.csv +2 rows to correct/);
    expect(shown.stdout).toMatch(/^Fix +.*signals\.js fix$/m);
    const rows = await runInProcess(cwd, ['runs', 'show', '--rows', 'rejected']);
    expect(rows.stdout.match(/^in\.csv:\d+/gm)).toEqual(bad.map((line) => `in.csv:${line}`));
    const states = async (line: number) => await printed(cwd, 'runs', 'find', `in.csv:${line}`);
    expect(await states(bad[0] ?? 0)).toContain(`in.csv:${bad[0]}  rejected, batch 1 as `);
    expect(await states(3)).toMatch(/in\.csv:3 {2}delivered, batch 1 as \S+ {2}"/);
  });

  test('is what tells a rejected record from the delivered ones of its batch', async () => {
    const { cwd } = await uploaded(30, (n) => n === 7);
    const found = await runInProcess(cwd, ['runs', 'find', 'in.csv:3']);
    expect(found.stdout).toContain('; the service rejected 1 of its 30 records');
    const rows = await runInProcess(cwd, ['runs', 'show', '--rows', 'rejected']);
    expect(rows.stdout).toBe('');
    expect(rows.stderr).toContain('The service does not say which row it rejected. To find it: ');
  });

  test('finishes a listing during which the process was killed', async () => {
    const { cwd, bad, explain, listed } = await uploaded(300, (n) => n % 60 === 1);
    expect((await explain('--yes')).code).toBe(0);
    const folder = await runFolder(cwd);
    const [log, rejects] = [path.join(folder, 'explain.ndjson'), path.join(folder, 'rejects', 'in.csv')];
    const lines = (await readFile(log, 'utf8')).trimEnd().split('\n');
    expect(lines.at(-1)).toContain('rejects.listed');
    await writeFile(log, `${lines.slice(0, -1).join('\n')}\n{"event":"rej`);
    await writeFile(rejects, (await readFile(rejects)).subarray(0, -40));
    expect((await explain('--yes')).code).toBe(0);
    expect(await listed()).toEqual(bad);
  });

  test('after kill -9 at any moment names each record once', async () => {
    const { cwd, there, bad, explain, listed } = await uploaded(1200, (n) => n % 40 === 1, {
      injectFault: ({ records }) => (records < 100 ? { latencyMs: 15 } : undefined),
    });
    const journal = path.join(await runFolder(cwd), 'journal.ndjson');
    const written = await readFile(journal, 'utf8');
    for (const requests of [2, 30, 60]) {
      const goal = there.requests().length + requests;
      const { child, ended } = start(cwd, ['runs', 'explain', 'last', '--yes'], { env: at(there) });
      await expect.poll(() => there.requests().length, { interval: 5, timeout: 30_000 }).toBeGreaterThanOrEqual(goal);
      child.kill('SIGKILL');
      await ended;
    }
    expect((await explain('--yes')).code).toBe(0);
    expect(await listed()).toEqual(bad);
    expect(await readFile(journal, 'utf8')).toBe(written);
  });
});

describe('answers that do not add up', () => {
  test('name nothing of the part they are about, and say so', async () => {
    let isLying = false;
    const stats = { accepted: 0, deduplicated: 45, rejected: 5 };
    const body = JSON.stringify({ success: true, batchId: 'b', stats });
    const isFirst = (elements: readonly unknown[]) => JSON.stringify(elements).includes('company3.');
    const { bad, explain, listed } = await uploaded(200, (n) => n === 3 || n === 180, {
      injectFault: ({ elements }) =>
        isLying && elements.length === 50 && isFirst(elements) ? { status: 200, body } : undefined,
    });
    isLying = true;
    const ended = await explain('--yes');
    expect(ended.code).toBe(3);
    expect(ended.stdout).toContain('Found 1 of 2 rejected records');
    expect(ended.stdout).toContain('the answer contradicts that');
    expect(await listed()).toEqual(bad.slice(1));
  });

  test('stop everything if the service accepts records that it has', async () => {
    const { there, explain, listed } = await uploaded(300, (n) => n % 60 === 1);
    await fetch(`${there.url}/sandbox/reset`, { method: 'POST' });
    const ended = await explain('--yes');
    expect(ended.code).toBe(6);
    expect(ended.stdout).toContain('accepted records that it had');
    expect(there.requests()).toHaveLength(1);
    expect(await listed()).toEqual([]);
  });
});

test('also names records of batches that a resume delivered, whole or in parts', async ({ cwd }) => {
  let isDown = true;
  const there = await service({
    ...REJECTS,
    injectFault: ({ records }) => (isDown ? { status: 500 } : records > 60 ? { status: 413 } : undefined),
  });
  await writeCsv(cwd, 'in.csv', 150, (n) =>
    n === 30 || n === 80 || n === 140 ? plainRow(n).replace('Company', 'Poison') : plainRow(n),
  );
  const words = ['--setting', 'retries=0', '--setting', 'canary=no'];
  expect((await runInProcess(cwd, ['upload', 'in.csv', ...words], { env: at(there) })).code).toBe(4);
  isDown = false;
  const [root = ''] = await runIds(cwd);
  expect((await runInProcess(cwd, ['resume', root], { env: at(there) })).code).toBe(3);
  const explained = await runInProcess(cwd, ['runs', 'explain', 'last', '--yes', '--json'], { env: at(there) });
  expect(explained.code).toBe(0);
  const rejects = path.join(cwd, 'signals-runs', root, 'rejects', 'in.csv');
  expect(JSON.parse(explained.stdout)).toMatchObject({ run: root, rejected: 3, named: 3 });
  const lines = (await readFile(rejects, 'utf8')).trimEnd().split('\r\n').slice(1);
  expect(lines.map((line) => Number.parseInt(line, 10))).toEqual([31, 81, 141]);
});

describe('nothing is sent', () => {
  test('without a yes, and the command with the yes is printed', async () => {
    const { there, explain } = await uploaded(100, (n) => n === 5);
    const before = there.requests().length;
    const ended = await explain();
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('up to 8 requests.');
    expect(ended.stderr).toMatch(/runs explain last --yes/);
    expect(there.requests()).toHaveLength(before);
  });

  test('for social events, with the reason', async ({ cwd, there, signals }) => {
    await write(cwd, 'in.csv', socialCsv(20));
    await signals('upload', 'in.csv');
    const ended = await signals('runs', 'explain', 'last', '--yes');
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('documents no deduplication');
    expect(there.requests()).toHaveLength(1);
  });

  test('if the input has changed', async () => {
    const { cwd, there, explain } = await uploaded(100, (n) => n === 5);
    const text = await readFile(path.join(cwd, 'in.csv'), 'utf8');
    await writeFile(path.join(cwd, 'in.csv'), text.replace('Company 90', 'Company 09'));
    const before = there.requests().length;
    expect((await explain('--yes')).code).toBe(2);
    expect(there.requests()).toHaveLength(before);
  });
});
