/**
 * Runs of the same data. A new upload would send rows a second time that an unfinished run has sent already; the user almost
 * always wants to resume that run.
 */
import path from 'node:path';
import { lockHolder } from '../journal/lock.ts';
import { readRun } from '../journal/read-journal.ts';
import { readRunFile, type StoredRun } from '../journal/run-file.ts';
import { hasStarted, type RunFolder } from '../journal/run-folder.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import type { RunState } from '../model/run-state.ts';
import { areSiblings, type DividedRun, dividedRun } from '../options/run-options.ts';
import { catalogueRun, completeRuns, runNames } from '../stored-runs/catalogue.ts';

/** Receives what the user must know, besides what the function returns. */
type Warn = (problem: Problem) => void;

interface RunOfSameData extends StoredRun {
  /** Name of the input in that run. */
  readonly input: string;
}

/**
 * The last incomplete run with one of the inputs. Reads only the journals of runs with an equal input.
 *
 * @param warn called for each run that cannot be compared
 * @throws ProblemError `journal.damaged`
 */
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
 * @param warn called for each run that cannot be compared
 * @throws ProblemError `resume.replaced`
 */
export async function assertNotReplaced({ folder, file }: StoredRun, runState: RunState, warn: Warn): Promise<void> {
  if (file.sandbox || !hasSentNothing(runState)) return;
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
