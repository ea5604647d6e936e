/** The name of a run folder, and what may be in it. */
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { folderSize } from '../../src/journal/file-system.ts';
import * as runFolder from '../../src/journal/run-folder.ts';
import { workspace } from '../support/program.ts';

test.each([
  ['in/Köln & Bonn.v2.csv', 0, '20261120T091502Z-k-ln-bonn-v2-0000'],
  ['--.csv', 0.9999999, '20261120T091502Z-run-ffff'],
  [`${'a'.repeat(50)}.csv`, 0.5, `20261120T091502Z-${'a'.repeat(40)}-8000`],
])('a run of %s has an id', (input, random, id) => {
  expect(runFolder.runId(new Date('2026-11-20T09:15:02.345Z'), input, () => random)).toBe(id);
});

test('a run folder is made once, and has only files of its own', async () => {
  const root = path.join(await workspace(), 'a', 'runs');
  const made = runFolder.createRunFolder(root, 'r');
  expect(await readFile(path.join(root, '.gitignore'), 'utf8')).toBe('*\n');
  const problem = (code: string) => expect.objectContaining({ problems: [expect.objectContaining({ code })] });
  expect(() => runFolder.createRunFolder(root, 'r')).toThrow(problem('run.exists'));
  expect(() => runFolder.createRunFolder('/dev/null/runs', 'r')).toThrow(problem('run.folder'));
  expect(await runFolder.hasStarted(made)).toBe(false);
  const journal = path.join(made.path, 'journal.ndjson');
  await writeFile(journal, 'incomplete');
  expect([await runFolder.hasStarted(made), runFolder.journalSize(made.path)]).toEqual([false, 10]);
  await writeFile(journal, 'a line\n');
  expect(await runFolder.hasStarted(made)).toBe(true);
  await mkdir(path.join(made.path, 'rejects'));
  await writeFile(path.join(made.path, 'rejects', 'in.csv'), '123');
  expect(folderSize(made.path)).toBe(10);
  runFolder.assertPlainFiles(made.path);
  await symlink('/etc/passwd', path.join(made.path, 'rejects', 'link'));
  expect(() => runFolder.assertPlainFiles(made.path)).toThrow('contains a symbolic link');
  expect(['stdin', 'x'].map((source) => runFolder.spoolName(source, 1))).toEqual(['stdin.spool', 'pipe-2.spool']);
});
