/**
 * Reopens what a run reads: its inputs, which must not have changed. If they are gone or have changed, and nothing of them is left
 * to read, the payloads in the run folder.
 */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { contracts } from '../contract/index.ts';
import type { RunFile, StoredRun } from '../journal/run-file.ts';
import { isSpool, spoolName } from '../journal/run-folder.ts';
import { printable } from '../lib/printable.ts';
import type { Adopt } from '../lib/resources.ts';
import type { Suggest } from '../lib/shell.ts';
import { formatList } from '../lib/text.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import { type OptionValues, repeated, text, under, usageError } from '../options/option-spec.ts';
import { INPUT, type Settings } from '../options/option-table.ts';
import { closePlan, type Plan, planRun } from '../plan/index.ts';
import { digestRowFunction } from '../plan/row-function-worker.ts';
import { type Duplicates, prepare, type ResumePoint } from '../prepare/index.ts';
import type { RunJob } from '../run/job.ts';
import { hasPayloads, prepareStored } from '../run/stored-batches.ts';
import { packedInput } from '../stored-runs/pack-run.ts';
import type { Surroundings } from './context.ts';
import { confirmTransform } from './foreign-run.ts';
import type { OpenedRun, ReopenedRun } from './open-run.ts';
import { planRequestOf } from './plan-request.ts';
import type { Sending } from './send-run.ts';

type RunInput = RunFile['inputs'][number];

export const reopenOptions = under(INPUT, {
  input: repeated('old=new', 'new path of an input that has moved; repeatable'),
  transform: text('file', 'transform module of the run; in scripts, needed if another user started the run'),
});

type SourceOptions = OptionValues<typeof reopenOptions>;

interface SourceIntent extends SourceOptions {
  readonly from: ResumePoint;
  /** Has the records of the run's earlier part. Absent without `--dedupe`. */
  readonly duplicates?: Duplicates | undefined;
}

/** @throws ProblemError `resume.changed`, `resume.nothing_kept` */
export async function openRunSource(
  adopt: Adopt,
  context: Surroundings,
  run: OpenedRun<ReopenedRun>,
  intent: SourceIntent,
): Promise<Pick<Sending, 'job' | 'prepare'> & { readonly transform?: string | undefined }> {
  const { folder, file, runState, request } = run;
  const { from, duplicates } = intent;
  let plan: Plan;
  try {
    plan = adopt(await planAgain(context, intent, run, request.settings.engine), closePlan);
  } catch (error) {
    const isRead = runState.sources.every(({ ended }) => ended);
    if (!(error instanceof ProblemError) || !isRead || !(await hasPayloads(folder.path, from.toRebuild))) throw error;
    return storedSource(run, from);
  }
  const inputs = plan.job.inputs.map((input, index) => {
    // The writer of a pipe whose end was not read may have died in the middle of a row. A compressed or transcoded
    // file has no size before its end either, but it has a path.
    const isPipe = file.inputs[index]?.path === undefined;
    const isIncomplete = isPipe && runState.sources[index]?.size === undefined;
    return isIncomplete ? { ...input, incomplete: true as const } : input;
  });
  const divided = file.shard && { ...file.shard, recordKeys: file.dedupe === true };
  const job = { ...plan.job, inputs, from, findDuplicate: duplicates?.find, shard: divided };
  return { job, prepare: () => prepare(job), transform: plan.transform?.file };
}

function storedSource({ folder, file, runState }: OpenedRun, { toRebuild }: ResumePoint) {
  const close = async (): Promise<void> => undefined;
  const inputs = runState.sources.map(({ name, size }) => ({ source: { name, size, close }, textSize: size }));
  const job: RunJob = { contract: contracts[file.type], variant: file.variant, inputs };
  return { job, prepare: () => prepareStored(folder.path, toRebuild) };
}

/** Plans the run again from run.json and the mapping in its folder, and compares its inputs with run.json. */
async function planAgain(
  context: Surroundings,
  options: SourceOptions,
  run: OpenedRun & Pick<ReopenedRun, 'words' | 'suggest'>,
  engine: Settings['engine'],
): Promise<Plan> {
  const { folder, file: runFile, suggest } = run;
  const moved = parseMoved(options.input, runFile);
  const files = await locateInputs(run, moved);
  const named = options.transform ?? moved.get(runFile.transform?.path ?? '');
  const transform = runFile.transform && (named ?? runFile.transform.path);
  const problems = await compareSizes(files, run, suggest);
  // Compared before it is loaded: a changed module is not run.
  if (transform !== undefined && (await digestRowFunction(transform)) !== runFile.transform?.digest) {
    problems.push(changed(transform, 'its SHA-256 differs', suggest, 'transform'));
  }
  if (problems.length > 0) throw new ProblemError(problems);
  if (transform !== undefined && named === undefined) await confirmTransform(context, run, transform);

  const { skip, limit = Number.POSITIVE_INFINITY } = runFile;
  const sources = files.map((file, index) => withMember(file, runFile.inputs[index]));
  const plan = await planRun(
    {
      ...planRequestOf(folder.path, runFile, sources, suggest),
      skip,
      limit,
      transformFile: transform,
      onTransformOutput: (line) => context.streams.err(`${printable(line)}\n`),
      engine,
    },
    context.streams.stdin,
  );
  const differences = compareInputs(plan, runFile, suggest);
  if (differences.length === 0) return plan;
  await closePlan(plan);
  throw new ProblemError(differences);
}

