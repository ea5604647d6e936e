/**
 * One process at a time works on a run: the one whose token is in the lock file `lock`, or `lock.2`, `lock.3`, … after a takeover. It
 * touches that file every few seconds. A file is created exclusively, under the next free number, once the holders of all
 * others are gone. A process removes only its own file and those of holders that it found gone.
 */
import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, readlinkSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { attempt, hasCode, messageOf } from '../lib/text.ts';
import { ProblemError } from '../model/problem.ts';
import { fileNamesIn, isDiskFull, isMissing, removeFile } from './file-system.ts';

export interface LockHolder extends ProcessIdentity {
  readonly token: string;
  readonly since: string;
}

export type Lock = ReturnType<typeof holdLock>;

export interface LockOptions {
  /** Called before a wait: only its heartbeat can tell whether the holder is alive. */
  readonly onWait?: ((holder: LockHolder, ms: number) => void) | undefined;
  /** Milliseconds. Default: 5,000. */
  readonly heartbeatMs?: number | undefined;
  /** A holder that cannot be looked up is gone after this time without a heartbeat. Default: 60,000. */
  readonly staleMs?: number | undefined;
}

const HEARTBEAT_MS = 5_000;
const RETRY_MS = 10;
const STALE_MS = 60_000;
/** How long {@link Lock.confirm} relies on the last read of the lock file, and on it if the file cannot be read. */
const CONFIRM_MS = 250;
const UNREADABLE_MS = 30_000;

export class RunLockedError extends ProblemError {
  constructor(folder: string, { pid, host, since }: LockHolder) {
    const message = `Another process works on this run: process ${pid} on ${host}, since ${since}.`;
    super({ code: 'run.held', message, where: folder, hint: 'Wait for it to finish, or stop it.' }, 7);
  }
}

export class LockLostError extends ProblemError {
  constructor(folder: string, taker: LockHolder | undefined) {
    const other = taker === undefined ? 'another process' : `process ${taker.pid} on ${taker.host}`;
    const message = `This process was paused for too long, and ${other} has taken over the run. This process sends nothing more.`;
    super({ code: 'run.lost', message, where: folder, hint: 'Let the other process finish the run.' }, 7);
  }
}

export class FolderLostError extends Error {
  constructor(folder: string) {
    super(`The run folder ${folder} was deleted or renamed during the run. Nothing more is sent.`);
    this.name = 'FolderLostError';
  }
}

/**
 * @throws RunLockedError if a living process holds the run
 * @throws ProblemError `run.folder` if the lock file cannot be written
 */
export async function lockRun(folder: string, options: LockOptions = {}): Promise<Lock> {
  const own: LockHolder = { ...ownIdentity(), token: randomUUID(), since: new Date().toISOString() };
  const draft = path.join(folder, `lock.draft-${own.token}`);
  try {
    writeFileSync(draft, `${JSON.stringify(own)}\n`, { mode: 0o600, flag: 'wx' });
    const acquired = await acquire(folder, own, draft, options);
    removeLeftovers(folder, own);
    return holdLock(folder, acquired, own, options.heartbeatMs ?? HEARTBEAT_MS);
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    const elsewhere =
      'To use this run, copy its folder to a place where you may write, and name the copy. For a new run, name a folder with --out DIR.';
    throw unwritable(folder, error, isDiskFull(error) ? 'Free disk space.' : elsewhere);
  } finally {
    // If it stays, the next holder removes it.
    attempt(() => rmSync(draft, { force: true }));
  }
}

export function unwritable(folder: string, error: unknown, hint: string): ProblemError {
  const message = `The run folder ${folder} cannot be written: ${messageOf(error)}. Nothing was sent.`;
  return new ProblemError({ code: 'run.folder', message, hint });
}

/** The holder of a run, if it seems alive. A holder that cannot be looked up counts if its lock is fresh. */
export function lockHolder(folder: string): LockHolder | undefined {
  return locksIn(folder).find(({ holder, touchedAt }) => seemsAlive(holder, touchedAt))?.holder;
}

function seemsAlive(holder: LockHolder | undefined, touchedAt: number): boolean {
  const existence = holder === undefined ? 'unclear' : existenceOf(holder);
  return existence === 'exists' || (existence === 'unclear' && Math.abs(Date.now() - touchedAt) < STALE_MS);
}

interface Acquired {
  readonly file: string;
  /** The process that held it before may still be alive: only its heartbeat had stopped. */
  readonly isContested: boolean;
}

