/**
 * Takes what the prepare half hands over, in its order: rows that are no records into the rejects files, batches to
 * delivery, and of everything the facts into the books.
 */
import type { Delivery } from '../deliver/index.ts';
import { settleAsUnknown } from '../journal/batch-reducer.ts';
import type { Batch } from '../model/batch.ts';
import type { Prepared, PreparedAgain, PreparedDuplicate, PreparedInvalid } from '../model/prepared.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import { duplicateOf, endedOf, invalidOf, sealedOf, skippedOf } from './events.ts';
import type { RunJob, UploadJob } from './job.ts';
import type { Recorder } from './recorder.ts';
import type { RowLimitGate } from './row-limit-gate.ts';
import { NO_REJECTS, type RejectsMark, type RunFiles } from './run-files.ts';

export interface Intake {
  /**
   * Takes one block. Leaves the rest of it where the run is halted meanwhile.
   *
   * @throws ProblemError `resume.changed` where a batch comes out otherwise than when it was sealed
   */
  take(items: readonly Prepared[]): Promise<void>;
  /** Resolves when the seals of all batches that were taken are in the journal. Rejects where one of them is not. */
  sealed(): Promise<void>;
  /** How long the rejects files were at the last commit: what is behind that a resume will find again. */
  readonly rejectsAtCommit: RejectsMark;
}

export interface IntakeDeps {
  readonly books: Pick<Recorder, 'guarded' | 'keep' | 'now' | 'record'>;
  readonly runFiles: Pick<RunFiles, 'reject' | 'rejectsMark'>;
  readonly hold: Pick<RowLimitGate, 'see' | 'submit'>;
  readonly delivery: Pick<Delivery, 'halted' | 'submit'>;
}

type PreparedDropped = PreparedInvalid | PreparedDuplicate;

export function createIntake(
  job: Pick<UploadJob, 'inputs' | 'recordKeys' | 'resume'>,
  { books, runFiles, hold, delivery }: IntakeDeps,
): Intake {
  const { record, now } = books;
  let rejectsAtCommit = job.resume?.rejects ?? NO_REJECTS;
  /** Settles when the seals so far are in the journal, or will never be. Never rejects. */
  let sealing: Promise<void> = Promise.resolve();
  let unsealed: { readonly error: unknown } | undefined;

  /** Consecutive rows that are dropped one by one, all at once: a file may consist of nothing else. */
  const takeDropped = async (items: readonly PreparedDropped[]): Promise<void> => {
    if (items.length === 0) return;
    const invalid = items.filter((item) => item.kind === 'invalid');
    await books.guarded(async () => {
      await Promise.all(
        invalid.map(({ position, issues, content }) =>
          runFiles.reject(position.source, position.line, issues, content),
        ),
      );
    });
    await Promise.all(
      items.map((item) => record(item.kind === 'invalid' ? invalidOf(item) : duplicateOf(item))),
    );
  };

  const sealed = async (): Promise<void> => {
    await sealing;
    if (unsealed !== undefined) throw unsealed.error;
  };

  const takeOther = async (item: Exclude<Prepared, PreparedDropped>): Promise<void> => {
    switch (item.kind) {
      case 'skipped':
        return record(skippedOf(item));
      case 'batch': {
        const rejects = runFiles.rejectsMark();
        const seal = sealedOf(item, rejects.bytes, job.recordKeys === true);
        const { batch, maybeProcessed } = item;
        sealing = record(seal).then(
          () => {
            rejectsAtCommit = rejects;
          },
          (error: unknown) => {
            unsealed ??= { error };
          },
        );
        // In the journal the seal stands in front of the attempt, so that both may be written at once. Nor does the next
        // batch wait for it: where there is room for several, they are sealed and sent together.
        if (maybeProcessed !== true) return hold.submit(batch);
        await sealed();
        return delivery.submit(batch, { attempts: 0, maybeProcessed });
      }
      case 'again':
        return takeAgain(item);
      case 'end': {
        await record(endedOf(item, now(), runFiles.rejectsMark().bytes));
        if (item.commit !== undefined) rejectsAtCommit = runFiles.rejectsMark();
      }
    }
  };

  /** A batch of an earlier part of the run, cut again. */
  const takeAgain = async ({ batch, matches }: PreparedAgain): Promise<void> => {
    if (!matches) throw new ProblemError(changedInput(job, batch));
    const course = job.resume?.unsettled.get(batch.id);
    if (course === undefined) throw new Error(`batch ${batch.id} was cut again and is not known`);
    if (course.next === 'send') return hold.submit(batch, course);
    await books.keep(batch, 'unknown');
    await record(settleAsUnknown(batch.id, course.attempts, now()));
  };

  return {
    async take(items) {
      const dropped: PreparedDropped[] = [];
      try {
        for (const item of items) {
          if (delivery.halted.aborted) break;
          hold.see(item);
          if (item.kind === 'invalid' || item.kind === 'duplicate') dropped.push(item);
          else {
            if (dropped.length > 0) await takeDropped(dropped.splice(0));
            await takeOther(item);
          }
        }
        await takeDropped(dropped);
      } catch (error) {
        // Whoever hears of it asks how far the run has come.
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
  const places = batch.ranges.map(({ source, firstLine, lastLine }) => {
    return `${job.inputs[source]?.source.name ?? 'input'}, lines ${firstLine} to ${lastLine}`;
  });
  return {
    code: 'resume.changed',
    message: `Batch ${batch.id} (${places.join('; ')}) comes out otherwise than when it was sealed: the input or the mapping has changed since. It was not sent.`,
    hint: 'Put the input back as it was, or upload the new one as a run of its own.',
  };
}
