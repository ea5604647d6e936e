/**
 * Opens a stored run, for every command that continues or packs one: `resume`, `upload --run-id`, `runs explain` and `runs pack`.
 * One order for all: plain files, run.json, lock, journal, right to send, later runs of the same data.
 */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Lock, lockHolder, lockRun, RunLockedError } from '../journal/lock.ts';
import { type ReadRun, readJournal, readRun } from '../journal/read-journal.ts';
import { fileNow, readRunFile, type StoredRun } from '../journal/run-file.ts';
import { assertPlainFiles, createRoot, hasStarted, type RunFolder } from '../journal/run-folder.ts';
import { printable } from '../lib/printable.ts';
import type { Adopt } from '../lib/resources.ts';
import type { Suggest } from '../lib/shell.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import type { RunReader, RunState } from '../model/run-state.ts';
import type { SettingOptions } from '../options/option-table.ts';
import { areSiblings, type DividedRun, dividedRun, type KeptOptions, restoreOptions } from '../options/run-options.ts';
import { createSuggest, destinationOptions } from '../options/suggest.ts';
import { catalogueRun, completeRuns, runNames } from '../stored-runs/catalogue.ts';
import type { Surroundings } from './context.ts';
import { type PassedOn, resolveRequest, type SendRequest } from './plan-request.ts';

/** A run whose lock is held, with its journal read. */
export type OpenedRun<R extends StoredRun = StoredRun> = R & ReadRun & { readonly lock: Lock };

export async function readStoredRun(folder: RunFolder): Promise<StoredRun> {
  assertPlainFiles(folder.path);
  return { folder, file: await readRunFile(folder.path) };
}

export interface ReopenedRun extends StoredRun {
  readonly words: readonly string[];
  readonly suggest: Suggest;
  readonly request: SendRequest;
}

export interface Reopened<T> {
  readonly run: ReopenedRun;
  /** Those in effect: with those that run.json keeps. */
  readonly options: T;
  /** Those of them that only run.json has. */
  readonly restored: KeptOptions;
}

export async function reopenRun<T extends SettingOptions & PassedOn & { readonly again: boolean }>(
  context: Surroundings,
  given: T,
  folder: RunFolder,
): Promise<Reopened<T>> {
  const { file } = await readStoredRun(folder);
  const { options, restored } = restoreOptions(given, file);
  const suggest = createSuggest(context, options, { again: false, ...destinationOptions(file) });
  const request = await resolveRequest(context, options, file);
  const words = context.argv.includes('--all') ? ['resume', folder.id] : context.argv;
  return { run: { folder, file, words, suggest, request }, options, restored };
}

/** @throws RunLockedError if another process holds the run, and as {@link readLockedRun} does */
export async function openRun<R extends StoredRun>(
  adopt: Adopt,
  context: Surroundings,
  run: R,
  { again, quiet, readers }: { readonly again: boolean; readonly quiet: boolean; readonly readers?: RunReader[] },
): Promise<OpenedRun<R>> {
  const lock = adopt(await acquireRunLock(context, run.folder.path, quiet), (held) => held.release());
  return readLockedRun({ ...run, lock }, again, readers);
}

/**
 * @param again `--again`: also a run that has lost the end of its journal
 * @param readers read each event of the journal
 * @throws ProblemError as {@link readJournal} does
 */
export async function readLockedRun<R extends StoredRun & { readonly lock: Lock }>(
  run: R,
  again: boolean,
  readers: readonly RunReader[] = [],
): Promise<R & ReadRun> {
  const read = await readJournal(run.folder.path, {
    again,
    onEvent: (...event) => {
      for (const reader of readers) reader(...event);
    },
  });
  return { ...run, file: fileNow(run.file, read.runState), ...read };
}

/**
 * Before a run is sent: no other folder may have the right to send it.
 *
 * @param again `--again`: also a run that was handed over, or was replaced by a later one
 * @throws ProblemError `run.handed_over`, `resume.replaced`
 */
export async function assertMaySend(context: Surroundings, run: OpenedRun, again: boolean): Promise<void> {
  if (again) return;
  const { folder, runState } = run;
  assertNotHandedOver(context, folder, runState);
  if (!hasSentNothing(runState)) return;
  // While an upload of the same data starts, it would not see that this run is locked only now.
  await withStartLock(path.dirname(path.resolve(folder.path)), () =>
    assertNotReplaced(run, (problem) => context.streams.problem('warning', problem)),
  );
}

function assertNotHandedOver(context: Surroundings, { id, path: folder }: RunFolder, { handedOver }: RunState): void {
  if (handedOver === undefined) return;
  const show = createSuggest(context, {})('runs', 'show', folder);
  throw new ProblemError({
    code: 'run.handed_over',
    message: handedOver.copy
      ? `${id} is a copy to look at: only ${handedOver.to} may send it. Nothing was sent.`
      : `${id} may not be sent from this folder: since ${handedOver.time}, only ${handedOver.to} may finish it. Nothing was sent.`,
    hint: handedOver.copy
      ? `To look at it: \`${show}\`. To finish it here, ask for an archive of \`signals runs pack ${id} --hand-over\`.`
      : 'If you are sure that it will not be finished there, add --again.',
  });
}

