/**
 * One process at a time works on a run. The lock is a file that names its holder; where the holder is certainly
 * gone (killed, or the machine was started anew), its lock is taken over.
 */

import { linkSync } from 'node:fs';
import { readFile, rename, stat, utimes } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { messageOf } from '../lib/text.ts';
import { ProblemError } from '../model/problem.ts';
import { isMissing } from './exists.ts';
import { readTextFile, removeFile, writePrivateFile } from './file-system.ts';

/** Thrown where another process holds the run (exit code 7). */
export class RunLockedError extends ProblemError {
  override readonly exitCode = 7;

  constructor(folder: string, holder: LockHolder) {
    super({
      code: 'run.held',
      message: `Another process works on this run: process ${holder.pid} on ${holder.host}, since ${holder.since}.`,
      where: folder,
      hint: 'Wait until it has ended, or end it.',
    });
    this.name = 'HeldError';
  }
}

export interface Lock {
  release(): Promise<void>;
}

export interface LockHolder {
  readonly host: string;
  /** Differs from boot to boot; absent where the system does not say. */
  readonly boot?: string;
  readonly pid: number;
  /** When the process started, in the system's own count; a pid is used again, this is not. */
  readonly started?: string;
  readonly since: string;
}

/** The holder touches its lock this often. */
const HEARTBEAT_MS = 5_000;
/** On another host nobody can look for the process: a lock that was not touched for so long is taken as left behind. */
const STALE_MS = 60_000;

/** @throws HeldError where a living process holds the run */
export async function lockRun(folder: string): Promise<Lock> {
  const file = path.join(folder, 'lock');
  const me = self();
  const draft = `${file}.${me.pid}`;
  try {
    writePrivateFile(draft, `${JSON.stringify(me)}\n`);
    await take(folder, file, draft);
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    throw new ProblemError({
      code: 'run.folder',
      message: `The run folder ${folder} cannot be written: ${messageOf(error)}. Nothing was sent.`,
      hint: 'Make room on the disk, or name another folder with --out DIR.',
    });
  } finally {
    removeFile(draft);
  }
  const beat = setInterval(() => {
    const now = new Date();
    utimes(file, now, now).catch(() => undefined);
  }, HEARTBEAT_MS);
  beat.unref();
  return {
    async release() {
      clearInterval(beat);
      removeFile(file);
    },
  };
}

/** Who works on a run now; undefined where nobody does. */
export async function lockHolder(folder: string): Promise<LockHolder | undefined> {
  const file = path.join(folder, 'lock');
  const holder = await holderOf(file);
  return holder !== undefined && (await isAlive(holder, file)) ? holder : undefined;
}

async function take(folder: string, file: string, draft: string): Promise<void> {
  // A hard link either makes the name or fails: of two processes one wins.
  if (linked(draft, file)) return;
  const holder = await holderOf(file);
  if (holder !== undefined && (await isAlive(holder, file))) throw new RunLockedError(folder, holder);
  // Of two that find it left behind, only one can move it away, because the name is then gone.
  const left = `${file}.left-${process.pid}`;
  await rename(file, left).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
  removeFile(left);
  if (linked(draft, file)) return;
  throw new RunLockedError(folder, (await holderOf(file)) ?? self());
}

function linked(draft: string, file: string): boolean {
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

async function holderOf(file: string): Promise<LockHolder | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    // Gone meanwhile, or not a lock of ours: then it holds nothing.
    return undefined;
  }
}

async function isAlive(holder: LockHolder, file: string): Promise<boolean> {
  const me = self();
  if (holder.host !== me.host) {
    const touched = await stat(file).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    );
    return Date.now() - touched < STALE_MS;
  }
  if (holder.boot !== undefined && me.boot !== undefined && holder.boot !== me.boot) return false;
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    // EPERM: it is there, and somebody else's.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  const started = startOf(holder.pid);
  return holder.started === undefined || started === undefined || holder.started === started;
}

function self(): LockHolder {
  const boot = readTextFile('/proc/sys/kernel/random/boot_id');
  const started = startOf(process.pid);
  return {
    host: os.hostname(),
    ...(boot === undefined ? {} : { boot: boot.trim() }),
    pid: process.pid,
    ...(started === undefined ? {} : { started }),
    since: new Date().toISOString(),
  };
}

/** Field 22 of /proc/PID/stat (proc(5)): ticks since boot. Undefined where there is no /proc. */
function startOf(pid: number): string | undefined {
  const text = readTextFile(`/proc/${pid}/stat`);
  // The second field is the program's name in brackets, and may hold blanks and brackets itself.
  return text?.slice(text.lastIndexOf(')') + 2).split(' ')[19];
}
