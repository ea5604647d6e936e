/**
 * Finds an unfinished run of the same input. A new upload would send rows a second time that the run has sent already;
 * the user almost always wants to resume it.
 */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Stop } from '../model/outcome.ts';
import type { RecordType } from '../model/record.ts';
import type { RunState } from '../model/run-state.ts';
import { completeRuns, markComplete } from './complete-runs.ts';
import { exists } from './file-system.ts';
import { inspectRun } from './inspect-run.ts';
import { lockHolder } from './lock.ts';
import { type RunFile, readRunFile } from './run-file.ts';
import { hasStarted, type RunFolder, spoolName } from './run-folder.ts';
import { namesIn } from './run-index.ts';

/** What identifies an input in run.json. */
export interface InputIdentity {
  /** Absent for a pipe, which is identified by its head only. */
  readonly bytes?: number | undefined;
  /** XXH64 of the head, in hexadecimal. */
  readonly head: string;
}

export interface UnfinishedRun {
  readonly folder: RunFolder;
  readonly file: RunFile;
  /** Name of the input in that run. */
  readonly input: string;
  readonly running: boolean;
  /** Whether the service has certainly taken none of its rows. */
  readonly hasSentNothing: boolean;
  readonly stop?: Stop | undefined;
}

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
  isSibling: (file: RunFile, folder: string) => boolean = () => false,
): Promise<UnfinishedRun | undefined> {
  const complete = completeRuns(root);
  const names = namesIn(root).filter((id) => !complete.has(id));
  const candidates: { readonly folder: RunFolder; readonly file: RunFile; readonly input: string }[] = [];
  for (const folder of names.map((id) => ({ id, path: path.join(root, id) }))) {
    const file = await readRunFile(folder.path).catch(() => undefined);
    if (file === undefined || file.parent !== undefined || file.sandbox) continue;
    if (file.type !== to.type || file.baseUrl !== to.baseUrl || isSibling(file, folder.path)) continue;
    const same = file.inputs.find((one) => inputs.some((two) => one.head === two.head && one.bytes === two.bytes));
    if (same !== undefined) candidates.push({ folder, file, input: same.source });
  }
  candidates.sort((one, other) => (one.file.startedAt > other.file.startedAt ? -1 : 1));
  for (const { folder, file, input } of candidates) {
    const running = lockHolder(folder.path) !== undefined;
    if (running) return { folder, file, input, running, hasSentNothing: false };
    const runState = await unfinishedRunState(folder, file);
    if (runState === undefined) continue;
    return { folder, file, input, running, hasSentNothing: hasSentNothing(runState), stop: runState.stop };
  }
  return undefined;
}

/** Whether the service has certainly taken none of the rows. */
export function hasSentNothing({ rows, open }: Pick<RunState, 'rows' | 'open'>): boolean {
  const isTaken = rows.delivered + rows.refused + rows.unknown > 0;
  return !isTaken && [...open.values()].every(({ maybeProcessed }) => !maybeProcessed);
}

/** Undefined if the run has not begun, is complete, or cannot be resumed. */
async function unfinishedRunState(folder: RunFolder, file: RunFile): Promise<RunState | undefined> {
  if (!(await exists(path.join(folder.path, 'journal.ndjson'))) || !(await hasStarted(folder))) return undefined;
  const { ended, runState } = await inspectRun(folder.path, false);
  if (!ended) return runState;
  if (runState.state === 'complete') {
    markComplete(folder);
    return undefined;
  }
  return runState.batches.sealed > 0 || !(await hasEmptySpool(folder, file)) ? runState : undefined;
}

/** Whether a pipe was not stored at all, for example on a full disk: the run can then not be resumed. */
async function hasEmptySpool(folder: RunFolder, file: RunFile): Promise<boolean> {
  for (const [index, { source, bytes }] of file.inputs.entries()) {
    if (bytes !== undefined) continue;
    const spool = await stat(path.join(folder.path, spoolName(source, index))).catch(() => undefined);
    if ((spool?.size ?? 0) === 0) return true;
  }
  return false;
}
