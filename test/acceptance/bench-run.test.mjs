import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '..', '..');
let folder;

beforeAll(async () => {
  const parent = path.join(root, 'test', '.tmp');
  await mkdir(parent, { recursive: true });
  folder = await mkdtemp(path.join(parent, 'bench-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs a script of bench/ with its files in the test's folder. */
function node(script, args, env = {}) {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [path.join(root, 'bench', script), ...args],
      { env: { PATH: process.env.PATH, SIGNALS_BENCH_DATA: folder, ...env }, timeout: 120_000 },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : error.code, stdout, stderr }),
    );
  });
}

describe('the data', () => {
  it('begins alike at every size, so that a smaller file is the beginning of a larger one', async () => {
    const files = [];
    for (const rows of ['50', '200']) files.push((await node('data.mjs', ['plain', rows])).stdout.trim());
    const [small = '', large = ''] = await Promise.all(files.map((file) => readFile(file, 'utf8')));
    expect(small.split('\n')).toHaveLength(52);
    expect(large.startsWith(small)).toBe(true);
  });

  it('holds the braces of its records and no others, for the sink counts by them', async () => {
    const text = async (form) => readFile((await node('data.mjs', [form, '2000'])).stdout.trim(), 'utf8');
    expect((await text('ndjson')).split('{')).toHaveLength(2001);
    expect(await text('plain')).not.toContain('{');
    expect(await text('export')).not.toContain('{');
  });
});

describe('npm run bench', () => {
  it('measures this program and the bare loop, and every record arrives', async () => {
    const { code, stdout, stderr } = await node('run.mjs', [
      ...['--series', 'csv', '--only', 'upload,bare', '--rows', '1050', '--rounds', '2', '--json'],
    ]);
    expect(stderr).not.toContain('FAILED');
    expect(code).toBe(0);
    const { series, targets } = JSON.parse(stdout);
    const [{ runs }] = series.csv.cells;
    expect(Object.keys(runs)).toEqual(expect.arrayContaining(['upload', 'upload, transforms', 'bare loop']));
    for (const list of Object.values(runs)) {
      expect(list).toHaveLength(2);
      for (const run of list) {
        expect(run.requests).toBe(11);
        expect(run.wall).toBeGreaterThan(0);
        expect(run.cpu).toBeGreaterThan(0);
      }
    }
    const again = await node('run.mjs', ['--report', '--json']);
    expect(JSON.parse(again.stdout)).toEqual({ series, targets });
    expect(
      targets.find(({ figure }) => figure.startsWith('CSV') && figure.includes('share of the bare loop')).plain.value,
    ).toBeGreaterThan(0);
  }, 120_000);

  it('leaves out a peer that cannot be had, and says why', async () => {
    const { code, stdout } = await node('run.mjs', ['--series', 'start', '--only', 'python', '--rounds', '1'], {
      PATH: folder,
    });
    expect(stdout).toContain('python, threads took no part: python3 is not there (ENOENT).');
    expect(code).toBe(0);
  }, 120_000);

  it('gives no figure to a peer that says it is done, and delivered nothing', async () => {
    const bin = path.join(folder, 'bin');
    await mkdir(bin);
    const idle = path.join(bin, 'idle');
    await writeFile(idle, '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    await writeFile(path.join(bin, 'python3'), `#!/bin/sh\necho ${idle}\n`, { mode: 0o755 });
    const { code, stdout } = await node(
      'run.mjs',
      ['--series', 'csv', '--only', 'python', '--rows', '200', '--rounds', '1'],
      { PATH: `${bin}:${process.env.PATH}` },
    );
    expect(stdout).toMatch(/python, threads +FAILED: 0 records arrived instead of 200/);
    expect(code).toBe(1);
  }, 120_000);

  it('explains itself where it is not understood', async () => {
    const { code, stdout, stderr } = await node('run.mjs', ['--series', 'parquet']);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain('there is no series parquet');
    expect(stderr).toContain('--series NAME');
  });
});
