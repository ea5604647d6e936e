/** Locks for commands: of a run folder, and of the moment in which a run starts. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Lock, lockRun, RunLockedError } from '../../journal/lock.ts';
import { createRoot } from '../../journal/run-folder.ts';
import { printable } from '../../lib/printable.ts';
import type { Context } from './command.ts';

/** How long another process may take to start a run, in milliseconds. */
const START_LIMIT_MS = 60_000;

/**
 * Locks a run. Tells the user before it waits: whether a process on another host is alive shows only in its heartbeat.
 *
 * @throws RunLockedError
 */
export function acquireRunLock({ streams }: Context, folder: string, quiet: boolean): Promise<Lock> {
  return lockRun(folder, {
    onWait: ({ pid, host }, ms) => {
      if (quiet) return;
      const holder = `Process ${pid} on ${printable(host)}`;
      streams.err(`${holder} may still be working on this run. Waiting up to ${ms / 1000} s to find out.\n`);
    },
  });
}

/**
 * Does `work` while no other process starts a run in `root`. If two uploads of one input start at the same moment, the
 * second one finds the run of the first.
 */
export async function withStartLock<T>(root: string, work: () => Promise<T>): Promise<T> {
  const lock = await lockWhenFree(createRoot(root));
  try {
    return await work();
  } finally {
    lock.release();
  }
}

async function lockWhenFree(folder: string): Promise<Lock> {
  const began = performance.now();
  for (;;) {
    try {
      return await lockRun(folder);
    } catch (error) {
      if (!(error instanceof RunLockedError) || performance.now() - began > START_LIMIT_MS) throw error;
      await sleep(20);
    }
  }
}
