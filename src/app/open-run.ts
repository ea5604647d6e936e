/**
 * Opens a stored run, for every command that continues or packs one: `resume`, `upload --run-id`, `runs explain` and `runs pack`.
 * One order for all: plain files, run.json, lock, journal, right to send, later runs of the same data.
 */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Lock, lockRun, RunLockedError } from '../journal/lock.ts';
import { type ReadRun, readJournal } from '../journal/read-journal.ts';
import { fileNow, readRunFile, type StoredRun } from '../journal/run-file.ts';
import { assertPlainFiles, createRoot, type RunFolder } from '../journal/run-folder.ts';
import { printable } from '../lib/printable.ts';
import type { Adopt } from '../lib/resources.ts';
import { ProblemError } from '../model/problem.ts';
import type { RunReader, RunState } from '../model/run-state.ts';
import { createSuggest } from '../options/suggest.ts';
import type { Surroundings } from './context.ts';
import { assertNotReplaced, hasSentNothing } from './same-data.ts';

export interface OpenIntent {
  /** Whether the run may be sent: then no other folder may have the right to do so. */
  readonly mayEnd: 'sent' | 'read';
  /** `--again`: also a run that was handed over, was replaced by a later one, or has lost the end of its journal. */
  readonly again: boolean;
  readonly quiet: boolean;
  /** Called once the run is locked. They read each event of the journal. */
  readonly readers?: (lock: Lock) => Promise<readonly RunReader[]>;
}

/** A run whose lock is held, with its journal read. */
export interface OpenedRun extends StoredRun, ReadRun {
  readonly lock: Lock;
}

/** @throws ProblemError `run.odd_file`, `run.unreadable` */
export async function readStoredRun(folder: RunFolder): Promise<StoredRun> {
  assertPlainFiles(folder.path);
  return { folder, file: await readRunFile(folder.path) };
}

/**
 * @throws RunLockedError if another process holds the run
 * @throws ProblemError `run.handed_over`, `resume.replaced`, and those of {@link readJournal}
 */
export async function openRun(
  adopt: Adopt,
  context: Surroundings,
  { folder, file }: StoredRun,
  intent: OpenIntent,
): Promise<OpenedRun> {
  const { mayEnd, again, quiet } = intent;
  const lock = adopt(await acquireRunLock(context, folder.path, quiet), (held) => held.release());
  const readers = (await intent.readers?.(lock)) ?? [];
  const read = await readJournal(folder.path, {
    again,
    onEvent: (...event) => {
      for (const reader of readers) reader(...event);
    },
  });
  const opened = { folder, file: fileNow(file, read.runState), lock, ...read };
  if (mayEnd === 'sent') await assertMaySend(context, opened, again);
  return opened;
}

/** @throws ProblemError `run.handed_over`, `resume.replaced` */
export async function assertMaySend(context: Surroundings, run: OpenedRun, again: boolean): Promise<void> {
  if (again) return;
  const { folder, runState } = run;
  assertNotHandedOver(context, folder, runState);
  if (!hasSentNothing(runState)) return;
  // While an upload of the same data starts, it would not see that this run is locked only now.
  await withStartLock(path.dirname(path.resolve(folder.path)), () =>
    assertNotReplaced(run, runState, (problem) => context.streams.problem('warning', problem)),
  );
}

/** @throws ProblemError `run.handed_over` */
function assertNotHandedOver(context: Surroundings, { id, path: folder }: RunFolder, { handedOver }: RunState): void {
  if (handedOver === undefined) return;
  if (handedOver.copy) {
    throw new ProblemError({
      code: 'run.handed_over',
      message: `${id} is a copy to look at: only ${handedOver.to} may send it. Nothing was sent.`,
      hint: `To look at it: \`${createSuggest(context, {})('runs', 'show', folder)}\`. To finish it here, ask for an archive of \`signals runs pack ${id} --hand-over\`.`,
    });
  }
  throw new ProblemError({
    code: 'run.handed_over',
    message: `${id} may not be sent from this folder: since ${handedOver.time}, only ${handedOver.to} may finish it. Nothing was sent.`,
    hint: 'If you are sure that it will not be finished there, add --again.',
  });
}

/** How long another process may take to start a run, in milliseconds. */
const START_LIMIT_MS = 60000;
/**
 * Locks a run. Tells the user before it waits: whether a process on another host is alive shows only in its heartbeat.
 *
 * @throws RunLockedError
 */
export function acquireRunLock({ streams }: Surroundings, folder: string, quiet: boolean): Promise<Lock> {
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
