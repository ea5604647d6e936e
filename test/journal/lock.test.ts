/** The lock of a run, with real second processes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type LockHolder, lockHolder, lockRun, RunLockedError } from '../../src/journal/lock.ts';

async function runFolder(): Promise<string> {
  const parent = path.join(import.meta.dirname, '..', '.tmp');
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(path.join(parent, 'lock-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function otherProcess(): Promise<ChildProcess & { readonly pid: number }> {
  const child = spawn(process.execPath, ['-e', 'console.log(1); setInterval(() => {}, 1000)']);
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  if (child.pid === undefined) throw new Error('the process did not start');
  return Object.assign(child, { pid: child.pid });
}

/** The lock that this process would write, with changes. */
async function writeLock(folder: string, changes: Partial<LockHolder>): Promise<string> {
  const file = path.join(folder, 'lock');
  const lock = await lockRun(folder);
  const own: LockHolder = JSON.parse(await readFile(file, 'utf8'));
  await lock.release();
  await writeFile(file, JSON.stringify({ ...own, ...changes }));
  return file;
}

test('a lock is exclusive until it is released, and leaves no file', async () => {
  const folder = await runFolder();
  const lock = await lockRun(folder);
  expect(await lockHolder(folder)).toMatchObject({ pid: process.pid });
  await expect(lockRun(folder)).rejects.toBeInstanceOf(RunLockedError);
  await lock.release();
  expect(await lockHolder(folder)).toBeUndefined();
  expect(await readdir(folder)).toEqual([]);
});

test('the lock of another process holds while it runs, and is taken over once it was killed', async () => {
  const folder = await runFolder();
  const child = await otherProcess();
  await writeLock(folder, { pid: child.pid, started: undefined });
  await expect(lockRun(folder)).rejects.toThrow(`process ${child.pid}`);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(await lockHolder(folder)).toBeUndefined();
  const lock = await lockRun(folder);
  expect(await readdir(folder)).toEqual(['lock']);
  await lock.release();
});

test.skipIf(process.platform !== 'linux')(
  'a lock is taken over if its pid belongs to a later process, or if it is from before the last boot',
  async () => {
    const folder = await runFolder();
    const child = await otherProcess();
    await writeLock(folder, { pid: child.pid, started: '1' });
    await (await lockRun(folder)).release();
    await writeLock(folder, { pid: child.pid, started: undefined, boot: 'another boot' });
    await (await lockRun(folder)).release();
  },
);

test('the lock of another host holds until it was not touched for a minute', async () => {
  const folder = await runFolder();
  const file = await writeLock(folder, { host: 'elsewhere', pid: 1 });
  await expect(lockRun(folder)).rejects.toThrow('on elsewhere');
  const longAgo = new Date(Date.now() - 61_000);
  await utimes(file, longAgo, longAgo);
  expect(await lockHolder(folder)).toBeUndefined();
  await (await lockRun(folder)).release();
});

test('a lock file that is damaged locks nothing', async () => {
  const folder = await runFolder();
  await writeFile(path.join(folder, 'lock'), '{"host":');
  await (await lockRun(folder)).release();
});
