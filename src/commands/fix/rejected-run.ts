/** The run that `signals fix` repairs: its rejects files, and why its rows are invalid. */
import { inspectRun } from '../../journal/inspect-run.ts';
import { lockHolder } from '../../journal/lock.ts';
import { type RunFile, readRunFile } from '../../journal/run-file.ts';
import { assertPlainFiles, type RunFolder } from '../../journal/run-folder.ts';
import type { Suggest } from '../../lib/shell.ts';
import { ProblemError } from '../../model/problem.ts';
import type { PlanRequest } from '../../plan/plan-types.ts';
import { createReasons, type ReasonGroup } from '../../report/failure-reasons.ts';
import { planRequestOf } from '../shared/plan-request.ts';
import { rejectsOf } from '../shared/run-summary.ts';

export interface RejectedRun {
  readonly folder: RunFolder;
  readonly runFile: RunFile;
  /** The rejects files with rows. */
  readonly files: readonly string[];
  /** The inputs that they are from. */
  readonly names: readonly string[];
  /** Why rows are invalid, from the journal. */
  readonly reasons: readonly Readonly<ReasonGroup>[];
}

/** @throws ProblemError `fix.running`, `fix.transform` */
export async function openRejectedRun(folder: RunFolder, suggest: Suggest): Promise<RejectedRun> {
  assertPlainFiles(folder.path);
  if (lockHolder(folder.path) !== undefined) {
    throw new ProblemError({
      code: 'fix.running',
      message: `A process is working on ${folder.id}, so its rejected rows are not complete.`,
      hint: 'Fix it when the run has ended.',
    });
  }
  const runFile = await readRunFile(folder.path);
  if (runFile.transform !== undefined) {
    throw new ProblemError({
      code: 'fix.transform',
      message: `${folder.id} used --transform ${runFile.transform.path}. Rules of a mapping cannot repair rows that a module changes.`,
      hint: `Correct the module or the rejects files. For the reasons: \`${suggest('runs', 'show', runFile.run)}\`.`,
    });
  }
  const reasons = createReasons();
  const { rejectedRows } = await inspectRun(folder.path, false, { onEvent: reasons.on });
  const rejects = rejectsOf(folder.path, runFile, rejectedRows);
  return {
    folder,
    runFile,
    files: rejects.map((file) => file.path),
    names: rejects.map(({ source, path: file }) => runFile.inputs[source]?.source ?? file),
    reasons: reasons.invalid(),
  };
}

/** Reads the rejects files with the mapping of the run. */
export function rejectsRequest({ folder, runFile, files }: RejectedRun, suggest: Suggest): PlanRequest {
  const { maxRowBytes, ragged } = runFile.decode;
  // A rejects file is UTF-8 with a header, whatever its input was.
  return { ...planRequestOf(folder.path, runFile, files, suggest), decode: { maxRowBytes, ragged } };
}
