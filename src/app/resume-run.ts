/**
 * What a resume does with a run (delivery.md, "Outcomes of a batch"): where it reads on, which batches it sends, and the
 * files that it continues.
 */
import { contracts } from '../contract/index.ts';
import { cursorsOf } from '../journal/apply-event.ts';
import { exists } from '../journal/file-system.ts';
import type { Adopt } from '../lib/resources.ts';
import type { Suggest } from '../lib/shell.ts';
import { byFirstRow } from '../model/batch.ts';
import { commitOf, type RunEvent } from '../model/event.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import type { RunState, UndeliveredBatch } from '../model/run-state.ts';
import { Duplicates, type ResumePoint } from '../prepare/index.ts';
import type { ResumeState, UnsettledBatch } from '../run/job.ts';
import { editedRejects, rejectsInputsOf } from '../run/rejects-folder.ts';
import { openRunFiles, type RunFiles } from '../run/run-files.ts';
import type { Surroundings } from './context.ts';
import { type OpenedRun, type OpenIntent, openRun } from './open-run.ts';
import type { ReopenedRun } from './send-request.ts';

/** Which batches a resume sends, besides pending and exhausted ones. */
export interface Selection {
  /** Social events that may have arrived. Signals are deduplicated, so they are always sent. */
  readonly unknown: boolean;
  readonly refused: boolean;
}

interface ResumePlan {
  /** Nothing is left to send, and no refused rows are left to list. */
  readonly isDone: boolean;
  readonly from: ResumePoint;
  readonly state: Omit<ResumeState, 'baseUrl'>;
}

export function planResume(runState: RunState, selection: Selection): ResumePlan {
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
      rejects: { bytes: rejects.bytes, rows: rejects.rows },
      listed:
        isKept && rejects.listed !== undefined ? { batches: new Set(rejected), bytes: rejects.listed } : undefined,
    },
  };
}

/** What a resume does with a batch, if anything. */
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

/** Opens the run and its files; its journal is read once, for everything that needs its events. */
export async function reopenFiles(
  adopt: Adopt,
  context: Surroundings,
  run: ReopenedRun,
  intent: Pick<OpenIntent, 'mayEnd' | 'again' | 'quiet'>,
) {
  let duplicates: Duplicates | undefined;
  let runFiles: RunFiles | undefined;
  const opened = await openRun(adopt, context, run, {
    ...intent,
    readers: async (lock) => {
      const { fsync } = run.request.settings;
      const opening = openRunFiles(run.folder, rejectsInputsOf(run.file), { fsync, lock, isResumed: true });
      const files = adopt(await opening, (one) => one.close());
      if (run.file.dedupe === true) duplicates = new Duplicates();
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
  for (const sealed of commitOf(event)?.excluded?.sealed ?? []) duplicates.addBatch(sealed);
  if (event.event === 'batch.sealed') duplicates.addBatch(event);
}

/**
 * The rejects files are written again from the last commit. Sets files aside that the user has edited since.
 *
 * @throws ProblemError `resume.explained` if they have rows that cannot be written again
 */
export async function protectRejects(
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
