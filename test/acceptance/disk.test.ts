/**
 * A disk that is full, at many points of a run: a small tmpfs in a mount namespace of its own holds the run
 * folder. Afterwards there is room, and `resume` goes on. The service's own log is the witness.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect } from 'vitest';
import type { RecordType } from '../../src/model/record.ts';
import type { InjectedFault, Sandbox, SandboxServerOptions } from '../../src/sandbox/index.ts';
import { at, program, test, timesDelivered, write } from '../support/program.ts';

type Incoming = Parameters<NonNullable<SandboxServerOptions['injectFault']>>[0];

/** Whether this process may mount: as root, or in a user namespace. */
const unshare = [['-m'], ['-r', '-m']].find(
  (flags) => spawnSync('unshare', [...flags, 'sh', '-c', 'mount -t tmpfs -o size=64k tmpfs /mnt']).status === 0,
);

const ROWS = 2400;
const isFaulty = (n: number): boolean => n % 9 === 0;
const isPoison = (n: number): boolean => n % 500 === 7;
const HEADERS = { signals: 'company_name,signal_title,signal_source', social: 'platform,engagement_type,engager_name' };
const FIELDS = { signals: 'company_name', social: 'engager_name' };

const nameOf = (n: number): string => `Name ${n}${isPoison(n) ? ' poison' : ''}`;
function csvOf(type: RecordType): string {
  const row = (n: number): string =>
    type === 'signals'
      ? `${isFaulty(n) ? '' : nameOf(n)},Title,news`
      : `${isFaulty(n) ? '' : 'linkedin'},like,${nameOf(n)}`;
  return `${[HEADERS[type], ...Array.from({ length: ROWS }, (_, n) => row(n + 1))].join('\n')}\n`;
}

function misbehave({ n, elements }: Incoming): InjectedFault | undefined {
  if (JSON.stringify(elements).includes('poison')) return { status: 422 };
  if (n % 5 === 3) return { status: 500 };
  return { latencyMs: 5 };
}

interface Step {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Requests that the service had seen behind it. */
  readonly requests: number;
}

interface Kept {
  readonly batch: string;
  readonly outcome: string;
  readonly payload: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>>;
}

/** Names of the records whose payload was kept, by what became of their batch. */
async function keptNames(cwd: string, type: RecordType): Promise<ReadonlyMap<string, string>> {
  const [run = ''] = (await readdir(path.join(cwd, 'kept'))).filter((name) => !name.startsWith('.'));
  const text = await readFile(path.join(cwd, 'kept', run, 'undelivered.ndjson'), 'utf8').catch(() => '');
  const batches = text.split('\n').flatMap((line): readonly Kept[] => (line === '' ? [] : [JSON.parse(line)]));
  return new Map(
    batches.flatMap(({ outcome, payload }) =>
      Object.values(payload)
        .flat()
        .map((record) => [record[FIELDS[type]] ?? '', outcome] as const),
    ),
  );
}

/** Lines of the input that its rejects file lists, in its order. */
async function listedLines(cwd: string, runs = 'kept'): Promise<readonly number[]> {
  const [run = ''] = (await readdir(path.join(cwd, runs))).filter((name) => !name.startsWith('.'));
  const text = await readFile(path.join(cwd, runs, run, 'rejects', 'in.csv'), 'utf8');
  expect(text).not.toContain('\0');
  const [, ...rows] = text.trim().split(/\r?\n/);
  return rows.map((row) => Number.parseInt(row, 10));
}

