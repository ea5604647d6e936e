import { mkdir, readdir, readFile, rename, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { packTar, type TarEntry } from 'modern-tar';
import { expect, test } from 'vitest';
import { readJournal } from '../../src/journal/read-journal.ts';
import { readRunFile } from '../../src/journal/run-file.ts';
import { packedInput, packRun } from '../../src/stored-runs/pack-run.ts';
import { unpackRun } from '../../src/stored-runs/unpack-run.ts';
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

test('an archive is the run, and is unpacked once; one that may send takes the place of a copy', async () => {
  const root = await folderOfRuns('a');
  const there = await folderOfRuns();
  const folder = { id: 'a', path: path.join(root, 'a') };
  const unpacked = path.join(there, 'a');
  await mkdir(path.join(folder.path, 'rejects'));
  for (const name of ['lock', 'lock.2', 'journal.reserve', 'x.tmp', 'rejects/lock', 'rejects/in.csv']) {
    await writeFile(path.join(folder.path, name), name);
  }
  const input = path.join(root, 'sent.csv');
  await writeFile(input, 'a\n1\n');
  const file = await readRunFile(folder.path);
  const [first] = file.inputs;
  if (first === undefined) throw new Error('the run has an input');
  const inputs = ['in.csv.gz', 'same.csv', 'pipe'].map((source, n) => ({
    ...first,
    source,
    path: n < 2 ? input : undefined,
  }));
  const run = { folder, file: { ...file, inputs } };
  const journal = (of: string): Promise<string> => readFile(path.join(of, 'journal.ndjson'), 'utf8');
  const before = await journal(folder.path);
  const read = await readJournal(folder.path);
  const stopped: typeof read = { ...read, runState: { ...read.runState, state: 'stopped' } };
  const pack = (target: string, handOver: boolean, what = stopped) =>
    packRun(run, what, { target: path.join(root, target), handOver, time: '2026-11-20T09:15:03Z' });
  const unpack = async (target: string) => (await unpackRun(path.join(root, target), there)).isNew;

  expect(await pack('copy', false)).toEqual({ inputs: [], bytes: (await stat(path.join(root, 'copy'))).size });
  await expect(pack('copy', false)).rejects.toMatchObject({ problems: [{ code: 'pack.exists' }] });
  expect(await pack('complete', true, read)).toMatchObject({ inputs: [] });
  expect([await unpack('copy'), await unpack('copy')]).toEqual([true, false]);
  expect((await readdir(unpacked, { recursive: true })).toSorted()).toEqual([
    'journal.ndjson',
    'rejects',
    'rejects/in.csv',
    'rejects/lock',
    'run.json',
  ]);
  expect((await stat(path.join(unpacked, 'run.json'))).mode & 0o777).toBe(0o600);
  expect((await readJournal(unpacked)).runState.handedOver).toMatchObject({ copy: true, to: folder.path });

  expect(await pack('sends', true)).toMatchObject({ inputs: ['in.csv.gz'] });
  const { runState } = await readJournal(folder.path);
  expect(runState.handedOver).toEqual({ time: '2026-11-20T09:15:03Z', to: path.join(root, 'sends'), copy: undefined });
  expect([await unpack('sends'), await unpack('sends'), await unpack('copy')]).toEqual([true, false, false]);
  expect(await journal(unpacked)).toBe(before);
  const packed = path.join(unpacked, 'inputs', '1.csv.gz');
  expect(await Promise.all([0, 1, 2].map((n) => packedInput(unpacked, inputs, n)))).toEqual([
    packed,
    packed,
    undefined,
  ]);
  expect(await readFile(packed, 'utf8')).toBe('a\n1\n');

  await truncate(path.join(unpacked, 'journal.ndjson'), before.indexOf('\n') + 1);
  await expect(unpack('sends')).rejects.toMatchObject({ problems: [{ code: 'archive.differs' }] });
  expect((await readdir(there)).filter((name) => name.startsWith('.unpack'))).toEqual([]);
});

const entry = (name: string, header: Partial<TarEntry['header']> = {}): TarEntry => ({
  header: { name, size: header.type === undefined ? 2 : 0, ...header },
  body: header.type === undefined ? '{}' : '',
});

test.each<[code: string, words: string, ...entries: TarEntry[]]>([
  ['unsafe', 'outside a run folder', entry('run/../../evil')],
  ['unsafe', 'outside a run folder', entry('run/..')],
  ['unsafe', 'outside a run folder', entry('run/.')],
  ['unsafe', 'outside a run folder', entry('/tmp/evil')],
  ['unsafe', 'outside a run folder', entry('.git/config')],
  ['unsafe', 'outside a run folder', entry('run')],
  ['unsafe', 'outside a run folder', entry('run/inputs/')],
  ['unsafe', 'outside a run folder', entry('run/other/x')],
  ['unsafe', 'outside a run folder', entry('run/inputs/x/y')],
  ['unsafe', 'outside a run folder', entry('run/a\u001b[2J')],
  ['unsafe', 'a link or a special file', entry('run/x', { type: 'symlink', linkname: '/etc/passwd' })],
  ['unsafe', 'a link or a special file', entry('run/x', { type: 'link', linkname: 'run/journal.ndjson' })],
  ['unsafe', 'never packed', entry('run/LOCK.3')],
  ['unsafe', 'more than one run', entry('run/x'), entry('other/x')],
  ['damaged', 'it is empty'],
])('an archive that is %s leaves nothing behind: %s', async (code, words, ...entries) => {
  const root = await folderOfRuns();
  const archive = path.join(root, '.archive');
  await writeFile(archive, gzipSync(await packTar(entries)));
  await expect(unpackRun(archive, root)).rejects.toMatchObject({
    problems: [{ code: `archive.${code}`, message: expect.stringContaining(words) }],
  });
  expect((await readdir(root)).filter((name) => !/^\.(?:archive|gitignore|start)$/.test(name))).toEqual([]);
});
