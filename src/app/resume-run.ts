/**
 * What a resume does with a run (delivery.md, "Outcomes of a batch"): whether anything is left to send, where it reads on, which
 * batches it sends, and the files that it continues. Knows no screen.
 */
import { existsSync } from 'node:fs';
import { contracts } from '../contract/index.ts';
import { cursorsOf } from '../journal/apply-event.ts';
import { removeFile } from '../journal/file-system.ts';
import { fileNow } from '../journal/run-file.ts';
import type { RunFolder } from '../journal/run-folder.ts';
import type { Adopt } from '../lib/resources.ts';
import type { Suggest } from '../lib/shell.ts';
import { byFirstRow } from '../model/batch.ts';
import { commitOf, type RunEvent } from '../model/event.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import type { RunReader, RunState, UndeliveredBatch } from '../model/run-state.ts';
import { flag, type OptionValues, under } from '../options/option-spec.ts';
import { sharedOptions } from '../options/option-table.ts';
import { describeRestored } from '../options/run-options.ts';
import { stateFolder } from '../options/state-folder.ts';
import { createSuggest, destinationOptions } from '../options/suggest.ts';
import { Duplicates, type ResumePoint } from '../prepare/index.ts';
import type { ResumeState, UnsettledBatch } from '../run/job.ts';
import { editedRejects } from '../run/rejects-folder.ts';
import { isRowLimit } from '../run/row-limits.ts';
import { openRunFiles } from '../run/run-files.ts';
import { listRuns, rootOf } from '../stored-runs/catalogue.ts';
import type { Surroundings } from './context.ts';
import { reopenDestination } from './destination.ts';
import { nameOfRun } from './find-run.ts';
import { assertMaySend, type LockedRun, type OpenedRun, openRun, reopenRun } from './open-run.ts';
import { beginClaims, openClaims } from './run-claims.ts';
import { type ContextParts, type SummarisedRun, summariseRun } from './run-context.ts';
import { compareNamed, type NamedIntent, setAside } from './run-id.ts';
import { openRunSource, reopenOptions } from './run-source.ts';
import { endRun, isUntidy, type Sending } from './send-run.ts';
import { describeShard } from './shard.ts';

export const resumeOptions = {
  ...under('Selection:', {
    unknown: flag('also send social events that may have arrived: if they have, they count twice'),
    refused: flag('also send what the service refused'),
  }),
  ...sharedOptions('resume'),
  ...reopenOptions,
};

/** The row limits come from run.json, or from `upload --run-id`. */
export type ResumeOptions = OptionValues<typeof resumeOptions>;

/** Why a run that exists is opened, to send the rest of it. */
export type Intent =
  | { readonly kind: 'resume' }
  /** `resume --all`: a run that has nothing left to send is skipped. */
  | { readonly kind: 'all' }
  /** `upload --run-id`: the data must be the same. */
  | NamedIntent;

export type PreparedResume =
  /** `lines`: what the user is told before. */
  | { readonly next: 'send'; readonly sending: Sending; readonly lines: readonly string[] }
  /** Nothing is sent. `text`: why, if the run is not complete. */
  | { readonly next: 'report'; readonly ended: SummarisedRun; readonly text?: string | undefined };

/** Opens a run, and everything that sending the rest of it needs. Undefined if the run is skipped, or replaced. */
export async function prepareResume(
  adopt: Adopt,
  context: Surroundings,
  folder: RunFolder,
  { given, intent }: { readonly given: ResumeOptions; readonly intent: Intent },
): Promise<PreparedResume | undefined> {
  const run = await openWithFiles(adopt, context, folder, given);
  const named = intent.kind === 'named' ? await compareNamed(context, intent, run) : undefined;
  if (named?.next === 'replace') {
    await run.runFiles.close();
    await setAside(folder);
    return undefined;
  }
  const { again, refused, failOn } = given;
  const unknown = given.unknown || run.request.settings.onUnknown === 'resend';
  const plan = planResume(run.runState, { unknown, refused });
  if (plan.isDone && intent.kind === 'all') return undefined;
  if (plan.isDone || named?.next === 'report') {
    const ended = await summaryOfFinished(run, { failOn });
    return { next: 'report', ended, text: named?.text };
  }
  await assertMaySend(context, run, again);
  return prepareSending(adopt, context, run, plan);
}