const START_LIMIT_MS = 60_000;

/** Tells the user before it waits for the heartbeat of a process on another host. @throws RunLockedError */
export function acquireRunLock({ streams }: Surroundings, folder: string, quiet: boolean): Promise<Lock> {
  return lockRun(folder, {
    onWait: ({ pid, host }, ms) => {
      if (quiet) return;
      const holder = `Process ${pid} on ${printable(host)}`;
      streams.err(`${holder} may still be working on this run. Waiting up to ${ms / 1000} s to find out.\n`);
    },
  });
}

/** If two uploads of one input start at the same moment, the second one finds the run of the first. */
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

type Warn = (problem: Problem) => void;

interface RunOfSameData extends StoredRun {
  readonly input: string;
}

/** The last incomplete run with one of the inputs. `warn` receives runs that cannot be compared. */
export async function findUnfinishedRun(
  root: string,
  run: DividedRun,
  warn: Warn,
): Promise<(RunOfSameData & { readonly isRunning: boolean }) | undefined> {
  const complete = completeRuns(root);
  const ids = runNames(root).filter((id) => !complete.has(id));
  for (const { folder, file, input } of (await runsOfSameData(root, ids, run, warn)).toReversed()) {
    const isRunning = lockHolder(folder.path) !== undefined;
    if (isRunning || (await isUnfinished({ folder, file }))) return { folder, file, input, isRunning };
  }
  return undefined;
}

/**
 * A run that has sent nothing does not block a later upload of its data. Once that one has sent, this run must not be resumed.
 *
 * @throws ProblemError `resume.replaced`
 */
export async function assertNotReplaced({ folder, file }: StoredRun, warn: Warn): Promise<void> {
  if (file.sandbox) return;
  const root = path.dirname(path.resolve(folder.path));
  const ids = runNames(root).filter((id) => id !== folder.id);
  for (const { folder: later, file: other } of await runsOfSameData(root, ids, dividedRun(file, folder.path), warn)) {
    if (other.startedAt <= file.startedAt || !(await hasStarted(later))) continue;
    const isRunning = lockHolder(later.path) !== undefined;
    const state = isRunning ? undefined : await readRun(later.path, false);
    if (state !== undefined && state.state !== 'complete' && hasSentNothing(state)) continue;
    throw new ProblemError({
      code: 'resume.replaced',
      message: `${folder.id} sent nothing, and the later run ${later.id} of the same data ${isRunning ? 'is being sent' : 'did'}. Nothing was sent now.`,
      hint: 'To send the data twice anyway, add --again.',
    });
  }
}

/**
 * The runs that read one of the inputs, oldest first. A pipe is identified by its head only. Runs to another base URL, sandbox runs
 * and other shards of the same upload do not count, because none of their rows can arrive twice.
 */
async function runsOfSameData(
  root: string,
  ids: readonly string[],
  run: DividedRun,
  warn: Warn,
): Promise<RunOfSameData[]> {
  const found: RunOfSameData[] = [];
  for (const id of ids) {
    const folder = { id, path: path.join(root, id) };
    const file = await readRunFile(folder.path).catch(async (error: unknown) => {
      if (!(error instanceof ProblemError)) throw error;
      // Without a line in its journal, it has sent nothing, or is no run.
      if (await hasStarted(folder)) warn(unreadable(folder, error));
      return undefined;
    });
    if (file === undefined || file.sandbox || file.type !== run.type || file.baseUrl !== run.baseUrl) continue;
    const same = file.inputs.find(({ head, bytes }) =>
      run.inputs.some((one) => one.head === head && one.bytes === bytes),
    );
    if (same === undefined || areSiblings(run, dividedRun(file, folder.path))) continue;
    found.push({ folder, file, input: same.source });
  }
  return found.sort((one, other) => (one.file.startedAt < other.file.startedAt ? -1 : 1));
}

function unreadable({ id, path: where }: RunFolder, { message }: ProblemError): Problem {
  return {
    code: 'run.unreadable',
    message: `It is unknown whether the run ${id} has sent the same data. ${message}`,
    where,
    hint: 'Restore the folder. If the run is not needed, delete it.',
  };
}

/** Whether no request of the run has certainly reached the service. */
export function hasSentNothing({ rows, undelivered }: Pick<RunState, 'rows' | 'undelivered'>): boolean {
  const isSettled = rows.delivered + rows.refused + rows.unknown > 0;
  return !isSettled && [...undelivered.values()].every(({ maybeProcessed }) => !maybeProcessed);
}

/** A run that has sent nothing is not: the new one replaces it, unless the run was handed over. */
async function isUnfinished(run: StoredRun): Promise<boolean> {
  if (!(await hasStarted(run.folder))) return false;
  const runState = await readRun(run.folder.path, false);
  if (runState.state === 'complete') {
    catalogueRun(run, runState);
    return false;
  }
  return runState.handedOver !== undefined || !hasSentNothing(runState);
}
