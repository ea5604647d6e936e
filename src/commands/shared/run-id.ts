/**
 * `upload --run-id NAME` (delivery.md, "Across runs"): for schedulers, which may start the same job twice. If the run does
 * not exist, it starts. If it is unfinished, it is resumed. If it is complete, or a row limit stopped it and limits are
 * given again, nothing is sent and its exit code is returned. Different inputs under the same name are an error.
 */
import { existsSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type OpenInput, openInputs } from '../../input/open-inputs.ts';
import { exists } from '../../journal/file-system.ts';
import { type InspectedRun, inspectRun } from '../../journal/inspect-run.ts';
import { RecordedEnd } from '../../journal/recorded-end.ts';
import { type RunFile, readRunFile } from '../../journal/run-file.ts';
import { hasStarted, type RunFolder } from '../../journal/run-folder.ts';
import { namesIn } from '../../journal/run-index.ts';
import { hasSentNothing } from '../../journal/unfinished-run.ts';
import { printable } from '../../lib/printable.ts';
import { count, plural } from '../../lib/units.ts';
import type { Stop } from '../../model/outcome.ts';
import { ProblemError } from '../../model/problem.ts';
import type { RunState } from '../../model/run-state.ts';
import type { Shard } from '../../model/shard.ts';
import { usageError } from '../../options/option-spec.ts';
import type { SettingOptions } from '../../options/option-table.ts';
import { givenSettings, resolveSettings } from '../../options/resolve-settings.ts';
import { createSuggest } from '../../options/suggest.ts';
import { createReasons } from '../../report/failure-reasons.ts';
import { nameList } from '../../report/text-layout.ts';
import { isRowLimit } from '../../run/row-limits.ts';
import type { Context } from './command.ts';
import type { ShownOptions } from './output.ts';
import { inputsOf } from './plan-request.ts';
import { acquireRunLock } from './run-lock.ts';
import { reportFinished } from './run-summary.ts';
import { shardRunId } from './shard.ts';

