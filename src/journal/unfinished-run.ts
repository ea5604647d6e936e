/**
 * Finds an unfinished run of the same input. A new upload would send rows a second time that the run has sent already;
 * the user almost always wants to resume it.
 */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { RecordType } from '../model/record.ts';
import { inspectStoredRun, readRuns, type StoredRun } from './lineage.ts';
import { lockHolder } from './lock.ts';
import { hasStarted, type RunFolder, spoolName } from './run-folder.ts';

/** What identifies an input in run.json. */
export interface InputIdentity {
  /** Absent for a pipe, which is identified by its head only. */
  readonly bytes?: number | undefined;
  /** XXH64 of the head, in hexadecimal. */
  readonly head: string;
}

export interface UnfinishedRun extends StoredRun {
  /** Name of the input in that run. */
  readonly input: string;
  readonly running: boolean;
}

/**
 * The last incomplete run with one of these inputs. Runs to another base URL and sandbox runs do not count, because
 * none of their rows can arrive twice. Reads only the journals of runs with an equal input.
 *
 * @throws ProblemError `journal.damaged`
 */
export async function findUnfinishedRun(
  root: string,
  inputs: readonly InputIdentity[],
  to: { readonly type: RecordType; readonly baseUrl: string },
): Promise<UnfinishedRun | undefined> {
  for (const stored of (await readRuns(root, isRelevant)).toReversed()) {
    const { parent, sandbox, type, baseUrl, inputs: earlier } = stored.file;
    if (parent !== undefined || sandbox || type !== to.type || baseUrl !== to.baseUrl) continue;
    const same = earlier.find((one) => inputs.some((two) => one.head === two.head && one.bytes === two.bytes));
    if (same === undefined) continue;
    if (isRunning(stored.folder)) return { ...stored, input: same.source, running: true };
    const { ended, ledger } = (await inspectStoredRun(stored)).inspected;
    if (ended && ledger.state === 'complete') continue;
    if (ended && ledger.batches.sealed === 0 && (await hasEmptySpool(stored))) continue;
    return { ...stored, input: same.source, running: false };
  }
  return undefined;
}

/** A run that another process is about to start has a lock, and no journal yet. */
async function isRelevant(folder: RunFolder): Promise<boolean> {
  return (await hasStarted(folder)) || isRunning(folder);
}

function isRunning({ path: folder }: RunFolder): boolean {
  return lockHolder(folder) !== undefined;
}

/** Whether a pipe was not stored at all, for example on a full disk: the run can then not be resumed. */
async function hasEmptySpool({ folder, file }: StoredRun): Promise<boolean> {
  for (const [index, { source, path: inputPath }] of file.inputs.entries()) {
    if (inputPath !== undefined) continue;
    const spool = await stat(path.join(folder.path, spoolName(source, index))).catch(() => undefined);
    if ((spool?.size ?? 0) === 0) return true;
  }
  return false;
}