async function acquire(folder: string, own: LockHolder, draft: string, options: LockOptions): Promise<Acquired> {
  for (;;) {
    const gone = locksIn(folder);
    for (const lock of gone) {
      if (await isAlive(folder, lock, own, options)) throw new RunLockedError(folder, lock.holder);
    }
    const number = (gone.at(-1)?.number ?? 0) + 1;
    const file = path.join(folder, number === 1 ? 'lock' : `lock.${number}`);
    try {
      // A hard link is created, or fails because the name exists: of two processes one succeeds.
      linkSync(draft, file);
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
      await sleep(RETRY_MS);
      continue;
    }
    const newer = locksIn(folder).filter(
      ({ holder, touchedAt }) =>
        holder.token !== own.token &&
        !gone.some((lock) => lock.holder.token === holder.token && lock.touchedAt === touchedAt),
    );
    if (newer.length > 0) {
      // A process that had read the folder earlier locked it at the same time: neither lock counts.
      rmSync(file, { force: true });
      await sleep(RETRY_MS * (1 + 9 * Math.random()));
      continue;
    }
    for (const lock of gone) {
      if ((readHolder(lock.file)?.token ?? '') === lock.holder.token) attempt(() => removeFile(lock.file));
    }
    return { file, isContested: gone.some(({ holder }) => existenceOf(holder, own) === 'unclear') };
  }
}

/** Removes what killed processes have left. A draft of a lock belongs to a process that is about to ask for it. */
function removeLeftovers(folder: string, own: LockHolder): void {
  for (const name of fileNamesIn(folder)) {
    const file = path.join(folder, name);
    const isDraft = name.startsWith('lock.draft-') && !name.endsWith(own.token);
    const isLeft = isDraft
      ? !seemsAlive(readForeignHolder(file), statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0)
      : name === 'journal.reserve' || name.endsWith('.tmp');
    if (isLeft) attempt(() => removeFile(file));
  }
}

async function isAlive(folder: string, lock: LockFile, own: LockHolder, options: LockOptions): Promise<boolean> {
  const existence = existenceOf(lock.holder, own);
  return existence === 'exists' || (existence === 'unclear' && (await showsHeartbeat(folder, lock, options)));
}

/** Watches a lock by this process's own clock, because the clocks of two hosts differ. */
async function showsHeartbeat(
  folder: string,
  lock: LockFile,
  { staleMs = STALE_MS, onWait }: LockOptions,
): Promise<boolean> {
  onWait?.(lock.holder, staleMs);
  const began = performance.now();
  while (performance.now() - began < staleMs) {
    await sleep(Math.min(500, staleMs / 10));
    const now = locksIn(folder).find(({ file, holder }) => file === lock.file && holder.token === lock.holder.token);
    if (now === undefined) return false;
    if (now.touchedAt !== lock.touchedAt) return true;
  }
  return false;
}

function holdLock(folder: string, { file, isContested }: Acquired, own: LockHolder, heartbeatMs: number) {
  const lost = new AbortController();
  const inode = inodeOf(folder);
  let lastBeat = readClocks();
  let unreadable: unknown;
  const beat = (): void => {
    if (lost.signal.aborted) return;
    let holder: LockHolder | undefined;
    unreadable = undefined;
    try {
      holder = readHolder(file);
    } catch (error) {
      // As with too many open files. A later heartbeat finds out who holds the lock.
      unreadable = error;
      return;
    }
    if (holder?.token === own.token) {
      const time = new Date();
      // As on a disk that became read-only: the next write reports it, and a stale lock is found to be lost.
      attempt(() => utimesSync(file, time, time));
      lastBeat = readClocks();
      return;
    }
    clearInterval(timer);
    const isSameFolder = inode !== undefined && inodeOf(folder) === inode;
    lost.abort(isSameFolder ? new LockLostError(folder, locksIn(folder).at(-1)?.holder) : new FolderLostError(folder));
  };
  const timer = setInterval(beat, heartbeatMs);
  timer.unref();
  return {
    /** Aborted by a heartbeat. The reason is a {@link LockLostError} or a {@link FolderLostError}. */
    lost: lost.signal,
    isContested,
    /**
     * Call this before each attempt. Reads the lock file, unless it was read a moment ago.
     * @throws LockLostError, FolderLostError, or the system's error if the file could not be read for {@link UNREADABLE_MS}
     */
    confirm(): void {
      const sinceMs = msSince(lastBeat);
      if (sinceMs > CONFIRM_MS) beat();
      lost.signal.throwIfAborted();
      if (unreadable !== undefined && sinceMs > UNREADABLE_MS) throw unreadable;
    },
    release(): void {
      clearInterval(timer);
      // If it stays, the next process finds that this one is gone.
      attempt(() => {
        if (readHolder(file)?.token === own.token) removeFile(file);
      });
    },
  };
}

