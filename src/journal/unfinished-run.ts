/**
 * Inputs that an earlier run has not finished. Whoever uploads one of them anew would send a second time what that run
 * has sent already; to go on with it is almost always what was meant.
 */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { RecordType } from '../model/record.ts';
import { inspectStoredRun, readRuns, type StoredRun } from './lineage.ts';
import { spoolName } from './spool-names.ts';

/** An input as run.json has it: size and digest of its head, no byte of it is read again. */
export interface InputIdentity {
  /** Absent for a pipe, which is known by its head alone. */
  readonly bytes?: number;
  /** XXH64 of the head, in hexadecimal. */
  readonly head: string;
}

export interface UnfinishedRun extends StoredRun {
  /** Name of the input, as the earlier run knows it. */
  readonly input: string;
  readonly running: boolean;
}

/**
 * The last run with one of these inputs that is not complete. Runs that went somewhere else, and those of a sandbox,
 * do not count: nothing of them can arrive twice. Only journals of runs with an equal input are read.
 *
 * @throws ProblemError `journal.damaged` where nobody can tell
 */
export async function findUnfinishedRun(
  root: string,
  inputs: readonly InputIdentity[],
  to: { readonly type: RecordType; readonly baseUrl: string },
): Promise<UnfinishedRun | undefined> {
  for (const kin of (await readRuns(root)).toReversed()) {
    const { parent, sandbox, type, baseUrl, inputs: before } = kin.file;
    if (parent !== undefined || sandbox || type !== to.type || baseUrl !== to.baseUrl) continue;
    const same = before.find((one) => inputs.some((two) => one.head === two.head && one.bytes === two.bytes));
    if (same === undefined) continue;
    const { isRunning, inspected } = await inspectStoredRun(kin);
    if (inspected.ended && inspected.ledger.state === 'complete') continue;
    if (inspected.ended && inspected.ledger.batches.sealed === 0 && (await isNothingKept(kin))) continue;
    return { ...kin, input: same.source, running: isRunning };
  }
  return undefined;
}

/** Whether nothing was kept of a pipe: on a full disk its copy finds no room, and then there is nothing to go on with. */
async function isNothingKept({ folder, file }: StoredRun): Promise<boolean> {
  for (const [index, { source, path: place }] of file.inputs.entries()) {
    if (place !== undefined) continue;
    const copy = await stat(path.join(folder.path, spoolName(source, index))).catch(() => undefined);
    if ((copy?.size ?? 0) === 0) return true;
  }
  return false;
}
