/**
 * The lock of a run: one process at a time works on it. The lock file names its holder. A lock is taken over when its
 * holder is certainly gone: killed, or from before the last boot.
 */
import { linkSync } from 'node:fs';
import { readFile, rename, stat, utimes } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { messageOf } from '../lib/text.ts';
import { ProblemError } from '../model/problem.ts';
import { hasCode, isMissing, readTextFile, removeFile, writePrivateFile } from './file-system.ts';

/** Another process holds the lock (exit code 7). */
export class RunLockedError extends ProblemError {
  override readonly exitCode = 7;

  constructor(folder: string, holder: LockHolder) {
    super({
      code: 'run.held',
      message: `Another process works on this run: process ${holder.pid} on ${holder.host}, since ${holder.since}.`,
      where: folder,
      hint: 'Wait until it has ended, or stop it.',
    });
    this.name = 'RunLockedError';
  }
}

export interface Lock {
  release(): Promise<void>;
}

export interface LockHolder {
  readonly host: string;
  /** Id of the boot; absent if the system has none. */
  readonly boot?: string | undefined;
  readonly pid: number;
  /** When the process started, in clock ticks since boot: a pid can be reused. */
  readonly started?: string | undefined;
  /** ISO 8601, UTC. */
  readonly since: string;
}

/** The holder touches its lock file this often. */
const HEARTBEAT_MS = 5_000;
/** A lock of another host counts as abandoned after this time without a heartbeat, because its process is not visible. */
const STALE_MS = 60_000;

/** @throws RunLockedError if a running process holds the lock; ProblemError `run.folder` if it cannot be written */
export async function lockRun(folder: string): Promise<Lock> {
  const file = path.join(folder, 'lock');
  const self = describeSelf();
  const draft = `${file}.${self.pid}`;
  try {
    writePrivateFile(draft, `${JSON.stringify(self)}\n`);
    await acquire(folder, file, draft);
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    throw new ProblemError({
      code: 'run.folder',
      message: `Cannot write to the run folder ${folder}: ${messageOf(error)}. Nothing was sent.`,
      hint: 'Free some disk space, or name another folder with --out DIR.',
    });
  } finally {
    removeFile(draft);
  }
  const heartbeat = setInterval(() => {
    const now = new Date();
    utimes(file, now, now).catch(() => undefined);
  }, HEARTBEAT_MS);
  heartbeat.unref();
  return {
    async release() {
      clearInterval(heartbeat);
      removeFile(file);
    },
  };
}

/** The process that works on a run now, if any. */
export async function lockHolder(folder: string): Promise<LockHolder | undefined> {
  const file = path.join(folder, 'lock');
  const holder = await readHolder(file);
  return holder !== undefined && (await isAlive(holder, file)) ? holder : undefined;
}

async function acquire(folder: string, file: string, draft: string): Promise<void> {
  if (tryLink(draft, file)) return;
  const holder = await readHolder(file);
  if (holder !== undefined && (await isAlive(holder, file))) throw new RunLockedError(folder, holder);
  // Of two processes that find an abandoned lock, only one can rename it.
  const abandoned = `${file}.left-${process.pid}`;
  await rename(file, abandoned).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
  removeFile(abandoned);
  if (tryLink(draft, file)) return;
  throw new RunLockedError(folder, (await readHolder(file)) ?? describeSelf());
}

/** A hard link fails if the name exists, so only one of two processes succeeds. */
function tryLink(draft: string, file: string): boolean {
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

async function readHolder(file: string): Promise<LockHolder | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    // Removed meanwhile, or not a lock file of signals.
    return undefined;
  }
}

async function isAlive(holder: LockHolder, file: string): Promise<boolean> {
  const self = describeSelf();
  if (holder.host !== self.host) {
    const touched = await stat(file).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    );
    return Date.now() - touched < STALE_MS;
  }
  if (holder.boot !== undefined && self.boot !== undefined && holder.boot !== self.boot) return false;
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    // EPERM: the process exists, but belongs to another user.
    if (!hasCode(error, 'EPERM')) return false;
  }
  const started = startOf(holder.pid);
  return holder.started === undefined || started === undefined || holder.started === started;
}

function describeSelf(): LockHolder {
  return {
    host: os.hostname(),
    boot: readTextFile('/proc/sys/kernel/random/boot_id')?.trim(),
    pid: process.pid,
    started: startOf(process.pid),
    since: new Date().toISOString(),
  };
}

/** Field 22 of /proc/PID/stat (proc(5)): clock ticks since boot. Undefined on a system without /proc. */
function startOf(pid: number): string | undefined {
  const text = readTextFile(`/proc/${pid}/stat`);
  // The second field is the program's name in parentheses, which can contain spaces and parentheses.
  return text?.slice(text.lastIndexOf(')') + 2).split(' ')[19];
}