async function prepareSending(
  adopt: Adopt,
  context: Surroundings,
  run: ResumedRun,
  { from, state }: ResumePlan,
): Promise<PreparedResume> {
  const { folder, suggest, request, options, restored, runState, bytes, runFiles, duplicates } = run;
  const edited = await protectRejects(run, state, suggest);
  const { job, prepare, transform } = await openRunSource(adopt, context, run, { ...options, from, duplicates });
  await runFiles.restore({ bytes, runState, keepsRejects: state.listed !== undefined });
  // It may count batches that the journal has lost.
  if (options.again) removeFile(`${folder.path}/summary.json`);

  const rowLimit = isRowLimit(runState.stop) ? runState.stop : undefined;
  const destination = await reopenDestination(adopt, context, run);
  const { baseUrl, sandbox } = destination;
  const file = fileNow(run.file, destination);
  const stateDir = stateFolder(context.env);
  const found = openClaims(adopt, stateDir, file);
  const { claims, warnings: unclaimed } = await beginClaims(found, stateDir, { folder, file }, request.settings.fsync);
  return {
    next: 'send',
    lines: [
      `Resuming ${folder.id}; sending to ${sandbox ? 'a new sandbox on this machine' : baseUrl}.`,
      ...describeRestored(rowLimit === undefined ? restored : { ...restored, ...NO_ROW_LIMITS }),
      ...(rowLimit === undefined ? [] : [`The row limit that stopped it no longer applies: ${rowLimit.message}`]),
      ...(file.shard === undefined ? [] : [describeShard(file.shard)]),
    ],
    sending: {
      ...run,
      request: rowLimit === undefined ? request : { ...request, settings: { ...request.settings, ...NO_ROW_LIMITS } },
      job,
      prepare,
      destination,
      file,
      claims,
      resume: { ...state, baseUrl },
      warnings: [...request.warnings, ...destination.warnings, ...unclaimed, ...edited],
      suggest: createSuggest(context, options, { again: false, transform, ...destinationOptions(destination) }),
    },
  };
}

const NO_ROW_LIMITS = { maxInvalid: undefined, minRows: undefined };

/** Finishes first what the process that ended the run has left, if it was killed. */
async function summaryOfFinished(
  { folder, file, suggest, request, bytes, runState, runFiles }: ResumedRun,
  exit: ContextParts['exit'],
): Promise<SummarisedRun> {
  const { out } = request.settings;
  const parts = { folder, file, suggest, exit, isReported: true };
  if (!isUntidy(folder, runState)) {
    await runFiles.restoreResults();
    const others = () => listRuns(rootOf(folder.path));
    return summariseRun(runState, { ...parts, name: await nameOfRun(folder, out), others });
  }
  await runFiles.restore({ bytes, runState, keepsRejects: true });
  return endRun(runFiles, runState, { ...parts, out, warnings: [] });
}

/** Which batches a resume sends, besides pending and exhausted ones. Unknown signals are deduplicated, so they are always sent. */
type Selection = Pick<ResumeOptions, 'unknown' | 'refused'>;

interface ResumePlan {
  /** Nothing is left to send, and no refused rows are left to list. */
  readonly isDone: boolean;
  readonly from: ResumePoint;
  readonly state: Omit<ResumeState, 'baseUrl'>;
}

