/**
 * `signals resume`: finishes a run in its own folder. It reads what was not read, and sends what is pending or exhausted, for
 * signals also what is unknown; `--unknown` and `--refused` add the rest.
 */

import { describeDestination, reopenDestination } from '../app/destination.ts';
import { findRunFolder, runsRoot } from '../app/find-run.ts';
import { assertMaySend, type OpenedRun, type OpenIntent, openRun } from '../app/open-run.ts';
import { beginClaims, openClaims } from '../app/run-claims.ts';
import type { NamedRun } from '../app/run-id.ts';
import { openRunSource, reopenOptions } from '../app/run-source.ts';
import { reopenRun, type SendRequest } from '../app/send-request.ts';
import { describeShard } from '../app/shard.ts';
import { contracts } from '../contract/index.ts';
import { exists, removeFile } from '../journal/file-system.ts';
import { lockHolder, RunLockedError } from '../journal/lock.ts';
import { readJournal } from '../journal/read-journal.ts';
import { hasStarted, type RunFolder } from '../journal/run-folder.ts';
import { cursorsOf } from '../journal/run-state.ts';
import { printable } from '../lib/printable.ts';
import { type Adopt, withResources } from '../lib/resources.ts';
import type { Suggest } from '../lib/shell.ts';
import { errorObject } from '../lib/version.ts';
import { byFirstRow } from '../model/batch.ts';
import type { RunEvent } from '../model/event.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import type { RunState, UndeliveredBatch } from '../model/run-state.ts';
import { flag, type OptionValues, under, usageError } from '../options/option-spec.ts';
import { sharedOptions } from '../options/option-table.ts';
import { restoreOptions, withoutLimits } from '../options/run-options.ts';
import { stateFolder } from '../options/state-folder.ts';
import { createSuggest, destinationOptions } from '../options/suggest.ts';
import { Duplicates, type ResumePoint } from '../prepare/index.ts';
import { firstExitCode } from '../report/summary.ts';
import type { ResumeState, UnsettledBatch } from '../run/job.ts';
import { editedRejects, rejectsInputsOf } from '../run/rejects-folder.ts';
import { isRowLimit } from '../run/row-limits.ts';
import { openRunFiles, type RunFiles } from '../run/run-files.ts';
import { type CataloguedRun, readCatalogue } from '../stored-runs/catalogue.ts';
import { nameOfRun } from '../stored-runs/resolve-run.ts';
import { type Context, defineCommand } from './command.ts';
import { endingOf, runOnEnd, withOnEnd } from './on-end.ts';
import { announce, reportFinished, reportNothing, send } from './send.ts';

const resumeOptions = {
  ...under('Selection:', {
    unknown: flag('also send social events that may have arrived: if they have, they count twice'),
    refused: flag('also send what the service refused'),
  }),
  ...sharedOptions('resume'),
  ...reopenOptions,
};

/** Without `--all`. The row limits come from run.json, or from `upload --run-id`. */
export type ResumeOptions = OptionValues<typeof resumeOptions>;

export const command = defineCommand({
  options: { ...resumeOptions, all: flag('resume every unfinished run, one after the other') },
  run: (context, args, options) =>
    withOnEnd(context, options, async () => {
      const [wanted = 'last'] = args;
      if (!options.all) return resumeRun(context, options, await findRunFolder(context, options, wanted));
      if (args.length > 0) throw usageError('Pass either a run or --all, not both.');
      if (options.input.length > 0) throw usageError('Pass --input with one run, not with --all.');
      return resumeAll(context, options, await runsRoot(context, options));
    }),
  more: [
    'RUN is an id, an unambiguous part of an id, a folder, or an archive of `runs pack --hand-over` (default: the last run).',
    'Delivered batches are not sent again.',
    '',
    'Examples:',
    '  signals resume',
    '  signals resume --all --quiet',
    '  signals resume 20261120T091502Z-funding-3f9a --rate 5/s',
  ],
});

/** A run that a row limit stopped: only the user can decide to send its rows, by naming it. */
class RowLimitError extends ProblemError {
  override readonly exitCode = 6;