function inodeOf(folder: string): string | undefined {
  const stats = attempt(() => statSync(folder, { bigint: true }));
  return stats && `${stats.dev} ${stats.ino}`;
}

function readClocks() {
  return { monotonic: performance.now(), wall: Date.now() };
}

/** By the clock that shows more: sleep stops the monotonic one, and the other can be set back. */
function msSince({ monotonic, wall }: ReturnType<typeof readClocks>): number {
  return Math.max(performance.now() - monotonic, Date.now() - wall);
}

interface LockFile {
  readonly file: string;
  readonly number: number;
  readonly holder: LockHolder;
  /** Modification time in milliseconds, by the clock of the machine that touched it. */
  readonly touchedAt: number;
}

/** By number. A file that is no lock of ours has an unknown holder, and is judged by its modification time. */
function locksIn(folder: string): readonly LockFile[] {
  const locks = fileNamesIn(folder).flatMap((name) => {
    // Some disks ignore the case of names.
    const match = /^lock(?:\.(\d+))?$/i.exec(name);
    if (match === null) return [];
    const file = path.join(folder, name);
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) return [];
    const unknown = { token: '', host: 'an unknown host', pid: 0, since: stats.mtime.toISOString() };
    const holder = readForeignHolder(file) ?? unknown;
    return [{ file, number: Number(match[1] ?? 1), holder, touchedAt: stats.mtimeMs }];
  });
  return locks.sort((one, other) => one.number - other.number);
}

/** Undefined if there is no such file, or if it is no lock of ours. @throws the system's error if it cannot be read */
function readHolder(file: string): LockHolder | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function readForeignHolder(file: string): LockHolder | undefined {
  try {
    return readHolder(file);
  } catch (error) {
    if (hasCode(error, 'EACCES', 'EPERM', 'EISDIR')) return undefined;
    throw error;
  }
}

/** Identifies a process across hosts, boots and PID namespaces. */
export interface ProcessIdentity {
  readonly host: string;
  /** Differs at each boot; undefined on systems without /proc. */
  readonly boot?: string | undefined;
  /** PID namespace, such as `pid:[4026531836]`: the same pid in two containers is two processes. */
  readonly pidNamespace?: string | undefined;
  readonly pid: number;
  /** Start time in ticks since boot: a pid is reused, a pid with its start time is not. */
  readonly started?: string | undefined;
}

export type Existence = 'exists' | 'gone' | 'unclear';

export function ownIdentity(): ProcessIdentity {
  return {
    host: os.hostname(),
    boot: attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    pidNamespace: attempt(() => readlinkSync('/proc/self/ns/pid')),
    pid: process.pid,
    started: statOf(process.pid)?.started,
  };
}

/** Certain only in the same host, boot and PID namespace, where /proc shows the process. */
function existenceOf(other: ProcessIdentity, own: ProcessIdentity = ownIdentity()): Existence {
  const { host, boot, pidNamespace, started } = other;
  const isKnown = boot !== undefined && pidNamespace !== undefined && started !== undefined;
  const isNear = host === own.host && boot === own.boot && pidNamespace === own.pidNamespace;
  if (!isKnown || !isNear) return 'unclear';
  const found = statOf(other.pid);
  // A zombie (Z) or dead (X) process does no more work, even before its parent reaps it.
  if (found === undefined || /^[ZXx]$/.test(found.state)) return 'gone';
  return found.started === started ? 'exists' : 'gone';
}

/** Fields 3 (state) and 22 (start time) of /proc/PID/stat (proc(5)). */
function statOf(pid: number): { readonly state: string; readonly started: string } | undefined {
  const text = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // Field 2 is the program's name in brackets, which may contain blanks and brackets.
  const [state, ...fields] = text?.slice(text.lastIndexOf(')') + 2).split(' ') ?? [];
  const started = fields[18];
  return state === undefined || started === undefined ? undefined : { state, started };
}
