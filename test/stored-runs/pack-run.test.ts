import { readdir, rename, symlink } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readJournal } from '../../src/journal/read-journal.ts';
import { readRunFile } from '../../src/journal/run-file.ts';
import { packRun } from '../../src/stored-runs/pack-run.ts';
import { folderOfRuns } from '../support/complete-runs.ts';

test('an archive that may send gets its name only after the journal of this folder has ended', async () => {
  const root = await folderOfRuns('a');
  const folder = { id: 'a', path: path.join(root, 'a') };
  const run = { folder, file: await readRunFile(folder.path) };
  const read = await readJournal(folder.path);
  // A journal that cannot be written: links are not followed.
  const journal = path.join(folder.path, 'journal.ndjson');
  await rename(journal, path.join(root, 'journal'));
  await symlink(path.join(root, 'journal'), journal);
  const options = { target: path.join(root, 'a.tar.gz'), handOver: true, time: '2026-11-20T09:15:03Z' };
  await expect(packRun(run, read, options)).rejects.toMatchObject({ problems: [{ code: 'pack.failed' }] });
  expect(await readdir(root)).not.toContainEqual(expect.stringContaining('tar'));
});