  constructor({ folder, stop }: CataloguedRun, suggest: Suggest) {
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
  for (const run of await readCatalogue(root)) {
    if (context.signal.aborted) break;
    const { folder } = run;
    try {
      if (!(await hasWork(context, options, run))) continue;
      if ('rows' in run && isRowLimit(run.stop)) throw new RowLimitError(run, createSuggest(context, options));
      codes.push(await resumeRun(context, options, folder));
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      const { exitCode, problems } = error;
      // A later run has sent the data of this one.
      if (problems.some(({ code }) => code === 'resume.replaced')) continue;
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
async function hasWork(
  context: Context,
  given: ResumeOptions,
  run: Awaited<ReturnType<typeof readCatalogue>>[number],
): Promise<boolean> {
  const { folder } = run;
  if (!(await hasStarted(folder))) return false;
  const holder = lockHolder(folder.path);
  if (holder !== undefined) throw new RunLockedError(folder.path, holder);
  if ('problem' in run) throw run.problem;
  if (run.handedOver !== undefined && !given.again) return false;
  const { exhausted, unknown, refused } = run.rows;
  if (run.state === 'complete' && exhausted + unknown + refused === 0) return false;
  const { run: reopened } = await reopenRun(context, given, folder);
  const { runState } = await readJournal(folder.path, { again: given.again });
  return !isDone(runState, selectionOf(given, reopened.request.settings.onUnknown));
}

/** What becomes of a run that `upload --run-id` names again. */
type Judge = (opened: OpenedRun) => Promise<NamedRun>;

export function resumeRun(context: Context, given: ResumeOptions, folder: RunFolder): Promise<number>;
export function resumeRun(
  context: Context,
  given: ResumeOptions,
  folder: RunFolder,
  judge: Judge,
): Promise<number | undefined>;
export async function resumeRun(
  context: Context,
  given: ResumeOptions,
  folder: RunFolder,
  judge?: Judge,
): Promise<number | undefined> {
  const { run, options } = await reopenRun(context, given, folder);
  const { runFile, suggest, request } = run;
  const selection = selectionOf(given, request.settings.onUnknown);

  return withResources(async (adopt) => {
    const { runFiles, opened, duplicates } = await reopenFiles(
      adopt,
      context,
      { ...options, fsync: request.settings.fsync },
      { folder, mayEnd: judge === undefined ? 'sent' : 'read' },
    );
    const { runState } = opened;
    const named = await judge?.(opened);
    if (named?.next === 'replace') return undefined;
    if (named?.next === 'report' || isDone(runState, selection)) {
      const text = named?.next === 'report' ? named.text : undefined;
      const name = await nameOfRun(folder, request.settings.out);
      const finished = { runState, folder: folder.path, runFile, name, suggest };
      return reportFinished(context, options, finished, text);
    }
    // A named run whose data a later run has sent can still be reported, and replaced by other data.
    if (judge !== undefined) await assertMaySend(opened, options.again);
    const { from, state } = resumeState(runState, selection);
    const edited = await protectRejects(opened, state, suggest);
    const source = await openRunSource(adopt, context, options, { ...run, runState, from, duplicates });
    await runFiles.restore({
      bytes: opened.bytes,
      runState,
      rejects: state.listed === undefined ? state.rejects : undefined,
    });
    // It may count batches that the journal has lost.
    if (options.again) removeFile(`${folder.path}/summary.json`);

    const rowLimit = isRowLimit(runState.stop) ? runState.stop : undefined;
    const destination = await reopenDestination(adopt, context, run);
    const { baseUrl } = destination;
    const stateDir = stateFolder(context.env);
    const found = openClaims(adopt, stateDir, { ...runFile, baseUrl });
    const { claims, warnings } = await beginClaims(found, stateDir, runFile, { folder, fsync: request.settings.fsync });
    const { notes } = restoreOptions(given, rowLimit === undefined ? runFile : withoutLimits(runFile));
    const allWarnings = [...request.warnings, ...destination.warnings, ...warnings, ...edited];
    announce(context, allWarnings, [
      `Resuming ${folder.id}; sending to ${describeDestination(destination)}.`,
      ...notes,
      ...(rowLimit === undefined ? [] : [`The row limit that stopped it no longer applies: ${rowLimit.message}`]),
      ...(runFile.shard === undefined ? [] : [describeShard(runFile.shard, request.settings)]),
    ]);
    const { job, prepare, transform } = source;
    return send(context, options, {
      request: rowLimit === undefined ? request : unlimited(request),
      job,
      prepare,
      destination,
      lock: opened.lock,
      runFile,
      runFiles,
      claims,
      resume: { ...state, baseUrl },
      warnings: allWarnings,
      suggest: createSuggest(context, options, { again: false, transform, ...destinationOptions(destination) }),
    });
  });
}

/** Without the row limits: the user has decided to send the rest. */
function unlimited({ settings, ...request }: SendRequest): SendRequest {
  return { ...request, settings: { ...settings, maxInvalid: undefined, minRows: undefined } };
}

/** Opens the run and its files; its journal is read once, for everything that needs its events. */
async function reopenFiles(
  adopt: Adopt,
  context: Context,
  { again, quiet, fsync }: Pick<ResumeOptions, 'again' | 'quiet'> & { readonly fsync: boolean },
  { folder, mayEnd }: Pick<OpenIntent, 'mayEnd'> & { readonly folder: RunFolder },
) {
  let duplicates: Duplicates | undefined;
  let runFiles: RunFiles | undefined;
  const opened = await openRun(adopt, context, folder, {
    again,
    quiet,
    mayEnd,
    readers: async (runFile, lock) => {
      const opening = openRunFiles(folder, rejectsInputsOf(runFile), { fsync, lock, isResumed: true });
      const files = adopt(await opening, (one) => one.close());
      if (runFile.dedupe === true) duplicates = new Duplicates();
      runFiles = files;
      return [
        (event) => {
          if (duplicates !== undefined) addSealedBy(duplicates, event);
        },
        // restore() reports the same failure.
        (...read) => void files.results.log(...read)?.catch(() => undefined),
      ];
    },
  });
  if (runFiles === undefined) throw new Error('the journal was read without its readers');
  return { opened, runFiles, duplicates };
}

/** Adds the records of a batch that an earlier part of the run has sealed or excluded. */
function addSealedBy(duplicates: Duplicates, event: RunEvent): void {
  const commit = event.event === 'source.ended' ? event.commit : event.event === 'batch.sealed' ? event : undefined;
  for (const sealed of commit?.excluded?.sealed ?? []) duplicates.addBatch(sealed);
  if (event.event === 'batch.sealed') duplicates.addBatch(event);
}

/** Which batches a resume sends, besides pending and exhausted ones. */
interface Selection {
  /** Social events that may have arrived. Signals are deduplicated, so they are always sent. */
  readonly unknown: boolean;
  readonly refused: boolean;
}

function selectionOf({ unknown, refused }: ResumeOptions, onUnknown: 'hold' | 'resend' | undefined): Selection {
  return { unknown: unknown || onUnknown === 'resend', refused };
}

function resumeState(
  runState: RunState,
  selection: Selection,
): { readonly from: ResumePoint; readonly state: Omit<ResumeState, 'baseUrl'> } {
  const { rejects, sources, undelivered, batchesCut } = runState;
  const chosen = [...undelivered.values()].sort(byFirstRow).flatMap((batch) => {
    const unsettled = toResume(batch, runState, selection);
    return unsettled === undefined ? [] : [{ batch, unsettled }];
  });
  const ended = new Set(sources.flatMap((source, index) => (source.ended ? [index] : [])));
  const rejected = [...undelivered.values()].filter(({ isRejected }) => isRejected);
  const isKept =
    rejects.listed !== undefined &&
    ended.size === sources.length &&
    !chosen.some(({ batch }) => batch.isRejected === true);
  return {
    from: {
      cursors: cursorsOf(runState),
      ended,
      sealed: batchesCut,
      toRebuild: chosen.map(({ batch: { batch: id, digest, records, ranges } }) => ({ id, digest, records, ranges })),
    },
    state: {
      runState,
      unsettled: new Map(chosen.map(({ batch, unsettled }) => [batch.batch, unsettled])),
      rejects: { bytes: rejects.bytes, rows: rejects.rows },
      listed:
        isKept && rejects.listed !== undefined
          ? { batches: new Set(rejected.map(({ batch }) => batch)), bytes: rejects.listed }
          : undefined,
    },
  };
}

/**
 * The rejects files are written again from the last commit. Sets files aside that the user has edited since.
 *
 * @throws ProblemError `resume.explained` if they have rows that cannot be written again
 */
async function protectRejects(
  { folder, file, runState }: OpenedRun,
  state: Pick<ResumeState, 'listed'>,
  suggest: Suggest,
): Promise<readonly Problem[]> {
  const { listed } = runState.rejects;
  if (state.listed !== undefined || listed === undefined) return [];
  if (await exists(`${folder.path}/explain.ndjson`)) {
    throw new ProblemError({
      code: 'resume.explained',
      message: `The rejects files of ${folder.id} have rows that \`runs explain\` has found, and sending refused batches would write these files again. Nothing was sent.`,
      hint: `Correct the rows in the rejects files and upload them: \`${suggest('runs', 'show', folder.id)}\`.`,
    });
  }
  return editedRejects(folder.path, rejectsInputsOf(file), listed);
}

/** Whether a resume has nothing to send and no refused rows to list. */
function isDone(runState: RunState, selection: Selection): boolean {
  const { state, sources, undelivered, rejects } = runState;
  return (
    sources.every(({ ended }) => ended) &&
    [...undelivered.values()].every((batch) => toResume(batch, runState, selection) === undefined) &&
    // A run is complete only once they are listed.
    (state === 'complete' || rejects.listed !== undefined)
  );
}

/** What a resume does with a batch, if anything (delivery.md, "Outcomes of a batch"). */
function toResume(batch: UndeliveredBatch, { type }: RunState, selection: Selection): UnsettledBatch | undefined {
  const { state, attempts, maybeProcessed, isPart } = batch;
  const isSafe = contracts[type].deduplicates || selection.unknown;
  if (state === 'delivered' || (state === 'unknown' && !isSafe) || (state === 'refused' && !selection.refused))
    return undefined;
  const next = maybeProcessed && !isSafe ? 'settle' : 'send';
  const isUnknown = state === 'unknown' || (state === 'pending' && maybeProcessed);
  const needsUnknown = isUnknown && !contracts[type].deduplicates;
  const why = state === 'refused' ? 'resume --refused' : needsUnknown ? 'resume --unknown' : 'resume';
  return { attempts, maybeProcessed, isPart, from: state, why, next };
}
