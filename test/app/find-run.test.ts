import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { resolveRun } from '../../src/app/find-run.ts';
import { readRunFile } from '../../src/journal/run-file.ts';
import { listRuns } from '../../src/stored-runs/catalogue.ts';
import { runFileOf } from '../support/run-file.ts';

/** A folder of runs: ids to when they began. */
async function runs(began: Readonly<Record<string, string | undefined>>): Promise<string> {
  const parent = path.join(import.meta.dirname, '..', '.tmp');
  await mkdir(parent, { recursive: true });
  const root = await mkdtemp(path.join(parent, 'find-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  for (const [run, startedAt] of Object.entries(began)) {
    await mkdir(path.join(root, run));
    await writeFile(path.join(root, run, 'journal.ndjson'), 'x\n');
    if (startedAt === undefined) continue;
    await writeFile(path.join(root, run, 'run.json'), JSON.stringify(runFileOf({ run, startedAt })));
  }
  return root;
}

test('the last run is the one that began last, within one second too, and whatever its name', async () => {
  const root = await runs({
    '20261120T091502Z-in-ffff': '2026-11-20T09:15:02.100Z',
    '20261120T091502Z-in-0000': '2026-11-20T09:15:02.900Z',
    nightly: '2026-11-20T09:15:01.000Z',
    '20261119T000000Z-unreadable-1111': undefined,
  });
  expect((await listRuns(root)).map(({ folder }) => folder.id)).toEqual([
    '20261119T000000Z-unreadable-1111',
    'nightly',
    '20261120T091502Z-in-ffff',
    '20261120T091502Z-in-0000',
  ]);
  expect((await resolveRun(root, 'last')).id).toBe('20261120T091502Z-in-0000');
  // A folder without a journal is no run.
  await mkdir(path.join(root, '20261121T000000Z-next-2222'));
  expect((await resolveRun(root, 'last')).id).toBe('20261120T091502Z-in-0000');
  expect((await resolveRun(root, 'night')).id).toBe('nightly');
  await expect(resolveRun(root, 'in-')).rejects.toThrow('matches 2 runs');
});

test('a run folder without its journal is named by its path, so that a command says what is missing', async () => {
  const root = await runs({ nightly: '2026-11-20T09:15:01.000Z' });
  const folder = path.join(root, 'nightly');
  await rm(path.join(folder, 'journal.ndjson'));
  expect((await resolveRun(root, folder)).id).toBe('nightly');
  await rm(path.join(folder, 'run.json'));
  await expect(resolveRun(root, folder)).rejects.toThrow('No runs');
  await expect(readRunFile(folder)).rejects.toThrow('has no run.json');
  await writeFile(path.join(folder, 'run.json'), '{');
  await expect(readRunFile(folder)).rejects.toThrow('is damaged');
});
