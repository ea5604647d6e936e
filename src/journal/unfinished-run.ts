/**
 * Finds an unfinished run of the same input. A new upload would send rows a second time that the run has sent already;
 * the user almost always wants to resume it.
 */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { RecordType } from '../model/record.ts';
import { lockHolder } from './lock.ts';
import { type RunFolder, spoolName } from './run-folder.ts';
import { type ListedRun, type RunIdentity, readIncompleteRuns } from './run-index.ts';

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
 * @param complete as in {@link readIncompleteRuns}; makes a second call fast
 * @throws ProblemError `journal.damaged`
 */
export async function findUnfinishedRun(
  root: string,
  inputs: readonly InputIdentity[],
  to: { readonly type: RecordType; readonly baseUrl: string },
  complete: Set<string>,
): Promise<UnfinishedRun | undefined> {
  const sameInput = (file: RunIdentity): RunIdentity['inputs'][number] | undefined =>
    file.inputs.find((one) => inputs.some((two) => one.head === two.head && one.bytes === two.bytes));
  const isRelevant = ({ file }: ListedRun): boolean => {
    if (file === undefined || file.parent !== undefined || file.sandbox) return false;
    return file.type === to.type && file.baseUrl === to.baseUrl && sameInput(file) !== undefined;
  };
  for (const run of (await readIncompleteRuns(root, complete, isRelevant)).toReversed()) {
    const { folder, file } = run;
    const input = file && sameInput(file)?.source;
    if (file === undefined || input === undefined) continue;
    if ('problem' in run) {
      if (lockHolder(folder.path) !== undefined) return { file, input, running: true };
      // A run whose journal has no line has sent nothing.
      if (run.problem.problems.some(({ code }) => code === 'journal.empty')) continue;
      throw run.problem;
    }
    if (run.isRunning) return { file, input, running: true };
    if (run.ended && run.state === 'complete') continue;
    if (run.ended && run.sealed === 0 && (await hasEmptySpool(folder, file))) continue;
    return { file, input, running: false };
  }
  return undefined;
}

/** Whether a pipe was not stored at all, for example on a full disk: the run can then not be resumed. */
async function hasEmptySpool(folder: RunFolder, file: RunIdentity): Promise<boolean> {
  for (const [index, { source, bytes }] of file.inputs.entries()) {
    if (bytes !== undefined) continue;
    const spool = await stat(path.join(folder.path, spoolName(source, index))).catch(() => undefined);
    if ((spool?.size ?? 0) === 0) return true;
  }
  return false;
}
