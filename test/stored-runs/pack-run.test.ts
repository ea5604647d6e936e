import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { appendFile, copyFile, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { packTar, type TarEntry } from 'modern-tar';
import { expect, test } from 'vitest';
import { encodeLine } from '../../src/journal/lines.ts';
import { readJournal } from '../../src/journal/read-journal.ts';
import { readRunFile } from '../../src/journal/run-file.ts';
import { draftOfArchive } from '../../src/journal/run-folder.ts';
import { packedInput, packRun } from '../../src/stored-runs/pack-run.ts';
import { unpackRun } from '../../src/stored-runs/unpack-run.ts';
import { folderOfRuns } from '../support/complete-runs.ts';
import { openIn } from '../support/files.ts';
import { heldLock } from '../support/held-lock.ts';
import { runFileOf } from '../support/run-file.ts';

test('an archive that may send gets its name only after the journal of this folder has ended', async () => {
  const root = await folderOfRuns('a');
  const folder = { id: 'a', path: path.join(root, 'a') };
  const lock = heldLock();
  const run = { folder, file: await readRunFile(folder.path), lock };
  const read = await readJournal(folder.path);
  // A journal that cannot be written: links are not followed.
  const journal = path.join(folder.path, 'journal.ndjson');
  await rename(journal, path.join(root, 'journal'));
  await symlink(path.join(root, 'journal'), journal);
  const options = { target: path.join(root, 'a.tar.gz'), handOver: true, time: '2026-11-20T09:15:03Z' };
  const pack = (target = options.target) => packRun(run, read, { ...options, target });
  const failed = { problems: [{ code: 'pack.failed' }] };
  await expect(pack()).rejects.toMatchObject(failed);
  await expect(pack(path.join(root, 'none', 'a'))).rejects.toMatchObject(failed);
  // A draft says that nobody has an archive, should the journal have been ended.
  const drafts = async () => (await readdir(root)).filter((name) => name.includes('tar'));
  expect(await drafts()).toEqual([path.basename(draftOfArchive(options.target, folder, true))]);
  // The journal has ended, and the archive cannot get its name: this folder may send.
  await rename(path.join(root, 'journal'), journal);
  const text = await readFile(journal, 'utf8');
  const packing = pack();
  mkdirSync(path.join(options.target, 'folder'), { recursive: true });
  await expect(packing).rejects.toMatchObject(failed);
  expect(await readFile(journal, 'utf8')).toBe(text);
  expect(await drafts()).toEqual([path.basename(options.target)]);
  // Another process has taken the run over.
  lock.lose();
  await expect(pack(path.join(root, 'b'))).rejects.toMatchObject({ problems: [{ code: 'run.lost' }] });
  expect(await readFile(journal, 'utf8')).toBe(text);
  expect(await readdir(root)).not.toContain('b');
  expect(await readdir(root)).toContain(path.basename(draftOfArchive('b', folder, true)));
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
  await writeFile(path.join(folder.path, 'rejects', 'none.csv'), '');
  const input = path.join(root, 'sent.csv');
  await writeFile(input, 'a\n1\n');
  const file = await readRunFile(folder.path);
  const [first] = file.inputs;
  if (first === undefined) throw new Error('the run has an input');
  const sources = ['in.csv.gz', 'same.csv', 'pipe', 'data'];
  const paths = [input, input, undefined, path.join(folder.path, 'run.json')];
  const inputs = sources.map((source, n) => ({ ...first, source, path: paths[n] }));
  const run = { folder, file: { ...file, inputs }, lock: heldLock() };
  const journal = (of: string): Promise<string> => readFile(path.join(of, 'journal.ndjson'), 'utf8');
  const before = await journal(folder.path);
  const read = await readJournal(folder.path);
  const stopped: typeof read = { ...read, runState: { ...read.runState, state: 'stopped' } };
  const pack = (target: string, handOver: boolean, what = stopped) =>
    packRun(run, what, { target: path.join(root, target), handOver, time: '2026-11-20T09:15:03Z' });
  const unpack = async (target: string, to = there) => (await unpackRun(path.join(root, target), to)).isNew;

  // Of a pack that was killed.
  await writeFile(draftOfArchive(path.join(root, 'lock.tgz'), folder, false), '');
  expect(await pack('lock.tgz', false)).toEqual({ inputs: [], bytes: (await stat(path.join(root, 'lock.tgz'))).size });
  await expect(pack('lock.tgz', false)).rejects.toMatchObject({ problems: [{ code: 'pack.exists' }] });
  expect(await journal(folder.path)).toBe(before);
  expect(await pack('complete', true, read)).toMatchObject({ inputs: [] });
  expect(await unpack('lock.tgz', path.join(there, 'new'))).toBe(true);
  await copyFile(path.join(root, 'lock.tgz'), draftOfArchive(path.join(root, 'draft'), folder, true));
  await expect(unpack(path.basename(draftOfArchive('draft', folder, true)))).rejects.toThrow('it is incomplete');
  expect([await unpack('lock.tgz'), await unpack('lock.tgz')]).toEqual([true, false]);
  expect((await readdir(unpacked, { recursive: true })).toSorted()).toEqual([
    'journal.ndjson',
    'rejects',
    'rejects/in.csv',
    'rejects/lock',
    'rejects/none.csv',
    'run.json',
  ]);
  expect((await stat(path.join(unpacked, 'run.json'))).mode & 0o777).toBe(0o600);
  expect((await readJournal(unpacked)).runState.handedOver).toMatchObject({ copy: true, to: folder.path });

  await appendFile(path.join(folder.path, 'journal.ndjson'), '{"incomplete');
  expect(await pack('sends', true)).toMatchObject({ inputs: ['in.csv.gz', 'data'] });
  expect(openIn(root)).toEqual([]);
  const { runState } = await readJournal(folder.path);
  expect(runState.handedOver).toEqual({ time: '2026-11-20T09:15:03Z', to: path.join(root, 'sends'), copy: undefined });
  expect([await unpack('sends'), await unpack('sends'), await unpack('lock.tgz')]).toEqual([true, false, false]);
  expect(await journal(unpacked)).toBe(before);
  const packed = path.join(unpacked, 'inputs', '1.csv.gz');
  const found = await Promise.all(inputs.map((_, n) => packedInput(unpacked, inputs, n)));
  expect(found).toEqual([packed, packed, undefined, path.join(unpacked, 'inputs', '4')]);
  expect(await readFile(packed, 'utf8')).toBe('a\n1\n');

  const again = { target: path.join(root, 'again'), handOver: true, time: '2026-11-20T09:15:04Z' };
  expect((await packRun({ ...run, folder: { id: 'a', path: unpacked } }, stopped, again)).inputs).toEqual([]);

  for (const other of [before.replace('in.csv', 'xx.csv'), before.slice(0, before.lastIndexOf('{'))]) {
    await writeFile(path.join(unpacked, 'journal.ndjson'), other);
    await expect(unpack('sends')).rejects.toMatchObject({ problems: [{ code: 'archive.differs' }] });
  }
  await rm(path.join(unpacked, 'journal.ndjson'));
  await expect(unpack('sends')).rejects.toMatchObject({ problems: [{ code: 'archive.differs' }] });
  await rename(unpacked, path.join(there, 'b'));
  await symlink('nowhere', unpacked);
  await expect(unpack('sends')).rejects.toThrow('ENOTDIR');
  expect((await readdir(there)).filter((name) => name.startsWith('.unpack'))).toEqual([]);
});

const entry = (name: string, header: Partial<TarEntry['header']> = {}): TarEntry => ({
  header: { name, size: header.type === undefined ? 2 : 0, ...header },
  body: header.type === undefined ? '{}' : '',
});

const runEntries = (run: string, journal: string): TarEntry[] => {
  const file = JSON.stringify(runFileOf({ run, startedAt: '2026-11-20T09:15:02Z' }));
  const texts = [['run.json', file] as const, ['journal.ndjson', journal] as const];
  return texts.map(([name, body]) => ({ header: { name: `run/${name}`, size: body.length }, body }));
};

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
  ['damaged', 'has the run other', ...runEntries('other', 'x\n')],
  ['damaged', 'has no journal', ...runEntries('run', '')],
  ['damaged', 'has no journal', ...runEntries('run', encodeLine({ event: 'run.handed_over' }))],
])('an archive that is %s leaves nothing behind: %s', async (code, words, ...entries) => {
  const root = await folderOfRuns();
  const archive = path.join(root, '.archive');
  await writeFile(archive, gzipSync(await packTar(entries)));
  await expect(unpackRun(archive, root)).rejects.toMatchObject({
    problems: [{ code: `archive.${code}`, message: expect.stringContaining(words) }],
  });
  expect((await readdir(root)).filter((name) => !/^\.(?:archive|gitignore|start)$/.test(name))).toEqual([]);
});

test.each([
  [2 ** 30, 0, 'archive.damaged'],
  [2 ** 30 + 1, 0, 'archive.unsafe'],
  [2 ** 30 + 1, 5_000_000, 'archive.damaged'],
])('an archive with a file of %d bytes, as it says, and %d random ones is refused as %s', async (size, more, code) => {
  const root = await folderOfRuns();
  const archive = path.join(root, '.archive');
  const tar = Buffer.from(await packTar([entry('run/x')]));
  tar.write(size.toString(8).padStart(11, '0'), 124);
  const sum = tar
    .fill(' ', 148, 156)
    .subarray(0, 512)
    .reduce((all, byte) => all + byte, 0);
  tar.write(`${sum.toString(8).padStart(6, '0')}\0`, 148);
  await writeFile(archive, gzipSync(Buffer.concat([tar.subarray(0, 512), randomBytes(more)]), { level: 0 }));
  await expect(unpackRun(archive, root)).rejects.toMatchObject({ problems: [{ code }] });
});
