/** What the texts about a run need besides its state, from its folder, and the summary of a run in all its forms. */
import path from 'node:path';
import { contracts } from '../contract/index.ts';
import { type LoadedRun, loadRun } from '../journal/read-journal.ts';
import { type RunFile, readRunFile, type StoredRun } from '../journal/run-file.ts';
import type { RunFolder } from '../journal/run-folder.ts';
import { once } from '../lib/resources.ts';
import type { Suggest } from '../lib/shell.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import { isInRejects, isRejectsFile } from '../model/rejects-file.ts';
import type { RunFacts, RunState } from '../model/run-state.ts';
import type { Summary } from '../model/summary.ts';
import { detailText, endingText, leftRows, repairedRows } from '../report/ending-text.ts';
import type { RejectsCount } from '../report/next-step.ts';
import { type ExitOptions, type RunContext, summaryOf } from '../report/run-summary.ts';
import type { Style } from '../report/text-layout.ts';
import { rejectsFileNames } from '../run/rejects-folder.ts';
import { type FoundRun, factsOf, listRuns, rootOf } from '../stored-runs/catalogue.ts';
import { type NamedRow, readExplained } from '../stored-runs/explain-log.ts';
import { type FoundRows, findRows } from '../stored-runs/run-rows.ts';
import type { Surroundings } from './context.ts';
import { type CommonOptions, nameOfRun, runsRoot } from './find-run.ts';
import { suggestsAbout } from './foreign-run.ts';
import { isWithoutEffect, laterOfSameData } from './same-data.ts';

export interface RunView extends LoadedRun {
  readonly context: RunContext;
}

export async function viewRun(
  surroundings: Surroundings,
  options: Partial<CommonOptions>,
  folder: RunFolder,
): Promise<RunView> {
  const run = await loadRun(folder);
  const suggest = await suggestsAbout(surroundings, options)(run);
  const name = await nameOfRun(folder, await runsRoot(surroundings, options));
  const others = once(() => listRuns(rootOf(folder.path)));
  return { ...run, context: await contextOf(factsOf(run.runState), { ...run, suggest, name, others }) };
}

export interface ContextParts extends StoredRun {
  readonly suggest: Suggest;
  readonly name: readonly string[];
  readonly isRunning?: boolean | undefined;
  readonly isReported?: boolean | undefined;
  /** The runs that may have uploaded the rejects files, or have replaced this one. Default: none. */
  readonly others?: OtherRuns | undefined;
  readonly exit?: ExitOptions | undefined;
  readonly warnings?: readonly Problem[] | undefined;
  readonly isGone?: boolean | undefined;
}

export async function contextOf(facts: RunFacts, parts: ContextParts): Promise<RunContext> {
  const { file, suggest, name, isReported, warnings = [], isRunning = false, isGone = false } = parts;
  const { sandbox, baseUrl, type, skippedFiles = [], inputs, argv, transform } = file;
  const folder = parts.folder.path;
  const canExplain = contracts[type].deduplicates && !sandbox && facts.state === 'complete';
  const { rows: explained } = await readExplained(folder);
  const own = isGone ? [] : rejectsOf(parts, facts, explained);
  const rejects = await withUploads(file, own, parts.others);
  return {
    suggest,
    name,
    isReported,
    folder,
    isRunning,
    sandbox,
    baseUrl,
    rejects,
    replacedBy: isRunning || leftRows(facts, { rejects }) === 0 ? undefined : await replacementOf(facts, parts),
    // Its command sends the same data, except from a pipe; a program has no command.
    argv: argv.length > 0 && inputs.every((input) => input.path !== undefined) ? argv : undefined,
    isRepeat: inputs.every(({ columns }) => isRejectsFile(columns)),
    hasTransform: transform !== undefined,
    hasSkippedFiles: skippedFiles.length > 0,
    explained: canExplain ? explained.length : undefined,
    exit: { ...parts.exit, skippedFiles: skippedFiles.length },
    warnings: [...skippedFiles, ...warnings],
  };
}

export interface SummarisedRun {
  readonly summary: Summary;
  /** What a run prints at its end. @param isDetailed with every count, reason and file */
  readonly text: (style: Style, isDetailed: boolean) => string;
}

export function summarise(runState: RunState, context: RunContext): SummarisedRun {
  return {
    summary: summaryOf(runState, context),
    text: (style, isDetailed) => {
      const ending = endingText(runState, context, style, { hasReasons: !isDetailed });
      return isDetailed ? `${ending}\n\n${detailText(runState, context, style)}` : ending;
    },
  };
}

export async function summariseRun(runState: RunState, parts: ContextParts): Promise<SummarisedRun> {
  return summarise(runState, await contextOf(factsOf(runState), parts));
}