describe.runIf(unshare !== undefined)('a disk with room for', { timeout: 120_000 }, () => {
  test.for([
    { type: 'social', size: 48 },
    { type: 'social', size: 108 },
    { type: 'social', size: 164 },
    { type: 'signals', size: 136 },
  ] as const)(
    '$size KB stops a run of $type, and with more room it goes on',
    async ({ type, size }, { cwd, there }) => {
      there.fault = misbehave;
      await write(cwd, 'in.csv', csvOf(type));
      await mkdir(path.join(cwd, 'disk'));
      const options =
        '--out disk/runs --json --concurrency 3 --setting retries=20 --setting isolate=yes --setting canary=no';
      const result = await session(cwd, there, [
        `mount -t tmpfs -o size=${size}k tmpfs disk`,
        ['first', `${signals} upload in.csv ${options}`],
        ['shown', `${signals} runs show last --out disk/runs --json`],
        ['told', `${signals} runs show last --out disk/runs`],
        'cp -r disk/runs stopped',
        ['full', `${signals} resume last ${options}`],
        'mount -o remount,size=64m disk',
        ['second', `${signals} resume last ${options}`],
        'cp -r disk/runs kept',
      ]);

      const first = await result('first');
      expect(first.stderr).toContain('ENOSPC');
      expect(first.stderr).toContain('cannot be written');
      expect(first.stderr).not.toContain('bug in signals');
      const full = await result('full');
      if (first.code === 2) {
        expect(full.requests, 'nothing was sent').toBe(0);
        return;
      }
      expect(first.code).toBe(6);
      const summary = JSON.parse(first.stdout);
      const arrivedBy = ({ requests }: Step): number =>
        there
          .requests()
          .slice(0, requests)
          .reduce((sum, { status, records }) => sum + (status === 200 ? records : 0), 0);
      const arrived = arrivedBy(first);
      expect(summary).toMatchObject({ balanced: true, state: 'stopped', rows: { delivered: arrived } });
      const shown = JSON.parse((await result('shown')).stdout);
      expect(shown.balanced).toBe(true);
      // What was under way when the disk was full found room in the reserve: afterwards it is known as well.
      expect(shown).toMatchObject({ state: 'stopped', rows: { delivered: arrived } });
      const rejected = (await listedLines(cwd, 'stopped')).length;
      const rowsToFix = new RegExp(`rejects/in\\.csv +${rejected} rows? to correct`);
      expect((await result('told')).stdout).toMatch(rowsToFix);
      expect(rejected).toBeGreaterThanOrEqual(summary.rows.invalid);
      expect([2, 6]).toContain(full.code);
      expect(full.stderr).toContain('ENOSPC');
      // What a resume takes back of the rejects file is room, in which it may go on for a while.
      if (full.code === 2) expect(full.requests, 'nothing was sent').toBe(first.requests);
      else expect(JSON.parse(full.stdout).rows.delivered).toBe(arrivedBy(full));

      const second = await result('second');
      expect([3, 4], second.stderr).toContain(second.code);
      expect(JSON.parse(second.stdout)).toMatchObject({
        balanced: true,
        state: 'complete',
        rows: { read: ROWS, pending: 0, exhausted: 0 },
      });
      // Each row that is to be corrected stands there once, whatever the full disk cut off.
      const listed = await listedLines(cwd);
      expect(new Set(listed).size).toBe(listed.length);
      const unlisted = Array.from({ length: ROWS }, (_, n) => n + 1).filter(
        (n) => isFaulty(n) && !listed.includes(n + 1),
      );
      expect(unlisted).toEqual([]);
      const seen = await timesDelivered(there, FIELDS[type]);
      const kept = await keptNames(cwd, type);
      const missing = Array.from({ length: ROWS }, (_, n) => n + 1)
        .filter((n) => !isFaulty(n) && !seen.has(nameOf(n)) && !kept.has(nameOf(n)))
        .map(nameOf);
      expect(missing).toEqual([]);
      if (type === 'social') expect([...seen.values()].filter((count) => count > 1)).toEqual([]);
      const states = [...kept.values()];
      expect(states.filter((state) => state === 'unknown')).toHaveLength(JSON.parse(second.stdout).rows.unknown);
    },
  );
});

/** Runs a script in a mount namespace of its own; resolves to the exit code, output and requests of each step. */
async function session(
  cwd: string,
  there: Sandbox,
  lines: readonly (string | readonly [name: string, command: string])[],
): Promise<(name: string) => Promise<Step>> {
  const steps = lines.map((line) => {
    if (typeof line === 'string') return line;
    const [name, command] = line;
    const seen = `fetch('${there.url}/sandbox/requests').then((a) => a.text()).then((t) => console.log(t.split('\\n').length - 1))`;
    return `${command} >${name}.out 2>${name}.err; echo $? >${name}.code\n"${process.execPath}" -e "${seen}" >${name}.seen`;
  });
  await write(cwd, 'session.sh', steps.join('\n'));
  const child = spawn('unshare', [...(unshare ?? []), 'sh', 'session.sh'], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd, SIGNALS_CONFIG_DIR: path.join(cwd, 's'), ...at(there) },
    stdio: 'ignore',
  });
  await new Promise((resolve) => child.on('close', resolve));
  return async (name) => {
    const read = (kind: string): Promise<string> => readFile(path.join(cwd, `${name}.${kind}`), 'utf8');
    return {
      code: Number(await read('code')),
      stdout: await read('out'),
      stderr: await read('err'),
      requests: Number(await read('seen')),
    };
  };
}

const signals = `"${process.execPath}" "${program}"`;

