/** `signals resume`: continues a run that was stopped, interrupted or killed, from the end of its journal. */
import path from 'node:path';
import { contracts } from '../contract/index.ts';
import { addSealed } from '../history/index.ts';
import type { SentRecords } from '../history/sent-records.ts';
import { removeFile } from '../journal/file-system.ts';
import { assertNotHandedOver, readHandover } from '../journal/handover.ts';
import { inspectRun } from '../journal/inspect-run.ts';
import { lineageOf, replayedBatches } from '../journal/lineage.ts';
import { lockHolder, RunLockedError } from '../journal/lock.ts';
import { type RecoveredRun, readJournal } from '../journal/read-journal.ts';
import type { RunFile } from '../journal/run-file.ts';
import { hasStarted, type RunFolder } from '../journal/run-folder.ts';
import { type RunSummary, readRuns } from '../journal/run-index.ts';
import { printable } from '../lib/printable.ts';
import type { Suggest } from '../lib/shell.ts';
import { errorObject } from '../lib/version.ts';
import type { RunEvent } from '../model/event.ts';
import type { Stop } from '../model/outcome.ts';
import { ProblemError } from '../model/problem.ts';
import type { OpenBatch, RunReader } from '../model/run-state.ts';
import { flag, type OptionValues, usageError } from '../options/option-spec.ts';
import { sharedOptions } from '../options/option-table.ts';
import { restoreOptions, withoutLimits } from '../options/run-options.ts';
import { stateFolder } from '../options/state-folder.ts';
import { createSuggest, destinationOptions } from '../options/suggest.ts';
import type { ResumePoint } from '../prepare/index.ts';
import { firstExitCode } from '../report/exit-code.ts';
import { createReasons } from '../report/failure-reasons.ts';
import type { ResumeState, UnsettledBatch } from '../run/job.ts';
import { hasUnlistedRefusals } from '../run/refused-rows.ts';
import { rejectsInputsOf } from '../run/rejects-folder.ts';
import { isRowLimit } from '../run/row-limits.ts';
import { openRunFiles, type RunFiles } from '../run/run-files.ts';
import { type Context, defineCommand } from './shared/command.ts';
import { describeDestination, reopenDestination } from './shared/destination.ts';
import { endingOf, runOnEnd, withOnEnd } from './shared/on-end.ts';
import { withResources } from './shared/resources.ts';
import { assertHistory, recallAgain } from './shared/run-history.ts';
import { acquireRunLock } from './shared/run-lock.ts';
import { openRunSource, reopenOptions } from './shared/run-source.ts';
import { reportFinished, reportNothing } from './shared/run-summary.ts';
import { announce, send } from './shared/send.ts';
import { reopenRun } from './shared/send-request.ts';
import { describeShard } from './shared/shard.ts';
import { requestedRun, runsRoot } from './shared/stored-runs.ts';

const resumeOptions = { ...sharedOptions('resume'), ...reopenOptions };

/** Without `--all`. The row limits come from run.json, or from `upload --run-id`. */
export type ResumeOptions = OptionValues<typeof resumeOptions>;

export const command = defineCommand({
  options: { ...resumeOptions, all: flag('--all', 'resume every unfinished run, one after the other') },
  run: (context, args, options) =>
    withOnEnd(context, options, async () => {
      if (!options.all) return resumeRun(context, options, await requestedRun(context, options, 'resume', args));
      if (args.length > 0) throw usageError('Pass either a run or --all, not both.');
      if (options.input.length > 0) throw usageError('Pass --input with one run, not with --all.');
      return resumeAll(context, options, await runsRoot(context, options));
    }),
  more: [
    'RUN is an id, an unambiguous part of an id, a folder, or "last". Delivered batches are not sent again.',
    '',
    'Examples:',
    '  signals resume last',
    '  signals resume --all --quiet',
    '  signals resume 20261120T091502Z-funding-3f9a --rate 5/s',
  ],
});

/** A run that a row limit stopped: only the user can decide to send its rows, by naming it. */
class RowLimitError extends ProblemError {
  override readonly exitCode = 6;

  constructor({ folder, stop }: RunSummary, suggest: Suggest) {
    super({
      code: 'resume.limit',
      message: `${stop?.message ?? ''} The run stays stopped.`,
      hint: `To send the rest anyway: \`${suggest('resume', folder.id)}\`. If it is not needed, delete ${folder.path}.`,
    });
  }
}

