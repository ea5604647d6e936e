/**
 * Takes what prepare hands over, in its order: records an event for each item, writes invalid rows to the rejects
 * files, and submits batches.
 */
import type { Delivery } from '../deliver/index.ts';
import { settleAsUnknown } from '../journal/batch-reducer.ts';
import type { Batch } from '../model/batch.ts';
import type {
  Prepared,
  PreparedBatch,
  PreparedDuplicate,
  PreparedEnd,
  PreparedInvalid,
  PreparedRecut,
} from '../model/prepared.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import type { RunStop } from '../model/run-stop.ts';
import { describeIssues } from '../report/problem-text.ts';
import { eventOf } from './events.ts';
import type { RunJob, UploadJob } from './job.ts';
import type { Recorder } from './recorder.ts';
import { NO_REJECTS, type RejectsFiles, type RejectsMark } from './rejects-folder.ts';
import type { RowLimitGate } from './row-limits.ts';

interface IntakeDeps {
  readonly recorder: Pick<Recorder, 'writeOrStop' | 'keep' | 'now' | 'record'>;
  readonly rejects: Pick<RejectsFiles, 'add' | 'mark'>;
  readonly gate: Pick<RowLimitGate, 'count' | 'submit'>;
  readonly delivery: Pick<Delivery, 'submit'>;
  readonly runStop: Pick<RunStop, 'signal'>;
}

type PreparedDropped = PreparedInvalid | PreparedDuplicate;

export function createIntake(
  job: Pick<UploadJob, 'inputs' | 'recordKeys' | 'resume'>,
  { recorder, rejects, gate, delivery, runStop }: IntakeDeps,
) {
  const { record, now, writeOrStop } = recorder;
  let rejectsAtCommit = job.resume?.rejects ?? NO_REJECTS;
  /** Resolves when every commit so far is in the journal. */
  let committed: Promise<void> = Promise.resolve();
  const recordItem = (item: Exclude<Prepared, PreparedRecut>, mark = NO_REJECTS): Promise<void> =>
    record(eventOf(item, now(), mark.bytes, job.recordKeys === true));

  const commit = (item: PreparedBatch | PreparedEnd): Promise<void> => {
    const mark = rejects.mark();
    committed = Promise.all([committed, recordItem(item, mark)]).then(() => {
      rejectsAtCommit = mark;
    });
    // The callers that await the promise report a failure.
    committed.catch(() => undefined);
    return committed;
  };

  /** Records consecutive dropped rows together: a file may have only such rows. */
  const takeDropped = async (items: readonly PreparedDropped[]): Promise<void> => {
    const invalid = items.filter((item) => item.kind === 'invalid');
    if (invalid.length > 0) {
      await writeOrStop(async () => {
        await Promise.all(
          invalid.map(({ position: { source, line }, issues, content }) =>
            rejects.add({ source, line, reason: describeIssues(issues), content }),
          ),
        );
      });
    }
    await Promise.all(items.map((item) => recordItem(item)));
  };

  /**
   * Submits a batch without waiting until it is journalled. Lines are written in order, so it is in the journal before
   * its first attempt, and several batches are sealed and sent together.
   */
  const takeBatch = async (item: PreparedBatch): Promise<void> => {
    const written = commit(item);
    const { batch, maybeProcessed } = item;
    if (maybeProcessed !== true) return gate.submit(batch);
    await written;
    return delivery.submit(batch, { attempts: 0, maybeProcessed });
  };

  /** Takes a batch that an earlier part of the run has sealed. */
  const takeRecut = async ({ batch, matches }: PreparedRecut): Promise<void> => {
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
        return recordItem(item);
      case 'batch':
        return takeBatch(item);
      case 'recut':
        return takeRecut(item);
      case 'end':
        return item.commit === undefined ? recordItem(item, rejects.mark()) : commit(item);
    }
  };

  return {
    /**
     * Takes one block; ignores the rest of it once the run has stopped.
     *
     * @throws ProblemError `resume.changed` if a batch no longer matches the journal
     */
    async take(items: readonly Prepared[]): Promise<void> {
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
        await committed.catch(() => undefined);
        throw error;
      }
    },
    /** Resolves when every sealed batch is in the journal. Rejects if one cannot be written. */
    sealed: () => committed,
    /** Lengths of the rejects files at the last commit. A resume finds later rejects again. */
    get rejectsAtCommit(): RejectsMark {
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
