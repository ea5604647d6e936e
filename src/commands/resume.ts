/** `signals resume`: goes on with a run that was stopped, interrupted or killed, from where its journal ends. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { contracts } from '../contract/index.ts';
import { addSealed } from '../history/index.ts';
import type { SeenFilter } from '../history/seen-filter.ts';
import { listRuns } from '../journal/find-run.ts';
import { assertNotHandedOver, readHandover } from '../journal/handover.ts';
import { inspectRun } from '../journal/inspect-run.ts';
import { hasBegun, lineageOf, replayedBatches } from '../journal/lineage.ts';
import { lockHolder, lockRun, RunLockedError } from '../journal/lock.ts';
import { packedInput } from '../journal/pack-run.ts';
import { type RecoveredRun, readJournal } from '../journal/read-journal.ts';
import { decodeOptionsOf, type RunFile, readRunFile } from '../journal/run-file.ts';
import type { RunFolder } from '../journal/run-folder.ts';
import { spoolName } from '../journal/spool-names.ts';
import { printable } from '../lib/printable.ts';
import type { Suggest } from '../lib/shell.ts';
import type { Ledger, OpenBatch } from '../model/ledger.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import { type Plan, planRun } from '../plan/index.ts';
import { digestTransform } from '../plan/transform-file.ts';
import { prepare, type ResumePoint } from '../prepare/index.ts';
import { createReasons } from '../report/failure-reasons.ts';
import { describeProblem } from '../report/problem-text.ts';
import { exitCodeOf, firstCode, summarise } from '../report/summary.ts';
import { createReplayJob, prepareReplay, rejectsInputsOf } from '../run/replay-run.ts';
import { isRowLimit } from '../run/row-limits.ts';
import {
  hasUnlistedRefusals,
  openRunFiles,
  REPLAY_FILE,
  type RejectsInput,
  rejectsInputs,
} from '../run/run-files.ts';
import type { ResumeState, UnsettledBatch } from '../run/upload-run.ts';
import { resolveKey } from '../settings/api-key.ts';
import { resolveSettings, type Settings } from '../settings/resolve-settings.ts';
import type { Context, Options, Work } from './shared/command.ts';
import { destinationOf, destinationOptions, nameOf, openDestination } from './shared/destination.ts';
import {
  ENGINE,
  engineOf,
  failOn,
  leftoverOptions,
  list,
  rowLimits,
  settingsAsked,
  suggestFor,
  wantedRun,
} from './shared/options.ts';
import { heardAgain, withoutLimits } from './shared/persisted-options.ts';
import { enter, recallAgain, remember, wantedFolder } from './shared/run-history.ts';
import { announce, readAsked, type Sending, send } from './shared/send.ts';

export const resume = {
  options: [
    ...leftoverOptions,
    {
      flags: '--input <old=new>',
      about: 'new path of an input that has moved; repeatable',
      repeat: true,
      group: 'Input:',
    },
    ENGINE,
    { flags: '--all', about: 'resume every unfinished run, one after the other' },
  ],
  more: [
    'RUN is an id, an unambiguous part of an id, a folder, or "last". Delivered batches are not sent again.',
    '',
    'Examples:',
    '  signals resume last',
    '  signals resume --all --quiet',
    '  signals resume 20261120T091502Z-funding-3f9a --rate 5/s',
  ].join('\n'),
  run,
} satisfies Work;

async function run(context: Context, args: readonly string[], options: Options): Promise<number> {
  const resolved = await resolveSettings(settingsAsked(context, options));
  if (options['all'] !== true) {
    const wanted = wantedRun(context, suggestFor(context, options), args, {
      command: 'resume',
      does: 'resumes',
    });
    return resumeRun(context, options, await wantedFolder(context, resolved, wanted));
  }
  if (args.length > 0) {
    throw new ProblemError({ code: 'usage', message: 'Pass either a run or --all, not both.' });
  }
  return resumeAll(context, options, resolved.settings);
}

/** One after the other, and a fault of one does not keep the others waiting. */
async function resumeAll(context: Context, options: Options, settings: Settings): Promise<number> {
  const { streams } = context;
  const codes: number[] = [];
  for (const folder of await listRuns(settings.out)) {
    if (context.signal.aborted) break;
    try {
      if (!(await isResumable(context, options, folder))) continue;
      codes.push(await resumeRun(context, options, folder));
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      const exitCode = error instanceof RunLockedError ? 7 : 2;
      codes.push(exitCode);
      const { problems } = error;
      if (options['json'] === true)
        streams.out(`${JSON.stringify({ exitCode, run: folder.id, problems })}\n`);
      for (const problem of problems) {
        const told = describeProblem(problem, streams.style.err);
        streams.err(`${streams.style.err.red('error')}: ${printable(folder.id)}: ${told}\n`);
      }
    }
  }
  if (codes.length === 0 && options['json'] === true) streams.out(`${JSON.stringify({ exitCode: 0 })}\n`);
  else if (codes.length === 0 && options['quiet'] !== true) {
    streams.out(`No run in ${printable(settings.out)} has anything left to send.\n`);
  }
  return firstCode(codes);
}