/** Resumes the runs one after the other; a problem of one does not stop the others. */
async function resumeAll(context: Context, options: ResumeOptions, root: string): Promise<number> {
  const { streams } = context;
  const codes: number[] = [];
  for (const run of await readRuns(root)) {
    if (context.signal.aborted) break;
    const { folder } = run;
    if ('rows' in run && !run.isRunning && run.state === 'complete' && run.undelivered.length === 0) continue;
    try {
      if (!(await hasWork(context, options, folder))) continue;
      if ('rows' in run && isRowLimit(run.stop)) throw new RowLimitError(run, createSuggest(context, options));
      codes.push(await resumeRun(context, options, folder));
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      const { exitCode, problems } = error;
      codes.push(exitCode);
      if (options.json) streams.json(errorObject(exitCode, problems, folder.id));
      for (const problem of problems) streams.problem('error', problem, folder.id);
      await runOnEnd(context, options, endingOf(error, folder.id));
    }
  }
  if (codes.length > 0) return firstExitCode(codes);
  return reportNothing(context, options, [`No run in ${printable(root)} has anything left to send.`]);
}

/** @throws RunLockedError if a process is working on the run */
async function hasWork(context: Context, given: ResumeOptions, folder: RunFolder): Promise<boolean> {
  if (!(await hasStarted(folder))) return false;
  if (!given.again && readHandover(folder.path) !== undefined) return false;
  const holder = lockHolder(folder.path);
  if (holder !== undefined) throw new RunLockedError(folder.path, holder);
  const { run } = await reopenRun(context, given, folder);
  const resend = run.request.settings.onUnknown === 'resend';
  return !(await isDone(folder, await recoverRun(folder, run.runFile, given.again), resend));
}

export async function resumeRun(context: Context, given: ResumeOptions, folder: RunFolder): Promise<number> {
  const { run, options } = await reopenRun(context, given, folder);
  const { runFile, suggest, request } = run;
  const resend = request.settings.onUnknown === 'resend';

  return withResources(async (own) => {
    const lock = own(await acquireRunLock(context, folder.path, options.quiet), (held) => held.release());
    assertNotHandedOver(folder, options.again);
    // Before results.csv is written again: it may know more than the journal.
    await readJournal(path.join(folder.path, 'journal.ndjson'), undefined, undefined, options.again);
    const opened = await openRunFiles(folder, rejectsInputsOf(runFile), { fsync: request.settings.fsync });
    const runFiles = own(opened, (files) => files.close());
    const { recovered, recalled, reasons, rowLimit } = await recover(context, folder, runFile, runFiles, options.again);
    if (await isDone(folder, recovered, resend)) {
      const inspected = await inspectRun(folder.path, true);
      const runState = { ...recovered.runState, state: 'complete' as const };
      return reportFinished(context, options, { ...inspected, runFile, runState, reasons }, folder, suggest);
    }
    // Otherwise it began with --again, or sends to the sandbox.
    if (runFile.skipSent !== undefined) await assertHistory(stateFolder(context.env), runFile, recalled.warnings);
    const { from, state } = resumeState(recovered, resend);
    const source = await openRunSource(own, context, options, { ...run, recovered, from, recalled });
    const { rejects, unsettled } = state;
    await runFiles.restore({ bytes: recovered.bytes, rejects, reopened: new Set(unsettled.keys()) });
    // It may count batches that the journal has lost.
    if (options.again) removeFile(path.join(folder.path, 'summary.json'));

    const destination = await reopenDestination(own, context, run);
    const { notes } = restoreOptions(given, rowLimit === undefined ? runFile : withoutLimits(runFile));
    const allWarnings = [...request.warnings, ...destination.warnings, ...recalled.warnings];
    announce(context, allWarnings, [
      `Resuming ${folder.id}; sending to ${describeDestination(destination)}.`,
      ...notes,
      ...(rowLimit === undefined ? [] : [`The row limit that stopped it no longer applies: ${rowLimit.message}`]),
      ...(runFile.shard === undefined ? [] : [describeShard(runFile.shard, request.settings)]),
    ]);
    const { job, prepare, transform } = source;
    const baseUrlChanged = destination.baseUrl !== runFile.baseUrl && !runFile.sandbox;
    return send(context, options, {
      request: rowLimit === undefined ? request : { ...request, limits: {} },
      job,
      prepare,
      destination,
      lock,
      runFile,
      runFiles,
      reasons,
      resume: { ...state, baseUrlChanged },
      warnings: allWarnings,
      suggest: createSuggest(context, options, { again: false, transform, ...destinationOptions(destination) }),
    });
  });
}