/** Valid in file names on every system. `last` names the latest run. */
const NAME = /^(?!last$)[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/;

/** How long another process may take between creating a run folder and locking it, in milliseconds. */
const LOCK_WAIT = 2000;

/** The coarsest times of a file system (FAT), in milliseconds. */
const TIME_STEP_MS = 2000;

export interface RunNamed {
  begin(): Promise<number>;
  resume(folder: RunFolder): Promise<number>;
}

/** @throws ProblemError `usage` */
export function assertRunName(name: string): void {
  if (NAME.test(name)) return;
  throw usageError(
    `--run-id is "${name}": expected up to 100 letters, digits, hyphens, underscores and dots, starting with a letter or a digit; not "last".`,
  );
}

export async function runNamed(
  context: Context,
  files: readonly string[],
  named: { readonly name: string; readonly shard: Shard | undefined },
  options: SettingOptions & ShownOptions & { readonly sheet?: string | undefined },
  { begin, resume }: RunNamed,
): Promise<number> {
  const name = shardRunId(named.name, named.shard);
  assertRunName(name);
  const { settings } = await resolveSettings(givenSettings(context, options));
  await assertSameDivision(settings.out, named.name, named.shard);
  const folder = { id: name, path: path.join(settings.out, name) };
  let hasBegun = false;
  try {
    if (!(await exists(folder.path))) {
      hasBegun = true;
      return await begin();
    }
  } catch (error) {
    // Another process may have started the same run since: its folder exists, or its input is being sent.
    const code = error instanceof ProblemError ? error.problems[0]?.code : undefined;
    const isConflict = code === 'run.exists' || code === 'upload.unfinished';
    if (!isConflict || !(await exists(folder.path))) throw error;
  }
  await waitForLock(folder.path);

  const lock = await acquireRunLock(context, folder.path, options.quiet);
  try {
    if (!(await hasStarted(folder))) {
      new RecordedEnd(folder.path).assertReached();
      // The process that created the folder died before the first line of the journal: nothing was sent.
      await rm(folder.path, { recursive: true });
      return await begin();
    }
    const runFile = await readRunFile(folder.path);
    const reasons = createReasons();
    const inspected = await inspectRun(folder.path, false, { onEvent: reasons.on });
    const limit = stopByLimit(inspected, options);
    const isFinished = inspected.ended && (inspected.runState.state === 'complete' || limit !== undefined);
    // After an attempt to begin, a pipe cannot be read again.
    const finished = isFinished ? inspected.runState : undefined;
    const unsent = limit !== undefined && hasSentNothing(inspected.runState) ? folder.path : undefined;
    if (!hasBegun) await assertSameInputs(context, files, options, runFile, { finished, unsent });
    if (isFinished) {
      const suggest = createSuggest(context, { ...options, again: false });
      const text = limit && [
        `${printable(name)} was stopped earlier, and nothing was sent now: ${printable(limit.message)}`,
        `To send the rest anyway: ${suggest('resume', name)}`,
      ];
      return await reportFinished(
        context,
        options,
        { ...inspected, runFile, reasons },
        folder,
        suggest,
        text?.join('\n'),
      );
    }
  } finally {
    lock.release();
  }
  return resume(folder);
}

/**
 * Refuses a name whose data was divided differently before: no shard would find its earlier part, and all rows would be
 * sent again.
 *
 * @throws ProblemError `run.other_division`
 */
async function assertSameDivision(root: string, name: string, shard: Shard | undefined): Promise<void> {
  for (const id of namesIn(root).filter((one) => one === name || one.startsWith(`${name}-`))) {
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

/** The row limit that stopped the run. A user who runs `resume` has seen it; a scheduler has not. */
function stopByLimit({ runState: { stop } }: InspectedRun, { maxInvalid, minRows }: SettingOptions): Stop | undefined {
  return (maxInvalid !== undefined || minRows !== undefined) && isRowLimit(stop) ? stop : undefined;
}

/**
 * Refuses different inputs, which would silently not be sent. The pipe of an unfinished run is not read: a resume reads its
 * copy, and compares the batches that it cuts. An input that no longer exists counts as the same.
 *
 * @param state `finished`: the runState of a finished run; `unsent`: the folder of one that a row limit stopped before it
 * sent anything
 * @throws ProblemError `run.other_input`
 */
async function assertSameInputs(
  context: Context,
  files: readonly string[],
  options: SettingOptions & { readonly sheet?: string | undefined },
  { run, startedAt, inputs, decode }: RunFile,
  { finished, unsent }: { readonly finished: RunState | undefined; readonly unsent: string | undefined },
): Promise<void> {
  const suggest = createSuggest(context, options);
  const given = inputsOf(files, context, suggest);
  if (finished === undefined && (given.includes('-') || inputs.some((input) => input.path === undefined))) return;
  if (given.every((file) => inputs.some((input) => input.path === path.resolve(file)) && !existsSync(file))) return;
  const opened = await openInputs(given, context.streams.stdin, { sheet: options.sheet ?? decode.sheet });
  const found = opened.map((source) => ({ source: source.name, bytes: source.size }));
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
  if (isSame) return;
  const isChanged = found.map(({ source }) => source).join('\n') === inputs.map(({ source }) => source).join('\n');
  const state = finished === undefined ? 'is unfinished' : unsent === undefined ? 'has finished' : 'was stopped';
  const resume = `${isChanged ? 'To resume the run, restore its data first' : 'To resume the existing run'}: \`${suggest('resume', run)}\`.`;
  throw new ProblemError({
    code: 'run.other_input',
    message: isChanged
      ? `Run ${run} ${state}, and its data has changed since: ${nameList(found.map(({ source }) => source))}. Nothing was sent.`
      : `Run ${run} already exists, for different data: it reads ${describeInputs(inputs)}, not ${describeInputs(found)}. Nothing was sent.`,
    hint: `${unsent === undefined ? '' : `Run ${run} has sent nothing: to replace it, delete ${unsent} and repeat the command. `}To send this data, use another --run-id.${finished === undefined ? ` ${resume}` : ''}`,
  });
}

/**
 * Whether the bytes of an input have a digest. A file that has not changed since the run started is not read.
 *
 * @param digest undefined if the run did not read the input to its end
 * @param startedAt milliseconds since 1970
 */
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

function describeInputs(inputs: readonly { readonly source: string; readonly bytes?: number | undefined }[]): string {
  return nameList(
    inputs.map(({ source, bytes }) => (bytes === undefined ? source : `${source} (${count(bytes)} bytes)`)),
  );
}

/** The process that creates a run folder locks it at once. Waits while there is neither a lock nor a journal. */
async function waitForLock(folder: string): Promise<void> {
  for (let waited = 0; waited < LOCK_WAIT; waited += 50) {
    for (const name of ['lock', 'journal.ndjson']) {
      if (await exists(path.join(folder, name))) return;
    }
    await sleep(50);
  }
}