/** @throws HeldError where a process works on it now */
async function isResumable(context: Context, options: Options, folder: RunFolder): Promise<boolean> {
  if (!(await hasBegun(folder))) return false;
  if (options['again'] !== true && (await readHandover(folder.path)) !== undefined) return false;
  const holder = await lockHolder(folder.path);
  if (holder !== undefined) throw new RunLockedError(folder.path, holder);
  const runFile = await readRunFile(folder.path);
  const heard = heardAgain(options, runFile);
  const { settings } = await resolveSettings(settingsAsked(context, heard.options, runFile.profile));
  const recovered = await readJournal(path.join(folder.path, 'journal.ndjson'));
  const left = withoutTaken(recovered, replayedBatches(await lineageOf(folder), runFile.run));
  return !(await isDone(folder, left, settings.onUnknown === 'resend'));
}

async function resumeRun(context: Context, said: Options, folder: RunFolder): Promise<number> {
  const runFile = await readRunFile(folder.path);
  const { options } = heardAgain(said, runFile);
  const suggest = suggestFor(context, options, { again: undefined, ...destinationOptions(runFile) });
  const { given, settings, warnings, judged, graceMs } = await readAsked(context, options, runFile.profile);

  const lock = await lockRun(folder.path);
  try {
    await assertNotHandedOver(folder, options['again'] === true);
    const begun =
      runFile.parent === undefined
        ? await fromInputs(context, options, folder, runFile, suggest)
        : fromReplay(folder, runFile);
    try {
      const runFiles = await openRunFiles(folder, begun.kept, { fsync: options['fsync'] === true });
      const reasons = createReasons();
      const recalled = await recallAgain(context, runFile, folder.path);
      const { asks, seen } = recalled;
      let isOverruled = false;
      const whole = await readJournal(path.join(folder.path, 'journal.ndjson'), (event) => {
        // Who goes on behind a limit of rows wants the rows all the same (docs/failures.md, "Limits of rows").
        if (event.event === 'run.ended') isOverruled ||= isRowLimit(event.stop);
        reasons.on(event);
        if (seen !== undefined && event.event === 'batch.sealed') addSealed(seen, event);
        // goOn fails where this one does.
        runFiles.logResult(event)?.catch(() => undefined);
      });
      const recovered = withoutTaken(whole, replayedBatches(await lineageOf(folder), runFile.run));
      if (await isDone(folder, recovered, settings.onUnknown === 'resend')) {
        await runFiles.close();
        return alreadyDone(context, options, folder, recovered, suggest);
      }
      const { from, state } = goingOn(recovered, settings.onUnknown === 'resend');
      const goesOn = await begun.goOn(from, recovered, seen?.filter);
      const { bytes } = recovered;
      await runFiles.restore({ bytes, rejects: state.rejects, reopened: new Set(state.unsettled.keys()) });

      const baseUrl = await destinationOf(context, options, runFile, settings.baseUrl);
      const target = await openDestination(context, suggest, { sandbox: runFile.sandbox, baseUrl }, () =>
        resolveKey(given),
      );
      try {
        const all = [
          ...warnings,
          ...target.warnings,
          ...recalled.warnings,
          ...(await enter(context, runFile, folder.path)),
        ];
        const { kept } = heardAgain(said, isOverruled ? withoutLimits(runFile) : runFile);
        announce(context, options, all, [
          `Going on with ${folder.id}, to ${nameOf(target)}.`,
          ...(kept.length === 0 ? [] : [`As when it began: ${kept.join(' ')}.`]),
        ]);
        return await send(context, options, {
          ...goesOn,
          settings,
          target,
          runFiles,
          reasons,
          resume:
            target.baseUrl === runFile.baseUrl || runFile.sandbox
              ? state
              : { ...state, baseUrlChanged: true },
          isReplay: runFile.parent !== undefined,
          graceMs,
          limits: isOverruled ? {} : rowLimits(options),
          keys: asks.keys === true,
          remember: () => remember(context, runFile, folder.path),
          judged,
          warnings: all,
          suggest: suggestFor(context, options, {
            again: undefined,
            transform: begun.transform,
            ...destinationOptions(target),
          }),
        });
      } finally {
        await target.close();
      }
    } finally {
      await begun.close();
    }
  } finally {
    await lock.release();
  }
}

