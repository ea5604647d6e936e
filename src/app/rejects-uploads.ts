/** Finds the runs that uploaded the rejects files of another run, by the paths in their run.json. */
import path from 'node:path';
import { readRun } from '../journal/read-journal.ts';
import { type RunFile, readRunFile } from '../journal/run-file.ts';
import type { RunFolder } from '../journal/run-folder.ts';
import { ProblemError } from '../model/problem.ts';
import { isInRejects } from '../model/results-line.ts';
import type { RejectsCount } from '../report/next-step.ts';
import { type FoundRun, listRuns } from '../runs/catalogue.ts';

/** The runs of a folder that read rejects files, oldest first. */
export async function rejectsReaders(root: string): Promise<readonly FoundRun[]> {
  const isReader = ({ file }: FoundRun): boolean => file?.inputs.some(({ source }) => isInRejects(source)) === true;
  return (await listRuns(root)).filter(isReader);
}

/** The rejects files of a run, each with the last run that uploaded all of it to the same service. */
export async function withUploads(
  file: RunFile,
  rejects: readonly RejectsCount[],
  readers: readonly FoundRun[],
): Promise<readonly RejectsCount[]> {
  const uploads = new Map<string, RejectsCount['upload']>();
  for (const { folder, file: listed } of rejects.length === 0 ? [] : readers) {
    if (listed === undefined || listed.startedAt <= file.startedAt) continue;
    const upload = await readUpload(folder, file);
    for (const input of upload?.paths ?? []) uploads.set(input, upload);
  }
  return rejects.map((one) => ({ ...one, upload: uploads.get(path.resolve(one.path)) }));
}

/** Undefined if the run read only a part, or sent it elsewhere. */
async function readUpload({ path: folder }: RunFolder, file: RunFile) {
  try {
    const { run, inputs, sandbox, baseUrl, type, limit, skip, shard } = await readRunFile(folder);
    const isSame = sandbox === file.sandbox && (sandbox || baseUrl === file.baseUrl) && type === file.type;
    if (!isSame || limit !== undefined || skip > 0 || shard !== undefined) return undefined;
    // The journal of a running process is complete up to here.
    const { rows, state } = await readRun(folder, true);
    const { read, delivered } = rows;
    return {
      run,
      read,
      delivered,
      isDone: state === 'complete' && delivered === read,
      paths: inputs.flatMap((input) => input.path ?? []),
    };
  } catch (error) {
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}