/** @throws ProblemError `resume.changed` and `pack.transform` if an archive of the unfinished run could not be finished */
export async function assertCanFinish(context: Surroundings, run: OpenedRun, suggest: Suggest): Promise<void> {
  if (run.file.transform !== undefined) {
    throw new ProblemError({
      code: 'pack.transform',
      message:
        'The run is incomplete and uses --transform. Its module may import files that the archive would not contain. Nothing was packed.',
      where: run.file.transform.path,
      hint: 'Resume the run on this machine.',
    });
  }
  await closePlan(
    await planAgain(context, { input: [], transform: undefined }, { ...run, suggest, words: [] }, 'reference'),
  );
}

export function withMember(file: string, input: RunInput | undefined): string {
  return input?.member === undefined ? file : `${file}:${input.member}`;
}

/** The file of an input: in an unpacked archive, where it was, or in the run folder for a pipe. */
export async function storedInput({ folder, file: { inputs } }: StoredRun, index: number): Promise<string> {
  const { source = '', path: file } = inputs[index] ?? {};
  return (await packedInput(folder.path, inputs, index)) ?? file ?? path.join(folder.path, spoolName(source, index));
}

function locateInputs(run: StoredRun, moved: ReadonlyMap<string, string>): Promise<readonly string[]> {
  const files = run.file.inputs.map(async (input, index) => {
    const old = moved.has(input.source) ? input.source : [...moved.keys()].find((name) => isNameOf(name, input));
    return moved.get(old ?? '') ?? (await storedInput(run, index));
  });
  return Promise.all(files);
}

/** Whether a user names this input so: as in messages, without the sheet or the member of the archive, or by its path. */
function isNameOf(name: string, { source, path: file }: RunInput): boolean {
  return source === name || source.startsWith(`${name}:`) || path.resolve(name) === file;
}

async function compareSizes(files: readonly string[], { file, runState }: OpenedRun, suggest: Suggest) {
  const problems: Problem[] = [];
  for (const [index, input] of file.inputs.entries()) {
    const given = files[index] ?? input.source;
    const { size: copied, digest } = runState.sources[index] ?? {};
    // Of a pipe that was copied to its end and not yet read to it, the journal has the length of the copy.
    const bytes = isSpool(path.basename(given)) && digest === undefined ? copied : input.bytes;
    const size = (await stat(given).catch(() => undefined))?.size;
    // A pipe has no path. Its copy may be missing or empty, for example after a full disk.
    if (input.path === undefined && (size ?? 0) === 0) problems.push(noCopy(input.source, suggest));
    else if (size === undefined) problems.push(changed(input.source, 'it no longer exists', suggest));
    else if (bytes !== undefined && size !== bytes)
      problems.push(changed(input.source, `it had ${bytes} bytes and now has ${size}`, suggest));
  }
  return problems;
}

function compareInputs(plan: Plan, runFile: RunFile, suggest: Suggest): readonly Problem[] {
  return plan.job.inputs.flatMap(({ source, detected }, index) => {
    const before = runFile.inputs[index];
    // A full disk or a kill may have cut the copy of a pipe before the end of its head.
    const isCut = before?.path === undefined && source.headIsWhole;
    if (before === undefined || (before.head !== source.headDigest() && !isCut)) {
      return [changed(before?.source ?? source.name, 'its beginning differs', suggest)];
    }
    const isSame = before.columns.join('\n') === detected.columns.join('\n');
    return isSame ? [] : [changed(before.source, 'its columns differ', suggest)];
  });
}

/** @throws ProblemError `usage` if a word is not `OLD=NEW`, or OLD is nothing that the run reads */
function parseMoved(words: readonly string[], { inputs, transform }: RunFile): ReadonlyMap<string, string> {
  const moved = new Map<string, string>();
  for (const word of words) {
    const at = word.indexOf('=');
    const [old, file] = [word.slice(0, at), word.slice(at + 1)];
    if (at < 1 || file === '') throw usageError(`--input is "${word}": expected OLD=NEW.`);
    if (old !== transform?.path && !inputs.some((input) => isNameOf(old, input))) {
      const names = formatList(
        inputs.map(({ source }) => printable(source)),
        "'",
      );
      throw usageError(`--input names '${old}', which the run did not read. It read ${names}.`);
    }
    moved.set(old, file);
  }
  return moved;
}

function noCopy(source: string, suggest: Suggest): Problem {
  return {
    code: 'resume.nothing_kept',
    message: 'The run folder contains no data from the pipe, so the run cannot be resumed.',
    where: source,
    hint: `Pipe the data in again: \`${suggest('upload', '-')}\`.`,
  };
}

function changed(source: string, what: string, suggest: Suggest, subject = 'input'): Problem {
  return {
    code: 'resume.changed',
    message: `The ${subject} has changed since the run began: ${what}. Nothing was sent.`,
    where: source,
    hint: `Restore it; pass its new path to \`resume\` or \`runs explain\` with --input OLD=NEW; or start a new run: \`${suggest('upload', 'FILE')}\`.`,
  };
}
