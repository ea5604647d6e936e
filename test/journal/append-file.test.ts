import { existsSync, statSync, writeSync } from 'node:fs';
import { mkdir, mkdtemp, open, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test, vi } from 'vitest';
import { AppendFile, type AppendOptions, openAppend } from '../../src/journal/append-file.ts';
import { writePrivateFile } from '../../src/journal/file-system.ts';
import { openIn } from '../support/files.ts';

async function place(): Promise<string> {
  const parent = path.join(import.meta.dirname, '..', '.tmp');
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(path.join(parent, 'append-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return path.join(folder, 'file');
}

const reserve = '/nowhere/reserve';

test('writes in the order of the calls, and resolves when the text is in the file', async () => {
  const file = await place();
  const journal = await openAppend(file);
  const lines = Array.from({ length: 1000 }, (_, n) => `${n}\n`);
  const written = lines.map((line) => journal.append(line));
  await written[10];
  expect((await readFile(file, 'utf8')).startsWith(lines.slice(0, 11).join(''))).toBe(true);
  await Promise.all(written);
  expect(await readFile(file, 'utf8')).toBe(lines.join(''));
  expect(journal.length).toBe(lines.join('').length);
  await journal.close();
});

test.runIf(process.platform !== 'win32')('does not follow a symbolic link', async () => {
  const file = await place();
  await symlink(path.join(path.dirname(file), 'victim'), file);
  await expect(openAppend(file)).rejects.toMatchObject({ code: 'ELOOP' });
  expect(() => writePrivateFile(file, 'x')).toThrow('ELOOP');
  expect(await readdir(path.dirname(file))).toEqual(['file']);
});

test.each([false, true])('goes on behind what is there, and can be cut back, with fsync: %s', async (fsync) => {
  const file = await place();
  const first = await openAppend(file);
  await first.append('one\ntwo\n');
  await first.close();
  const second = await openAppend(file, { fsync });
  expect(second.length).toBe(8);
  void second.append('three\n');
  await second.truncate(4);
  expect([second.length, statSync(file).size]).toEqual([4, 4]);
  await second.append('four\n');
  await second.close();
  expect(await readFile(file, 'utf8')).toBe('one\nfour\n');
});

test('fails for good once a write has failed', async () => {
  const file = await place();
  const journal = await openAppend(file, { reserve: `${file}.reserve` });
  await journal.append('x\n');
  await journal.close();
  await expect(journal.append('y\n')).rejects.toThrow('"fd"');
  await expect(journal.append('z\n')).rejects.toThrow('"fd"');
  expect(journal.diskFull).toBeUndefined();
});

test('writes nothing once it must not', async () => {
  const file = await place();
  let error: Error | undefined;
  const journal = await openAppend(file, { blockedBy: () => error });
  await journal.append('one\n');
  error = new Error('blocked');
  void journal.append('two\n');
  await new Promise(setImmediate);
  await expect(journal.flush()).rejects.toThrow('blocked');
  error = undefined;
  await expect(journal.append('three\n')).rejects.toThrow('blocked');
  await journal.close();
  expect(await readFile(file, 'utf8')).toBe('one\n');
});

test('reserves space that no file system compresses away, until it is closed', async () => {
  const file = await place();
  const journal = await openAppend(file, { reserve: `${file}.reserve` });
  expect((await stat(`${file}.reserve`)).size).toBe(65_536);
  expect(gzipSync(await readFile(`${file}.reserve`)).length).toBeGreaterThan(65_000);
  await journal.close();
  expect(await readdir(path.dirname(file))).toEqual(['file']);
  const other = await openAppend(file, { reserve: `${file}.reserve` });
  await rm(`${file}.reserve`);
  await other.close();
  await expect(openAppend(file, { reserve: `${file}/none` })).rejects.toThrow('ENOTDIR');
});

/** A file whose first writes meet a full disk and leave a part of it. `sync` ends each datasync. */
async function onFullDisk(options: AppendOptions, sync: () => Promise<void> = async () => undefined, failing = 1) {
  const file = await place();
  const real = await open(file, 'a');
  const full = await open('/dev/full', 'w');
  onTestFinished(() => Promise.all([real.close(), full.close()]).then(() => undefined));
  let writes = 0;
  const handle = Object.create(real, {
    fd: {
      get() {
        writes += 1;
        if (writes > failing) return real.fd;
        writeSync(real.fd, 'a part');
        return full.fd;
      },
    },
    truncate: { value: (length: number) => real.truncate(length) },
    datasync: { value: sync },
  });
  return { file, journal: new AppendFile(handle, 0, options) };
}

const hasFullDevice = existsSync('/dev/full');

test.runIf(hasFullDevice).each([false, true])(
  'repeats a write on a full disk without what the first one left, with fsync: %s',
  async (fsync) => {
    const reserved = await place();
    await writeFile(reserved, '');
    const { file, journal } = await onFullDisk({ fsync, reserve: reserved });
    const copied = journal.copy(async () => {
      await expect.poll(() => journal.diskFull).toBeDefined();
      void journal.append('next\n');
      await new Promise(setImmediate);
      expect(existsSync(reserved)).toBe(true);
    });
    await journal.append('line\n');
    await copied;
    await journal.flush();
    expect(journal.diskFull).toMatchObject({ code: 'ENOSPC' });
    expect(existsSync(reserved)).toBe(false);
    expect(await readFile(file, 'utf8')).toBe('line\nnext\n');
  },
);

test.runIf(hasFullDevice)('frees the reserved space once', async () => {
  const reserved = await place();
  const { journal } = await onFullDisk({ reserve: reserved }, undefined, 9);
  await expect(journal.append('one\n')).rejects.toThrow('ENOSPC');
  await journal.truncate(0);
  await writeFile(reserved, '');
  await expect(journal.append('two\n')).rejects.toThrow('ENOSPC');
  expect(existsSync(reserved)).toBe(true);
});

test.runIf(hasFullDevice)('appends nothing after a failed write until it is cut off', async () => {
  const { file, journal } = await onFullDisk({});
  await expect(journal.append('one\n')).rejects.toThrow('ENOSPC');
  await expect(journal.append('two\n')).rejects.toThrow('ENOSPC');
  expect(await readFile(file, 'utf8')).toBe('a part');
  await journal.truncate(0);
  await journal.append('three\n');
  expect(await readFile(file, 'utf8')).toBe('three\n');
});

test.runIf(hasFullDevice)('with fsync, waits for the disk, also when a write is repeated', async () => {
  let release: () => void = () => undefined;
  const { journal } = await onFullDisk({ reserve, fsync: true }, () => new Promise((resolve) => (release = resolve)));
  for (const line of ['repeated\n', 'next\n']) {
    let isWritten = false;
    const written = journal.append(line).then(() => {
      isWritten = true;
    });
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(isWritten).toBe(false);
    release();
    await written;
  }
});

test('writes lines of any length as they are, whatever waits in front of them', async () => {
  const file = await place();
  const journal = await openAppend(file);
  // Longer than the memory for waiting lines, than what is kept of it, and than what may wait.
  const lines = [1, 3000, 5000, 20, 70_000, 300_000, 7].map((length) => `${'ü€🦉x'.repeat(length)}\n`);
  for (const line of lines) void journal.append(line);
  expect(journal.length).toBe(Buffer.byteLength(lines.join('')));
  const flushed = journal.flush();
  expect(journal.length).toBe(statSync(file).size);
  await flushed;
  for (const line of lines) void journal.append(line);
  await journal.close();
  expect(await readFile(file, 'utf8')).toBe([...lines, ...lines].join(''));
});

/** Spies on a method of all open files. */
async function spyOnFiles(name: 'datasync' | 'truncate') {
  const handle = await open(import.meta.filename);
  const spy = vi.spyOn(Object.getPrototypeOf(handle), name);
  onTestFinished(() => spy.mockRestore());
  await handle.close();
  return spy.mockClear();
}

test.each([
  ['on the disk', true],
  ['in the file, and may not be on the disk,', false],
])('a line is %s when its promise resolves, with fsync: %s', async (_where, fsync) => {
  const file = await place();
  const journal = await openAppend(file, { fsync });
  const sync = await spyOnFiles('datasync');
  await journal.append('x\n');
  expect(await Promise.all(sync.mock.results.map(({ value }) => value))).toHaveLength(fsync ? 1 : 0);
  sync.mockClear();
  await journal.moveToCopy(file);
  expect(sync.mock.settledResults.map(({ type }) => type)).toEqual(fsync ? ['fulfilled'] : []);
  await journal.close();
});

test.runIf(process.platform === 'linux')('has one file open, although the copy could not take its place', async () => {
  const file = await place();
  const journal = await openAppend(file);
  (await spyOnFiles('truncate')).mockRejectedValueOnce(new Error('EIO'));
  await expect(journal.moveToCopy(file)).rejects.toThrow('EIO');
  expect(openIn(path.dirname(file))).toEqual(['file']);
  await journal.moveToCopy(file);
  await journal.append('x\n');
  expect([openIn(path.dirname(file)), await readFile(file, 'utf8')]).toEqual([['file'], 'x\n']);
  await journal.close();
});

test('keeps what is appended while another thread writes apart from what it writes', async () => {
  const file = await place();
  const journal = await openAppend(file, { fsync: true });
  const lines = Array.from({ length: 200 }, (_, n) => `${n} ${'x'.repeat(100)}\n`);
  for (const line of lines) {
    void journal.append(line);
    void journal.flush();
  }
  expect(journal.length).toBe(lines.join('').length);
  await journal.close();
  expect(await readFile(file, 'utf8')).toBe(lines.join(''));
});

test.each([false, true])(
  'continues in a copy, without what another process still appends to the file, with fsync: %s',
  async (fsync) => {
    const file = await place();
    const stale = await openAppend(file);
    await stale.append('one\n');
    const holder = await openAppend(file, { fsync });
    void holder.append('two\n');
    const { ino } = statSync(file);
    await holder.moveToCopy(file);
    expect(statSync(file).ino).not.toBe(ino);
    await stale.append('stale\n');
    const other = await openAppend(file);
    await other.append('late\n');
    await writeFile(`${file}.tmp`, 'left by a killed process');
    await holder.moveToCopy(file);
    await other.append('later\n');
    await holder.append('three\n');
    for (const each of [stale, other, holder]) await each.close();
    expect(await readFile(file, 'utf8')).toBe('one\ntwo\nthree\n');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(path.dirname(file))).toEqual(['file']);
  },
);