function planResume(runState: RunState, selection: Selection): ResumePlan {
  const { rejects, sources, batchesCut } = runState;
  const undelivered = [...runState.undelivered.values()];
  const chosen = undelivered.sort(byFirstRow).flatMap((batch) => {
    const unsettled = toResume(batch, runState, selection);
    return unsettled === undefined ? [] : [{ batch, unsettled }];
  });
  const ended = new Set(sources.flatMap((source, index) => (source.ended ? [index] : [])));
  const isRead = ended.size === sources.length;
  const isKept = isRead && !chosen.some(({ batch }) => batch.isRejected === true);
  const rejected = undelivered.flatMap(({ batch, isRejected }) => (isRejected ? [batch] : []));
  return {
    // A run is complete only once the refused rows are listed.
    isDone: isRead && chosen.length === 0 && (runState.state === 'complete' || rejects.listed !== undefined),
    from: {
      cursors: cursorsOf(runState),
      ended,
      sealed: batchesCut,
      toRebuild: chosen.map(({ batch: { batch: id, digest, records, ranges } }) => ({ id, digest, records, ranges })),
    },
    state: {
      runState,
      unsettled: new Map(chosen.map(({ batch, unsettled }) => [batch.batch, unsettled])),
      listed:
        isKept && rejects.listed !== undefined ? { batches: new Set(rejected), bytes: rejects.listed } : undefined,
    },
  };
}

function toResume(batch: UndeliveredBatch, { type }: RunState, selection: Selection): UnsettledBatch | undefined {
  const { state, records, attempts, maybeProcessed } = batch;
  const isSafe = contracts[type].deduplicates || selection.unknown;
  if (state === 'delivered' || (state === 'unknown' && !isSafe) || (state === 'refused' && !selection.refused))
    return undefined;
  const next = maybeProcessed && !isSafe ? 'settle' : 'send';
  const isUnknown = state === 'unknown' || (state === 'pending' && maybeProcessed);
  const needsUnknown = isUnknown && !contracts[type].deduplicates;
  const why = state === 'refused' ? 'resume --refused' : needsUnknown ? 'resume --unknown' : 'resume';
  return { attempts, maybeProcessed, isPart: records === 1, from: state, why, next };
}

type ResumedRun = Awaited<ReturnType<typeof openWithFiles>>;

/** Also opens the files that it continues. `duplicates` has the records of its earlier part; undefined without `--dedupe`. */
function openWithFiles(adopt: Adopt, context: Surroundings, folder: RunFolder, given: ResumeOptions) {
  const prepare = async ({ lock, ...stored }: LockedRun) => {
    const run = await reopenRun(context, given, stored);
    const { fsync } = run.request.settings;
    const opening = openRunFiles(folder, run.file, { fsync, lock, isResumed: true });
    const runFiles = adopt(await opening, (files) => files.close());
    // restore() reports the same failure.
    const readers: RunReader[] = [(...read) => void runFiles.results.log(...read)?.catch(() => undefined)];
    const duplicates = run.file.dedupe === true ? new Duplicates() : undefined;
    if (duplicates !== undefined) readers.push((event) => addSealedBy(duplicates, event));
    return { ...run, runFiles, duplicates, readers };
  };
  return openRun(adopt, context, folder, { again: given.again, quiet: given.quiet, prepare });
}

function addSealedBy(duplicates: Duplicates, event: RunEvent): void {
  for (const sealed of commitOf(event)?.excluded?.sealed ?? []) duplicates.addBatch(sealed);
  if (event.event === 'batch.sealed') duplicates.addBatch(event);
}

/** Sets rejects files aside that the user has edited. @throws ProblemError `resume.explained` if rows cannot be written again */
async function protectRejects(
  { folder, file, runState, lock }: OpenedRun,
  state: Pick<ResumeState, 'listed'>,
  suggest: Suggest,
): Promise<readonly Problem[]> {
  const { bytes, listed } = runState.rejects;
  if (state.listed !== undefined || listed === undefined) return [];
  if (existsSync(`${folder.path}/explain.ndjson`)) {
    throw new ProblemError({
      code: 'resume.explained',
      message: `The rejects files of ${folder.id} have rows that \`runs explain\` has found, and sending refused batches would write these files again. Nothing was sent.`,
      hint: `Correct the rows in the rejects files and upload them: \`${suggest('runs', 'show', folder.id)}\`.`,
    });
  }
  // This process may have been stopped for so long that another one has finished the run.
  lock.confirm();
  return editedRejects(folder.path, file, listed, bytes);
}