/** The rejects files of a run that hold rows: invalid ones, refused ones, and those that `runs explain` has added. */
function rejectsOf(
  { folder, file }: StoredRun,
  { rejectsRows = {} }: Pick<RunFacts, 'rejectsRows'>,
  explained: readonly NamedRow[],
): readonly RejectsCount[] {
  return rejectsFileNames(file).flatMap((name, source) => {
    const rows = (rejectsRows[source] ?? 0) + explained.filter((row) => row.source === source).length;
    return rows === 0 ? [] : [{ source, path: path.join(folder.path, 'rejects', name), rows }];
  });
}

/** The runs of a folder. They are listed when they are first needed: most runs have no rejects. */
export type OtherRuns = () => Promise<readonly Pick<FoundRun, 'folder' | 'file' | 'facts'>[]>;

/** A later run of the same data if this one has sent nothing (same-data.ts), or the last upload of the rejects files that it read. */
export async function replacementOf(
  facts: RunFacts,
  { folder, file, others = async () => [] }: Pick<ContextParts, 'folder' | 'file' | 'others'>,
): Promise<string | undefined> {
  if (facts.hasSentNothing === true) {
    const after = (await others()).filter((one) => isLater(one, file) && !isWithoutEffect(one.facts));
    const ids = after.map((one) => one.folder.id);
    const { later } = await laterOfSameData(ids, { folder, file });
    if (later !== undefined) return later.id;
  }
  const isRead = file.inputs.every((input) => isInRejects(input.source)) && facts.state === 'complete';
  if (!isRead || facts.rows.exhausted + facts.rows.unknown > 0) return undefined;
  const inputs = file.inputs.map((input, source) => ({ source, path: input.path ?? input.source, rows: 0 }));
  const [first, ...more] = (await withUploads(file, inputs, others)).map(({ upload }) => upload?.run);
  return more.every((run) => run === first) ? first : undefined;
}

function isLater({ file }: Pick<FoundRun, 'file'>, { startedAt }: RunFile): boolean {
  return file !== undefined && file.startedAt > startedAt;
}

/** The rejects files of a run, each with the last run that uploaded all of it to the same service. */
async function withUploads(
  file: RunFile,
  rejects: readonly RejectsCount[],
  others: OtherRuns = async () => [],
): Promise<readonly RejectsCount[]> {
  const uploads = new Map<string, RejectsCount['upload']>(rejects.map((one) => [path.resolve(one.path), undefined]));
  for (const one of rejects.length === 0 ? [] : await others()) {
    if (!isLater(one, file) || one.file?.inputs.some(({ source }) => isInRejects(source)) !== true) continue;
    for (const { input, upload } of await readUpload(one.folder, file, others, uploads)) uploads.set(input, upload);
  }
  return rejects.map((one) => ({ ...one, upload: uploads.get(path.resolve(one.path)) }));
}

/**
 * What an upload did with each file that it read, also by the uploads of its own rejects. Nothing if the run read none of the wanted
 * files, or only a part of them, or sent them elsewhere.
 */
async function readUpload(folder: RunFolder, file: RunFile, others: OtherRuns, wanted: ReadonlyMap<string, unknown>) {
  try {
    const upload = await readRunFile(folder.path);
    const { run, sandbox, baseUrl, type, limit, skip, shard } = upload;
    const isSame = sandbox === file.sandbox && (sandbox || baseUrl === file.baseUrl) && type === file.type;
    const isWhole = limit === undefined && skip === 0 && shard === undefined;
    if (!isSame || !isWhole || !upload.inputs.some(({ path: input = '' }) => wanted.has(input))) return [];
    const {
      rows,
      run: { runState },
    } = await findRows(folder, new Set(['delivered']));
    const { rows: explained } = await readExplained(folder.path);
    const own = await withUploads(upload, rejectsOf({ folder, file: upload }, factsOf(runState), explained), others);
    return upload.inputs.flatMap(({ path: input }, source) => {
      if (input === undefined) return [];
      const rejects = own.filter((one) => one.source === source);
      const delivered = countDelivered(rows.filter((row) => row.source === source)) + repairedRows({ rejects });
      const read = runState.sources[source]?.rows ?? 0;
      const isDone = runState.state === 'complete' && delivered === read;
      const open = rejects.find((one) => one.upload?.isDone === false)?.upload;
      return [{ input, upload: { run, read, delivered, isDone, last: open?.last ?? run } }];
    });
  } catch (error) {
    if (error instanceof ProblemError) return [];
    throw error;
  }
}

/** @param rows of delivered batches. Of some batches, the service rejected records without saying which. */
function countDelivered(rows: readonly FoundRows[]): number {
  const rejected = new Map(rows.map((row) => [row.batch, row.rejected ?? 0]));
  const all = rows.reduce((sum, { span }) => sum + span[2], 0);
  return Math.max(0, all - [...rejected.values()].reduce((sum, each) => sum + each, 0));
}
