/**
 * Takes what prepare hands over, in its order: records an event for each item, writes invalid rows to the rejects
 * files, and submits batches.
 */
import type { Delivery } from '../deliver/index.ts';
import { settleAsUnknown } from '../journal/batch-reducer.ts';
import type { Batch } from '../model/batch.ts';
import type {
  Prepared,
  PreparedAgain,
  PreparedBatch,
  PreparedDuplicate,
  PreparedInvalid,
} from '../model/prepared.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import type { RunStop } from '../model/run-stop.ts';
import { batchSealed, rowDuplicate, rowInvalid, rowsSkipped, sourceEnded } from './events.ts';
import type { RunJob, UploadJob } from './job.ts';
import type { Recorder } from './recorder.ts';
import type { RowLimitGate } from './row-limit-gate.ts';
import { NO_REJECTS, type RejectsMark, type RunFiles } from './run-files.ts';

export interface Intake {
  /**
   * Takes one block; ignores the rest of it once the run has stopped.
   *
   * @throws ProblemError `resume.changed` if a batch no longer matches the journal
   */
  take(items: readonly Prepared[]): Promise<void>;
  /** Resolves when every sealed batch is in the journal. Rejects if one cannot be written. */
  sealed(): Promise<void>;
  /** Lengths of the rejects files at the last commit. A resume finds later rejects again. */
  readonly rejectsAtCommit: RejectsMark;
}

export interface IntakeDeps {
  readonly recorder: Pick<Recorder, 'writeOrStop' | 'keep' | 'now' | 'record'>;
  readonly runFiles: Pick<RunFiles, 'reject' | 'rejectsMark'>;
  readonly gate: Pick<RowLimitGate, 'count' | 'submit'>;
  readonly delivery: Pick<Delivery, 'submit'>;
  readonly runStop: Pick<RunStop, 'signal'>;
}

type PreparedDropped = PreparedInvalid | PreparedDuplicate;

export function createIntake(
  job: Pick<UploadJob, 'inputs' | 'recordKeys' | 'resume'>,
  { recorder, runFiles, gate, delivery, runStop }: IntakeDeps,
): Intake {
  const { record, now } = recorder;
  let rejectsAtCommit = job.resume?.rejects ?? NO_REJECTS;
  /** Settles when the batches sealed so far are in the journal or have failed. Never rejects. */
  let sealing: Promise<void> = Promise.resolve();
  let sealFailure: { readonly error: unknown } | undefined;

  const sealed = async (): Promise<void> => {
    await sealing;
    if (sealFailure !== undefined) throw sealFailure.error;
  };

  /** Takes consecutive dropped rows at once: a file may have nothing else. */
  const takeDropped = async (items: readonly PreparedDropped[]): Promise<void> => {
    if (items.length === 0) return;
    const invalid = items.filter((item) => item.kind === 'invalid');
    await recorder.writeOrStop(async () => {
      await Promise.all(
        invalid.map(({ position, issues, content }) =>
          runFiles.reject(position.source, position.line, issues, content),
        ),
      );
    });
    await Promise.all(
      items.map((item) => record(item.kind === 'invalid' ? rowInvalid(item) : rowDuplicate(item))),
    );
  };

  /**
   * Submits a batch without waiting until it is journalled. Lines are written in order, so it is in the journal before
   * its first attempt, and several batches are sealed and sent together.
   */
  const takeBatch = async (item: PreparedBatch): Promise<void> => {
    const rejects = runFiles.rejectsMark();
    sealing = record(batchSealed(item, rejects.bytes, job.recordKeys === true)).then(
      () => {
        rejectsAtCommit = rejects;
      },
      (error: unknown) => {
        sealFailure ??= { error };
      },
    );
    const { batch, maybeProcessed } = item;
    if (maybeProcessed !== true) return gate.submit(batch);
    await sealed();
    return delivery.submit(batch, { attempts: 0, maybeProcessed });
  };

  /** Takes a batch that an earlier part of the run has sealed. */
  const takeAgain = async ({ batch, matches }: PreparedAgain): Promise<void> => {
    if (!matches) throw new ProblemError(changedInput(job, batch));
    const unsettled = job.resume?.unsettled.get(batch.id);
    if (unsettled === undefined) throw new Error(`batch ${batch.id} was prepared again and is not unsettled`);
    if (unsettled.next === 'send') return gate.submit(batch, unsettled);
    await recorder.keep(batch, 'unknown');
    await record(settleAsUnknown(batch.id, unsettled.attempts, now()));
  };

  const takeOther = async (item: Exclude<Prepared, PreparedDropped>): Promise<void> => {
    switch (item.kind) {
      case 'skipped':
        return record(rowsSkipped(item));
      case 'batch':
        return takeBatch(item);
      case 'again':
        return takeAgain(item);
      case 'end':
        await record(sourceEnded(item, now(), runFiles.rejectsMark().bytes));
        if (item.commit !== undefined) rejectsAtCommit = runFiles.rejectsMark();
    }
  };

  return {
    async take(items) {
      const dropped: PreparedDropped[] = [];
      try {
        for (const item of items) {
          if (runStop.signal.aborted) break;
          gate.count(item);
          if (item.kind === 'invalid' || item.kind === 'duplicate') dropped.push(item);
          else {
            await takeDropped(dropped.splice(0));
            await takeOther(item);
          }
        }
        await takeDropped(dropped);
      } catch (error) {
        // The caller reads `rejectsAtCommit` next.
        await sealing;
        throw error;
      }
    },
    sealed,
    get rejectsAtCommit() {
      return rejectsAtCommit;
    },
  };
}

function changedInput(job: Pick<RunJob, 'inputs'>, batch: Batch): Problem {
  const ranges = batch.ranges.map(({ source, firstLine, lastLine }) => {
    return `${job.inputs[source]?.source.name ?? 'input'}, lines ${firstLine} to ${lastLine}`;
  });
  return {
    code: 'resume.changed',
    message: `Batch ${batch.id} (${ranges.join('; ')}) no longer matches the journal: the input or the mapping has changed. It was not sent.`,
    hint: 'Restore the input, or upload the new one as a new run.',
  };
}