test.runIf(unshare !== undefined)(
  'a pipe that does not fit on the disk stops its run, and what came of it is sent when there is room',
  { timeout: 120_000 },
  async ({ cwd, there }) => {
    const rows = 12_000;
    const lines = Array.from({ length: rows }, (_, n) => `linkedin,like,Person ${n}`);
    await write(cwd, 'in.csv', `${[HEADERS.social, ...lines].join('\n')}\n`);
    await mkdir(path.join(cwd, 'disk'));
    const step = await session(cwd, there, [
      'mount -t tmpfs -o size=240k tmpfs disk',
      ['first', `cat in.csv | ${signals} upload - --type social --out disk/runs --json`],
      'mount -o remount,size=64m disk',
      ['second', `${signals} resume last --out disk/runs --json`],
    ]);
    const first = await step('first');
    expect(first.code, first.stderr).toBe(6);
    expect(first.stderr).toContain('cannot be written (ENOSPC');
    const second = await step('second');
    // The rest of the pipe is gone, and no output says that all is well.
    expect(second.code, second.stderr).toBe(6);
    const summary = JSON.parse(second.stdout);
    expect(summary).toMatchObject({ balanced: true, state: 'stopped', rows: { pending: 0, unknown: 0 } });
    expect(summary.rows.delivered).toBe(summary.rows.read);
    expect(second.stderr).toContain('Upload the remaining rows');
    const seen = await timesDelivered(there, 'engager_name');
    expect(seen.size).toBe(summary.rows.delivered);
    expect([...seen.values()].every((count) => count === 1)).toBe(true);
  },
);

test.runIf(unshare !== undefined)(
  'a pipe for which there was no room at all is told from one that can be gone on with, and can be sent anew',
  { timeout: 120_000 },
  async ({ cwd, there }) => {
    await write(cwd, 'in.csv', csvOf('social'));
    await mkdir(path.join(cwd, 'disk'));
    const step = await session(cwd, there, [
      // Room for the small files and the reserve, and not for a page of the pipe.
      'mount -t tmpfs -o size=88k tmpfs disk',
      ['first', `cat in.csv | ${signals} upload - --type social --out disk/runs --json`],
      'mount -o remount,size=64m disk',
      ['resume', `${signals} resume last --out disk/runs --json`],
      ['again', `cat in.csv | ${signals} upload - --type social --out disk/runs --json`],
    ]);
    const first = await step('first');
    expect(first.code, first.stderr).toBe(6);
    expect(JSON.parse(first.stdout)).toMatchObject({ balanced: true, state: 'stopped', rows: { read: 0 } });
    expect(first.stderr).toContain('cannot be written (ENOSPC');
    const resume = await step('resume');
    expect(resume.code, resume.stderr).toBe(2);
    expect(JSON.parse(resume.stdout)).toMatchObject({ errors: [{ code: 'resume.nothing_kept' }] });
    expect(resume.requests).toBe(0);
    const again = await step('again');
    expect(again.code, again.stderr).toBe(3);
    expect(JSON.parse(again.stdout)).toMatchObject({ state: 'complete', rows: { read: ROWS } });
  },
);

test.runIf(unshare !== undefined)(
  'a folder that can only be read keeps a run from beginning and from going on, and nothing is sent',
  { timeout: 120_000 },
  async ({ cwd, there }) => {
    await write(cwd, 'in.csv', csvOf('social'));
    await write(cwd, 'other.csv', csvOf('signals'));
    await mkdir(path.join(cwd, 'disk'));
    const step = await session(cwd, there, [
      'mount -t tmpfs -o size=4m tmpfs disk',
      ['begun', `SIGNALS_API_KEY=wrong ${signals} upload in.csv --out disk/runs --json`],
      'mount -o remount,ro disk',
      ['upload', `${signals} upload other.csv --out disk/runs --json`],
      ['resume', `${signals} resume last --out disk/runs --json`],
      ['shown', `${signals} runs show last --out disk/runs --json`],
      'mount -o remount,rw disk',
      ['again', `${signals} resume last --out disk/runs --json`],
    ]);
    const begun = await step('begun');
    expect(begun.code, begun.stderr).toBe(5);
    for (const name of ['upload', 'resume']) {
      const { code, stdout, stderr, requests } = await step(name);
      expect(code, `${name}: ${stderr}`).toBe(2);
      expect(JSON.parse(stdout)).toMatchObject({ errors: [{ code: 'run.folder' }] });
      expect(stderr).toContain('EROFS');
      expect(requests).toBe(begun.requests);
    }
    expect(JSON.parse((await step('shown')).stdout)).toMatchObject({ balanced: true, state: 'stopped' });
    const again = await step('again');
    expect(again.code, again.stderr).toBe(3);
    expect(JSON.parse(again.stdout).rows).toMatchObject({ read: ROWS, pending: 0 });
  },
);
