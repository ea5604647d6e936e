/**
 * `upload --run-id NAME` (delivery.md, "Across runs"): for schedulers, which may start the same job twice. If the run does
 * not exist, it starts. If it is unfinished, it is resumed. If it is complete, or a row limit stopped it and limits are
 * given again, nothing is sent and its exit code is returned. Different inputs under the same name are an error.
 */
import { existsSync } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { type OpenInput, openInputs } from '../input/open-inputs.ts';
import { makeFolder } from '../journal/file-system.ts';
import { RecordedEnd } from '../journal/recorded-end.ts';
import { type RunFile, readRunFile } from '../journal/run-file.ts';
import { hasStarted, type RunFolder } from '../journal/run-folder.ts';
import { printable } from '../lib/printable.ts';
import { plural } from '../lib/units.ts';
import type { Shard } from '../model/batch.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import type { RunState } from '../model/run-state.ts';
import { usageError } from '../options/option-spec.ts';
import type { SettingOptions } from '../options/option-table.ts';
import { resolveSettings } from '../options/resolve-settings.ts';
import { createSuggest } from '../options/suggest.ts';
import { hasSentNothing } from '../report/next-step.ts';
import { nameList, whenText } from '../report/text-layout.ts';
import { isRowLimit } from '../run/row-limits.ts';
import { runNames } from '../stored-runs/catalogue.ts';
import type { ShownOptions, Surroundings } from './context.ts';
import { acquireRunLock, type OpenedRun, withStartLock } from './open-run.ts';
import { inputsOf } from './plan-request.ts';
import { shardRunId } from './shard.ts';