/** What a run was begun with: inputs, or the batches of another run. */
interface Begun {
  readonly kept: readonly RejectsInput[];
  /** The file of `--transform`. */
  readonly transform: string | undefined;
  goOn(
    from: ResumePoint,
    recovered: RecoveredRun,
    seen?: SeenFilter,
  ): Promise<Pick<Sending, 'job' | 'prepare'>>;
  close(): Promise<void>;
}

async function fromInputs(
  context: Context,
  options: Options,
  folder: RunFolder,
  runFile: RunFile,
  suggest: Suggest,
): Promise<Begun> {
  const plan = await planAgain(context, options, folder, runFile, suggest);
  return {
    kept: rejectsInputs(plan.job.inputs),
    transform: plan.transform?.file,
    async goOn(from, { ledger }, seen) {
      // A pipe whose end was never read: whoever wrote into it may have died in the middle of a row.
      const inputs = plan.job.inputs.map((input, index) => {
        // Of a file that is unpacked or decoded on the way, the size is not known before its end either.
        const isPipe = runFile.inputs[index]?.path === undefined;
        const isTorn = isPipe && ledger.sources[index]?.size === undefined;
        return isTorn ? { ...input, torn: true as const } : input;
      });
      const job = { ...plan.job, inputs, from, ...(seen === undefined ? {} : { seen }) };
      return { job, prepare: () => prepare(job) };
    },
    async close() {
      for (const { source } of plan.job.inputs) await source.close();
    },
  };
}

/** A replay needs nothing but its own folder. */
function fromReplay(folder: RunFolder, runFile: RunFile): Begun {
  const file = path.join(folder.path, REPLAY_FILE);
  return {
    kept: rejectsInputsOf(runFile),
    transform: undefined,
    async goOn(from) {
      const job = await createReplayJob(file, runFile);
      return { job, prepare: () => prepareReplay(file, job.inputs.length, from) };
    },
    close: async () => undefined,
  };
}

/** The plan of the run as it was, made anew from run.json and the mapping in its folder. */
async function planAgain(
  context: Context,
  options: Options,
  folder: RunFolder,
  runFile: RunFile,
  suggest: Suggest,
): Promise<Plan> {
  const moved = new Map(list(options, 'input').map((word) => splitAt(word)));
  const files: string[] = [];
  for (const [index, { source, path: file }] of runFile.inputs.entries()) {
    const given =
      moved.get(source) ?? moved.get(file ?? '') ?? (await packedInput(folder.path, index, source));
    // A pipe's bytes are in the run folder.
    files.push(given ?? file ?? path.join(folder.path, spoolName(source, index)));
  }
  const faults: Problem[] = [];
  for (const [index, file] of files.entries()) {
    const { source, bytes } = runFile.inputs[index] ?? { source: file };
    const size = await stat(file).then(
      (stats) => stats.size,
      () => undefined,
    );
    if (isLostPipe(runFile.inputs[index], size)) {
      faults.push(nothingKept(source, suggest));
    }
    if (size !== undefined && bytes !== undefined && size !== bytes) {
      faults.push(changed(source, `it had ${bytes} bytes, and has ${size} now`, suggest));
    }
  }
  const { transform } = runFile;
  const transformFile = transform && (moved.get(transform.path) ?? transform.path);
  // Before it is loaded: a function that has changed is not even run.
  if (transformFile !== undefined && (await digestTransform(transformFile)) !== transform?.digest) {
    faults.push(changed(transformFile, 'its digest is another one', suggest, 'transform'));
  }
  if (faults.length > 0) throw new ProblemError(faults);

  const { batchSize, maxBytes, skip, limit = Number.POSITIVE_INFINITY, type, variant } = runFile;
  const plan = await planRun(
    {
      files,
      suggest,
      type,
      variant: variant ?? 'auto',
      mapFile: path.join(folder.path, 'mapping.yaml'),
      columns: [],
      constants: [],
      ...(transformFile === undefined ? {} : { transformFile }),
      decode: decodeOptionsOf(runFile),
      batchSize,
      maxBytes,
      skip,
      limit,
      engine: engineOf(options),
      // A guessed encoding was agreed to when the run began, and the same head leads to the same guess.
      mayAsk: true,
    },
    context.streams.stdin,
  );
  for (const [index, { source, detected }] of plan.job.inputs.entries()) {
    const before = runFile.inputs[index];
    const head = source.headDigest();
    // A pipe's copy is our own; a full disk or a kill may have cut it in front of where its head ended.
    const isCut = before?.path === undefined && source.headIsWhole;
    if (before === undefined || (before.head !== head && !isCut)) {
      faults.push(changed(before?.source ?? source.name, 'its beginning is another one', suggest));
    } else if (before.columns.join('\n') !== detected.columns.join('\n')) {
      faults.push(changed(before.source, 'its columns are understood otherwise', suggest));
    }
  }
  if (faults.length === 0) return plan;
  for (const { source } of plan.job.inputs) await source.close();
  throw new ProblemError(faults);
}

