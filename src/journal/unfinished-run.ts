/**
 * Finds an unfinished run of the same input. A new upload would send rows a second time that the run has sent already;
 * the user almost always wants to resume it.
 */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { RecordType } from '../model/record.ts';
import { lockHolder } from './lock.ts';
import { type RunFolder, spoolName } from './run-folder.ts';
import { type RunIdentity, readRuns } from './run-index.ts';

/** What identifies an input in run.json. */
export interface InputIdentity {
  /** Absent for a pipe, which is identified by its head only. */
  readonly bytes?: number | undefined;
  /** XXH64 of the head, in hexadecimal. */
  readonly head: string;
}

export interface UnfinishedRun {
  readonly file: RunIdentity;
  /** Name of the input in that run. */
  readonly input: string;
  readonly running: boolean;
}

/**
 * The last incomplete run with one of these inputs. Runs to another base URL and sandbox runs do not count, because
 * none of their rows can arrive twice.
 *
 * @throws ProblemError `journal.damaged`
 */
export async function findUnfinishedRun(
  root: string,
  inputs: readonly InputIdentity[],
  to: { readonly type: RecordType; readonly baseUrl: string },
): Promise<UnfinishedRun | undefined> {
  for (const run of (await readRuns(root)).toReversed()) {
    const { folder, file } = run;
    if (file === undefined || file.parent !== undefined || file.sandbox) continue;
    if (file.type !== to.type || file.baseUrl !== to.baseUrl) continue;
    const same = file.inputs.find((one) => inputs.some((two) => one.head === two.head && one.bytes === two.bytes));
    if (same === undefined) continue;
    if (lockHolder(folder.path) !== undefined) return { file, input: same.source, running: true };
    if ('problem' in run) {
      // A run without a first line in its journal has sent nothing.
      if (run.problem.problems.some(({ code }) => code === 'journal.empty')) continue;
      throw run.problem;
    }
    if (run.ended && run.state === 'complete') continue;
    if (run.ended && run.sealed === 0 && (await hasEmptySpool(folder, file))) continue;
    return { file, input: same.source, running: false };
  }
  return undefined;
}

/** Whether a pipe was not stored at all, for example on a full disk: the run can then not be resumed. */
async function hasEmptySpool(folder: RunFolder, file: RunIdentity): Promise<boolean> {
  for (const [index, { source, path: inputPath }] of file.inputs.entries()) {
    if (inputPath !== undefined) continue;
    const spool = await stat(path.join(folder.path, spoolName(source, index))).catch(() => undefined);
    if ((spool?.size ?? 0) === 0) return true;
  }
  return false;
}