/** Valid in file names on every system. `last` names the latest run. */
const NAME = /^(?!last$)[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/;

/** The coarsest times of a file system (FAT). */
const TIME_STEP_MS = 2000;

interface RunNamed {
  begin(): Promise<number>;
  /** Undefined if the run is replaced. */
  resume(folder: RunFolder, intent: NamedIntent): Promise<number | undefined>;
}

export interface NamedIntent {
  readonly kind: 'named';
  readonly request: NamedRequest;
  /** Whether an attempt to begin the run has read its inputs. */
  readonly hasBegun: boolean;
}

interface NamedRequest {
  readonly files: readonly string[];
  readonly named: { readonly name: string; readonly shard: Shard | undefined };
  readonly options: NamedOptions;
}

type NamedOptions = SettingOptions & ShownOptions & { readonly sheet?: string | undefined; readonly sandbox: boolean };

/** @throws ProblemError `usage` */
export function assertRunName(name: string): void {
  if (NAME.test(name)) return;
  throw usageError(
    `--run-id is "${name}": expected up to 100 letters, digits, hyphens, underscores and dots, starting with a letter or a digit; not "last".`,
  );
}

export async function runNamed(
  context: Surroundings,
  request: NamedRequest,
  { begin, resume }: RunNamed,
): Promise<number> {
  const { named, options } = request;
  const name = shardRunId(named.name, named.shard);
  assertRunName(name);
  const { settings } = await resolveSettings({ ...context, ...options });
  await assertSameDivision(settings.out, named.name, named.shard);
  const folder = { id: name, path: path.join(settings.out, name) };
  for (let hasBegun = false; ; hasBegun = true) {
    if (existsSync(folder.path)) {
      // A process that creates the folder locks it before it lets others start.
      await withStartLock(settings.out, async () => undefined);
      if (!(await hasStarted(folder))) await removeUnstarted(context, folder, options.quiet);
    }
    const code = existsSync(folder.path) ? await resume(folder, { kind: 'named', request, hasBegun }) : undefined;
    if (code !== undefined) return code;
    try {
      return await begin();
    } catch (error) {
      // Another process may have started the same run since: its folder exists, or its input is being sent.
      const reason = error instanceof ProblemError ? error.problems[0]?.code : undefined;
      const isConflict = reason === 'run.exists' || reason === 'upload.unfinished';
      if (hasBegun || !isConflict || !existsSync(folder.path)) throw error;
    }
  }
}

/** The process that created the folder died before the first line of the journal: nothing was sent. */
async function removeUnstarted(context: Surroundings, folder: RunFolder, quiet: boolean): Promise<void> {
  const lock = await acquireRunLock(context, folder.path, quiet);
  try {
    // It may have begun before it let go of the lock.
    if (await hasStarted(folder)) return;
    new RecordedEnd(folder.path).assertReached();
    await rm(folder.path, { recursive: true });
  } finally {
    lock.release();
  }
}

interface NamedRun {
  readonly next: 'resume' | 'report' | 'replace';
  /** Why nothing is sent, if the run is not complete. */
  readonly text?: string | undefined;
}

/** @throws ProblemError `run.other_input` */
export async function compareNamed(
  context: Surroundings,
  { request, hasBegun }: NamedIntent,
  { file, runState }: OpenedRun,
): Promise<NamedRun> {
  const { options } = request;
  // A user who runs `resume` has seen why a limit stopped the run; a scheduler has not.
  const hasLimits = options.maxInvalid !== undefined || options.minRows !== undefined;
  const limit = hasLimits && isRowLimit(runState.stop) ? runState.stop : undefined;
  const isFinished = runState.state === 'complete' || limit !== undefined;
  // A pipe cannot be read again, after an attempt to begin and for a new run.
  const isReplaceable =
    runState.state === 'stopped' && hasSentNothing(runState) && file.inputs.every((input) => input.path !== undefined);
  const difference = hasBegun
    ? undefined
    : await findDifference(context, request, file, isFinished ? runState : undefined);
  if (difference !== undefined && isReplaceable) return { next: 'replace' };
  if (difference !== undefined) throw new ProblemError(difference);
  if (!isFinished) return { next: 'resume' };
  if (limit === undefined) return { next: 'report' };
  const suggest = createSuggest(context, { ...options, again: false });
  const text = [
    `${printable(file.run)} was stopped earlier, and nothing was sent now: ${printable(limit.message)}`,
    `To send the rest anyway: ${suggest('resume', file.run)}`,
  ];
  return { next: 'report', text: text.join('\n') };
}

/** Call this while the run is locked: another process may want to replace it too. */
export async function setAside({ id, path: folder }: RunFolder): Promise<void> {
  const target = path.join(path.dirname(folder), '.replaced', id);
  await rm(target, { recursive: true, force: true });
  makeFolder(path.dirname(target));
  await rename(folder, target);
}

/** If data was divided differently before, no shard would find its earlier part. @throws ProblemError `run.other_division` */
async function assertSameDivision(root: string, name: string, shard: Shard | undefined): Promise<void> {
  for (const id of runNames(root).filter((one) => one === name || one.startsWith(`${name}-`))) {
    // A damaged run.json is a problem of that run, not of this one.
    const file = await readRunFile(path.join(root, id)).catch(() => undefined);
    if (file === undefined || shardRunId(name, file.shard) !== id || file.shard?.of === shard?.of) continue;
    const before = file.shard === undefined ? 'in one piece' : `in ${plural(file.shard.of, 'shard')}`;
    throw new ProblemError({
      code: 'run.other_division',
      message: `Run ${id} already exists: this data was sent ${before}. Divided differently, it would be sent again. Nothing was sent.`,
      hint: `Use ${file.shard === undefined ? 'no --shard' : `--shard I/${file.shard.of}`}, or another --run-id.`,
    });
  }
}

/**
 * How the inputs differ from those of the run, which would silently not be sent. The pipe of an unfinished run is not read: a
 * resume reads its copy. An input that no longer exists counts as the same.
 */
async function findDifference(
  context: Surroundings,
  { files, options }: NamedRequest,
  { run, startedAt, inputs, decode, sandbox }: RunFile,
  finished: RunState | undefined,
): Promise<Problem | undefined> {
  const other = { code: 'run.other_input', hint: 'To send this data, use another --run-id.' };
  const where = sandbox ? 'the sandbox' : 'a service';
  if (options.sandbox !== sandbox)
    return { ...other, message: `Run ${run} already exists, and sends to ${where}. Nothing was sent.` };
  const suggest = createSuggest(context, options);
  const given = inputsOf(files, context, suggest);
  if (finished === undefined && (given.includes('-') || inputs.some((input) => input.path === undefined)))
    return undefined;
  if (given.every((file) => inputs.some((input) => input.path === path.resolve(file)) && !existsSync(file)))
    return undefined;
  const opened = await openInputs(given, context.streams.stdin, { sheet: options.sheet ?? decode.sheet });
  let isSame = opened.length === inputs.length;
  try {
    for (const [index, source] of opened.entries()) {
      const before = inputs[index];
      isSame &&= source.headDigest() === before?.head && source.size === before.bytes;
      isSame &&= await hasDigest(source, finished?.sources[index]?.digest, Date.parse(startedAt));
    }
  } finally {
    await Promise.all(opened.map((source) => source.close()));
  }
  if (isSame) return undefined;
  const resume = finished === undefined ? ` To resume the run, restore its data: \`${suggest('resume', run)}\`.` : '';
  return {
    ...other,
    message: `Run ${run} already exists, for different data: ${nameList(inputs.map(({ source }) => source))} as of ${whenText(startedAt)}, not ${nameList(opened.map(({ name }) => name))} as it is now. Nothing was sent.`,
    hint: `${other.hint}${resume}`,
  };
}

/** A file that has not changed since the run started is not read. @param digest undefined if the run did not read all of it */
async function hasDigest(source: OpenInput, digest: string | undefined, startedAt: number): Promise<boolean> {
  if (digest === undefined) return true;
  if (source.path !== undefined) {
    // The time of the last change of the file or of its name: a program cannot set it back.
    const { ctimeMs } = await stat(source.path);
    if (ctimeMs < startedAt - TIME_STEP_MS) return true;
  }
  for await (const _chunk of source.chunks());
  return source.digest() === digest;
}
