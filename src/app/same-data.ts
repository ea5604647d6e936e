/**
 * Finds an unfinished run of the same input. A new upload would send rows a second time that the run has sent already;
 * the user almost always wants to resume it.
 */
import path from 'node:path';
import { exists } from '../journal/file-system.ts';
import { lockHolder } from '../journal/lock.ts';
import { readRun } from '../journal/read-journal.ts';
import { type RunFile, readRunFile } from '../journal/run-file.ts';
import { hasStarted, type RunFolder } from '../journal/run-folder.ts';
import { ProblemError } from '../model/problem.ts';
import type { RecordType } from '../model/record.ts';
import type { RunState } from '../model/run-state.ts';
import { catalogueRun, completeRuns, runNames } from './catalogue.ts';

/** What identifies an input in run.json. */
export interface InputIdentity {
  /** Absent for a pipe, which is identified by its head only. */
  readonly bytes?: number | undefined;
  /** XXH64 of the head, in hexadecimal. */
  readonly head: string;
}

export interface RunOfSameInput {
  readonly folder: RunFolder;
  readonly file: RunFile;
  /** Name of the input in that run. */
  readonly input: string;
  readonly running: boolean;
}

/** Whether a run is another shard of the same upload: none of its rows is in both. */
export type IsSibling = (file: RunFile, folder: string) => boolean;

/**
 * The last incomplete run with one of these inputs. Runs to another base URL, sandbox runs and other shards of the same
 * upload do not count, because none of their rows can arrive twice. Reads only the journals of runs with an equal input.
 *
 * @throws ProblemError `journal.damaged`
 */
export async function findUnfinishedRun(
  root: string,
  inputs: readonly InputIdentity[],
  to: { readonly type: RecordType; readonly baseUrl: string },
  isSibling: IsSibling = () => false,
): Promise<RunOfSameInput | undefined> {
  const complete = completeRuns(root);
  const names = runNames(root).filter((id) => !complete.has(id));
  const candidates: { readonly folder: RunFolder; readonly file: RunFile; readonly input: string }[] = [];
  for (const folder of names.map((id) => ({ id, path: path.join(root, id) }))) {
    const file = await readRunFile(folder.path).catch(() => undefined);
    if (file === undefined || file.sandbox) continue;
    if (file.type !== to.type || file.baseUrl !== to.baseUrl || isSibling(file, folder.path)) continue;
    const same = commonInput(file, inputs);
    if (same !== undefined) candidates.push({ folder, file, input: same.source });
  }
  candidates.sort((one, other) => (one.file.startedAt > other.file.startedAt ? -1 : 1));
  for (const { folder, file, input } of candidates) {
    const running = lockHolder(folder.path) !== undefined;
    if (running || (await isUnfinished(folder, file))) return { folder, file, input, running };
  }
  return undefined;
}

/**
 * A run that has sent nothing does not block a later upload of its data. Once that one has sent, this run must not be resumed.
 *
 * @throws ProblemError `resume.replaced`
 */
export async function assertNotReplaced(
  folder: RunFolder,
  file: RunFile,
  runState: RunState,
  isSibling: IsSibling = () => false,
): Promise<void> {
  if (file.sandbox || !hasSentNothing(runState)) return;
  const root = path.dirname(path.resolve(folder.path));
  for (const id of runNames(root)) {
    const later = { id, path: path.join(root, id) };
    const other = id === folder.id ? undefined : await readRunFile(later.path).catch(() => undefined);
    if (other === undefined || other.startedAt <= file.startedAt || other.sandbox) continue;
    if (other.type !== file.type || other.baseUrl !== file.baseUrl || isSibling(other, later.path)) continue;
    if (commonInput(other, file.inputs) === undefined || !(await hasStarted(later))) continue;
    const isRunning = lockHolder(later.path) !== undefined;
    const state = isRunning ? undefined : await readRun(later.path, false);
    if (state !== undefined && state.state !== 'complete' && hasSentNothing(state)) continue;
    throw new ProblemError({
      code: 'resume.replaced',
      message: `${folder.id} sent nothing, and the later run ${id} of the same data ${isRunning ? 'is being sent' : 'did'}. Nothing was sent now.`,
      hint: 'To send the data twice anyway, add --again.',
    });
  }
}

/** The first input of a run that is one of these. */
function commonInput(file: RunFile, inputs: readonly InputIdentity[]): RunFile['inputs'][number] | undefined {
  return file.inputs.find((one) => inputs.some((two) => one.head === two.head && one.bytes === two.bytes));
}

/** Whether no request of the run has certainly reached the service. */
export function hasSentNothing({ rows, undelivered }: Pick<RunState, 'rows' | 'undelivered'>): boolean {
  const isSettled = rows.delivered + rows.refused + rows.unknown > 0;
  return !isSettled && [...undelivered.values()].every(({ maybeProcessed }) => !maybeProcessed);
}

/** A run that has sent nothing is not: the new one replaces it, unless the run was handed over. */
async function isUnfinished(folder: RunFolder, file: RunFile): Promise<boolean> {
  if (!(await exists(path.join(folder.path, 'journal.ndjson'))) || !(await hasStarted(folder))) return false;
  const runState = await readRun(folder.path, false);
  if (runState.state === 'complete') {
    catalogueRun(folder, file, runState);
    return false;
  }
  return runState.handedOver !== undefined || !hasSentNothing(runState);
}