/** Where the run goes on, and with which batches. */
function goingOn(recovered: RecoveredRun, resend: boolean): { from: ResumePoint; state: ResumeState } {
  const { ledger, cursors, rejects, rejectedRows } = recovered;
  const { deduplicates } = contracts[ledger.type];
  const unsettled = recovered.openBatches.flatMap((batch) => again(batch, deduplicates || resend));
  const from: ResumePoint = {
    cursors,
    ended: new Set(ledger.sources.flatMap(({ ended }, index) => (ended ? [index] : []))),
    sealed: recovered.batchesCut,
    again: recovered.openBatches
      .filter(({ batch: id }) => unsettled.some(({ batch }) => batch === id))
      .map(({ batch: id, digest, records, ranges }) => ({ id, digest, records, ranges })),
  };
  return {
    from,
    state: {
      ledger,
      unsettled: new Map(unsettled.map((batch) => [batch.batch, batch])),
      rejects: { bytes: rejects, rows: rejectedRows },
    },
  };
}

/** What a replay has taken is its business, and nobody else's. */
function withoutTaken(recovered: RecoveredRun, taken: ReadonlyMap<string, string>): RecoveredRun {
  return { ...recovered, openBatches: recovered.openBatches.filter(({ batch }) => !taken.has(batch)) };
}

/** delivery.md, "Outcomes of a batch": what a resume does with a batch; nothing, or one of two. */
function again(batch: OpenBatch, harmlessTwice: boolean): readonly UnsettledBatch[] {
  const { batch: id, records, bytes, ranges, attempts, maybeProcessed, isPart, state } = batch;
  if (state === 'unknown' && !harmlessTwice) return [];
  const next = maybeProcessed && !harmlessTwice ? 'settle' : 'send';
  return [{ batch: id, from: state, records, bytes, ranges, attempts, maybeProcessed, isPart, next }];
}

async function isDone(
  folder: RunFolder,
  { ledger, openBatches }: RecoveredRun,
  resend: boolean,
): Promise<boolean> {
  const { deduplicates } = contracts[ledger.type];
  const isSettled =
    ledger.sources.every(({ ended }) => ended) &&
    openBatches.every((batch) => again(batch, deduplicates || resend).length === 0);
  // All that is left may be to list what the service refused.
  return isSettled && !(await hasUnlistedRefusals(folder.path));
}

/** Nothing to send by itself; what needs somebody to decide is told by `runs show`. */
async function alreadyDone(
  { streams }: Context,
  options: Options,
  { id, path: folder }: RunFolder,
  recovered: RecoveredRun,
  suggest: Suggest,
): Promise<number> {
  const ledger: Ledger = { ...recovered.ledger, state: 'complete' };
  const exitCode = exitCodeOf(ledger, { failOn: failOn(options) });
  if (options['json'] === true) {
    const { seconds } = await inspectRun(folder, true);
    streams.out(`${JSON.stringify(summarise(ledger, { exitCode, folder, seconds, warnings: [] }))}\n`);
    return exitCode;
  }
  if (options['quiet'] === true && exitCode === 0) return exitCode;
  const say = options['quiet'] === true ? streams.err : streams.out;
  say(`${printable(id)} is complete: there is nothing left to send.\n`);
  if (exitCode !== 0) {
    say(`What became of its rows: ${suggest('runs', 'show', id)}\n`);
  }
  return exitCode;
}

function splitAt(word: string): readonly [string, string] {
  const at = word.indexOf('=');
  if (at > 0 && at < word.length - 1) return [word.slice(0, at), word.slice(at + 1)];
  throw new ProblemError({ code: 'usage', message: `--input is "${word}": expected OLD=NEW.` });
}

/** A pipe has no path; its copy is in the run folder, and may have found no room at all. */
function isLostPipe(input: RunFile['inputs'][number] | undefined, size: number | undefined): boolean {
  return input !== undefined && input.path === undefined && (size ?? 0) === 0;
}

function nothingKept(source: string, suggest: Suggest): Problem {
  return {
    code: 'resume.nothing_kept',
    message: 'Nothing of what came through the pipe was kept, so there is nothing to go on with.',
    where: source,
    hint: `Pipe the data in again: \`${suggest('upload', '-')}\`.`,
  };
}

function changed(source: string, what: string, suggest: Suggest, subject = 'input'): Problem {
  return {
    code: 'resume.changed',
    message: `The ${subject} has changed since the run began: ${what}. Nothing was sent.`,
    where: source,
    hint: `Put it back as it was; name its new place with --input OLD=NEW; or start a new run: \`${suggest('upload', 'FILE')}\`.`,
  };
}
