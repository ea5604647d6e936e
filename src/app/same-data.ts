/**
 * Other runs of the same data (delivery.md, "Across runs"). A run that has sent nothing blocks no later upload of its data; once
 * that one has sent, it must not be resumed.
 */
import path from 'node:path';
import { lockHolder } from '../journal/lock.ts';
import { readRun } from '../journal/read-journal.ts';
import { readRunFile, type StoredRun } from '../journal/run-file.ts';
import { hasStarted, type RunFolder } from '../journal/run-folder.ts';
import type { Suggest } from '../lib/shell.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import type { RunFacts } from '../model/run-state.ts';
import { areSiblings, type DividedRun, dividedRun, shardDifferences } from '../options/run-options.ts';
import { nameList } from '../report/text-layout.ts';
import { catalogueRun, factsOf, incompleteRuns, rootOf, runNames } from '../stored-runs/catalogue.ts';

/**
 * Before a new run: while an earlier one is unfinished, a part of the data would be sent twice.
 *
 * @returns warnings about runs that cannot be compared
 * @throws ProblemError `upload.unfinished`
 */
export async function assertNoUnfinishedRun(
  root: string,
  run: DividedRun,
  suggest: Suggest,
): Promise<readonly Problem[]> {
  const ids = incompleteRuns(root, runNames(root));
  const { found, warnings } = await runsOfSameData(root, ids, run);
  for (const other of found.toReversed()) {
    const progress = await progressOf(other);
    if (progress === 'running' || progress === 'partial') throw unfinished(run, other, progress, suggest);
  }
  return warnings;
}

function unfinished(
  run: DividedRun,
  { folder, file, input }: RunOfSameData,
  progress: 'running' | 'partial',
  suggest: Suggest,
): ProblemError {
  const other = dividedRun(file, folder.path);
  const areShards = run.shard !== undefined && other.shard !== undefined && run.shard.index !== other.shard.index;
  const unlike = areShards ? `Shards of the same data must agree in ${nameList(shardDifferences(run, other))}. ` : '';
  const isRunning = progress === 'running';
  const next = isRunning ? 'Wait until it ends.' : `To resume that run: \`${suggest('resume', file.run)}\`.`;
  return new ProblemError({
    code: 'upload.unfinished',
    message: isRunning
      ? `The run ${file.run} is sending the same data now. Nothing was sent.`
      : `The run ${file.run} of the same data is unfinished: uploading again would send part of it twice. Nothing was sent.`,
    where: input,
    hint: `${unlike}${next} To send the data twice anyway, add --again.`,
  });
}

/** Before a run that has sent nothing is resumed. Returns the same warnings. @throws ProblemError `resume.replaced` */
export async function assertNotReplaced(root: string, { folder, file }: StoredRun): Promise<readonly Problem[]> {
  const ids = runNames(root).filter((id) => id !== folder.id);
  const { later, warnings } = await laterOfSameData(ids, { folder, file });
  if (later === undefined) return warnings;
  throw new ProblemError({
    code: 'resume.replaced',
    message: `${folder.id} sent nothing, and the later run ${later.id} of the same data ${later.progress === 'running' ? 'is being sent' : 'did'}. Nothing was sent now.`,
    hint: 'To send the data twice anyway, add --again.',
  });
}

/** The first later run of the same data that has sent something, and the same warnings. Reads no inputs. */
export async function laterOfSameData(ids: readonly string[], { folder, file }: StoredRun) {
  const { found, warnings } = await runsOfSameData(rootOf(folder.path), ids, dividedRun(file, folder.path));
  for (const later of found.filter((other) => other.file.startedAt > file.startedAt)) {
    const progress = await progressOf(later);
    if (progress !== 'nothing') return { later: { id: later.folder.id, progress }, warnings };
  }
  return { warnings };
}

interface RunOfSameData extends StoredRun {
  readonly input: string;
}

/**
 * The runs that read one of the inputs, oldest first. A pipe is identified by its head only. Runs to another base URL, sandbox runs
 * and other shards of the same upload do not count, because none of their rows can arrive twice.
 */
async function runsOfSameData(root: string, ids: readonly string[], run: DividedRun) {
  const found: RunOfSameData[] = [];
  const warnings: Problem[] = [];
  for (const id of run.sandbox ? [] : ids) {
    const folder = { id, path: path.join(root, id) };
    const file = await readRunFile(folder.path).catch(async (error: unknown) => {
      if (!(error instanceof ProblemError)) throw error;
      // Without a line in its journal, it has sent nothing, or is no run.
      if (await hasStarted(folder)) warnings.push(unreadable(folder, error));
      return undefined;
    });
    if (file === undefined || file.sandbox || file.type !== run.type || file.baseUrl !== run.baseUrl) continue;
    const same = file.inputs.find(({ head, bytes }) =>
      run.inputs.some((one) => one.head === head && one.bytes === bytes),
    );
    if (same === undefined || areSiblings(run, dividedRun(file, folder.path))) continue;
    found.push({ folder, file, input: same.source });
  }
  found.sort((one, other) => (one.file.startedAt < other.file.startedAt ? -1 : 1));
  return { found, warnings };
}

function unreadable({ id, path: where }: RunFolder, { message }: ProblemError): Problem {
  return {
    code: 'run.unreadable',
    message: `It is unknown whether the run ${id} has sent the same data. ${message}`,
    where,
    hint: 'Restore the folder. If the run is not needed, delete it.',
  };
}

/** How much a run has sent. If it was handed over, somebody else may have sent something. */
async function progressOf(run: StoredRun): Promise<'nothing' | 'running' | 'partial' | 'complete'> {
  if (lockHolder(run.folder.path) !== undefined) return 'running';
  if (!(await hasStarted(run.folder))) return 'nothing';
  const runState = await readRun(run.folder.path, false);
  if (runState.state === 'complete') {
    catalogueRun(run, runState);
    return 'complete';
  }
  return isWithoutEffect(factsOf(runState)) ? 'nothing' : 'partial';
}

/** Whether a run that no process works on is unfinished and has certainly sent nothing. */
export function isWithoutEffect(facts: RunFacts | undefined): boolean {
  return facts?.hasSentNothing === true && facts.handedOver === undefined && facts.state !== 'complete';
}
