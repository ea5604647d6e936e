/** bin/verify-run.py, which shares no code with the program: it accepts what the program writes, and finds what was changed. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect } from 'vitest';
import { csvOf, plainRow, root, run, runIds, socialCsv, test, write } from '../support/program.ts';

const COUNT = process.env['SIGNALS_CORRUPTIONS'] ?? '150';

const python = (script: string, ...args: readonly string[]) =>
  spawnSync('python3', [path.join(root, script), ...args], { encoding: 'utf8' });

const hasPython = python('bin/verify-run.py').status === 2;

test.skipIf(!hasPython)(
  'honest runs hold, and each changed claim is found',
  { timeout: 900_000 },
  async ({ cwd, there, signals }) => {
    // Records of every fate: delivered at once and after a retry, refused and isolated, invalid, skipped, duplicate, unknown.
    there.fault = ({ n, elements }) => {
      if (JSON.stringify(elements).includes('"Company 33"')) return { status: 422 };
      return n % 7 === 3 ? { status: 500 } : undefined;
    };
    await write(
      cwd,
      'in.csv',
      csvOf(260, (n) => (n % 40 === 0 ? `,x,"T\nU",news,2026-11-20` : plainRow(n % 50 === 9 ? n - 1 : n))),
    );
    await signals('upload', 'in.csv', '--dedupe', '--skip', '3', '--run-id', 'csv');
    await signals('upload', 'in.csv', '--shard', '2/2', '--batch-size', '20', '--run-id', 'shard');
    await write(cwd, 'social.csv', socialCsv(150));
    there.fault = ({ n }) => (n % 2 === 0 ? { status: 500 } : undefined);
    await signals('upload', 'social.csv', '--setting', 'canary=no', '--run-id', 'social');
    await write(cwd, 'more.csv', socialCsv(240));
    there.fault = undefined;
    await signals('upload', 'more.csv', '--run-id', 'more');
    await signals('resume', 'social', '--unknown');
    await run(cwd, ['upload', 'in.csv', '--setting', 'retries=0', '--run-id', 'down'], {
      env: { SIGNALS_BASE_URL: 'http://127.0.0.1:1', SIGNALS_API_KEY: 'right-key' },
    });
    await signals('resume', 'down', '--base-url', there.url, '--yes');

    const folders = (await runIds(cwd)).map((name) => path.join(cwd, 'signals-runs', name));
    const honest = python('bin/verify-run.py', ...folders);
    expect(honest.stdout).toMatch(new RegExp(`^(holds .*\n){${folders.length}}$`));
    expect(honest.status).toBe(0);

    const corrupted = python('test/verify/corruptions.py', COUNT, '1', ...folders);
    expect(corrupted.stdout).toBe(`${COUNT} corruptions, 0 not found\n`);
  },
);