/** Reads the journal for everything that needs its events. */
async function recover(context: Context, folder: RunFolder, runFile: RunFile, runFiles: RunFiles, again: boolean) {
  const reasons = createReasons();
  const recalled = await recallAgain(stateFolder(context.env), runFile, folder.path);
  const { seen } = recalled;
  // Resuming a run that a row limit stopped means: send the rows anyway (docs/failures.md, "Row limits").
  let rowLimit: Stop | undefined;
  const recovered = await recoverRun(folder, runFile, again, (event, runState, changes) => {
    if (event.event === 'run.ended' && isRowLimit(event.stop)) rowLimit = event.stop;
    reasons.on(event, runState, changes);
    if (seen !== undefined) addSealedBy(seen, event);
    // restore() reports the same failure.
    runFiles.results.log(event, runState, changes)?.catch(() => undefined);
  });
  return { recovered, reasons, recalled, rowLimit };
}

function addSealedBy(seen: SentRecords, event: RunEvent): void {
  const commit = event.event === 'source.ended' ? event.commit : event.event === 'batch.sealed' ? event : undefined;
  for (const passed of commit?.passed?.sealed ?? []) addSealed(seen, passed);
  if (event.event === 'batch.sealed') addSealed(seen, event);
}

/** @param resend `--setting on_unknown=resend` */
function resumeState(
  recovered: RecoveredRun,
  resend: boolean,
): { readonly from: ResumePoint; readonly state: ResumeState } {
  const { runState, cursors, rejects, rejectedRows } = recovered;
  const isSafe = isSafeToRepeat(recovered, resend);
  const unsettled = new Map(
    recovered.openBatches.flatMap((batch) => {
      const toSettle = toResume(batch, isSafe);
      return toSettle === undefined ? [] : [[batch.batch, toSettle] as const];
    }),
  );
  return {
    from: {
      cursors,
      ended: new Set(runState.sources.flatMap(({ ended }, index) => (ended ? [index] : []))),
      sealed: recovered.batchesCut,
      toRecut: recovered.openBatches
        .filter(({ batch }) => unsettled.has(batch))
        .map(({ batch: id, digest, records, ranges }) => ({ id, digest, records, ranges })),
    },
    state: { runState, batchesCut: recovered.batchesCut, unsettled, rejects: { bytes: rejects, rows: rejectedRows } },
  };
}

/** Reads the journal of a run, without the batches that replays claimed: only these replays send them. */
async function recoverRun(
  folder: RunFolder,
  runFile: RunFile,
  again: boolean,
  onEvent?: RunReader,
): Promise<RecoveredRun> {
  const recovered = await readJournal(path.join(folder.path, 'journal.ndjson'), onEvent, undefined, again);
  const claimed = replayedBatches(await lineageOf(folder), runFile.run);
  return { ...recovered, openBatches: recovered.openBatches.filter(({ batch }) => !claimed.has(batch)) };
}

/** Whether a resume has nothing to send and no refused rows to list. */
async function isDone(folder: RunFolder, recovered: RecoveredRun, resend: boolean): Promise<boolean> {
  const isSafe = isSafeToRepeat(recovered, resend);
  return (
    recovered.runState.sources.every(({ ended }) => ended) &&
    recovered.openBatches.every((batch) => toResume(batch, isSafe) === undefined) &&
    // A run is complete only once they are listed.
    (recovered.runState.state === 'complete' || !(await hasUnlistedRefusals(folder.path)))
  );
}

function isSafeToRepeat({ runState }: RecoveredRun, resend: boolean): boolean {
  return contracts[runState.type].deduplicates || resend;
}

/** What a resume does with a batch, if anything (delivery.md, "Outcomes of a batch"). */
function toResume(batch: OpenBatch, isSafe: boolean): UnsettledBatch | undefined {
  const { batch: id, records, bytes, ranges, attempts, maybeProcessed, isPart, state } = batch;
  if (state === 'unknown' && !isSafe) return undefined;
  const next = maybeProcessed && !isSafe ? 'settle' : 'send';
  return { batch: id, from: state, records, bytes, ranges, attempts, maybeProcessed, isPart, next };
}
