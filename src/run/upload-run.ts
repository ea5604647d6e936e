/**
 * The whole flow: prepare -> journal -> deliver -> the end of the books. It knows no screen and no settings; what
 * it needs of the world is handed in. Its parts are in flow/, each with the state that is its own business.
 */
import { setImmediate } from 'node:timers/promises';
import { createDelivery, type Delivery } from '../deliver/index.ts';
import { loadDigests } from '../lib/digest.ts';
import type { Ledger } from '../model/ledger.ts';
import type { Stop } from '../model/outcome.ts';
import { ProblemError } from '../model/problem.ts';
import { finishRun } from './finish-run.ts';
import { createIntake } from './intake.ts';
import { heedInterruption } from './interruption.ts';
import type { UploadDeps, UploadJob } from './job.ts';
import { createRecorder } from './recorder.ts';
import { createRowLimitGate } from './row-limit-gate.ts';
import { createRunInputs } from './run-inputs.ts';

export type { ResumeState as Resume, UnsettledBatch as Unfinished, UploadJob } from './job.ts';

/**
 * Uploads the inputs of a job and resolves to the books, whatever happened on the way: a service that fails, a
 * full disk and an interruption are entries in them. Rejects only for a mistake of the program.
 */
export async function upload(job: UploadJob, doors: UploadDeps): Promise<Ledger> {
  const { transport, clock, runFiles, signal } = doors;
  const books = createRecorder(job, doors, () => delivery);
  const { ledger, record, keep } = books;
  const { digestOf } = await loadDigests();
  const delivery: Delivery = createDelivery(
    { ...job.delivery, contract: job.contract, deliveredBefore: job.resume?.ledger.batches.delivered ?? 0 },
    { transport, clock, digestOf, record, keep },
  );
  const hold = createRowLimitGate(job.limits ?? {}, delivery, job.resume?.ledger);
  const intake = createIntake(job, { books, runFiles, hold, delivery });
  const inputs = createRunInputs(job, { books, runFiles, delivery });
  const unheed = heedInterruption(doors, job.graceMs, delivery);

  let inputStop: Stop | undefined;
  try {
    await books.begin();
    inputs.spool();
    for await (const items of job.prepare()) {
      await intake.take(items);
      if (delivery.halted.aborted) break;
      // Preparing a block takes as long as several answers: those that came meanwhile are heard first.
      await setImmediate();
    }
    await intake.sealed();
    if (!delivery.halted.aborted) await hold.end();
  } catch (error) {
    // Once the run is halted, an input that was closed and a folder that can't be written are no news.
    if (!delivery.halted.aborted) {
      if (!(error instanceof ProblemError)) {
        inputs.close();
        throw error;
      }
      // What was held back for a limit of rows is sent, or forbidden, by the rows that there are.
      await hold.end();
      const { stop } = hold;
      const hint = error.problems[0]?.hint;
      inputStop =
        stop === undefined
          ? { code: 'input', message: error.message, ...(hint === undefined ? {} : { hint }) }
          : { ...stop, message: `${error.message} ${stop.message}` };
    }
  } finally {
    // Whatever happened to the reader, what has been submitted is carried to its end.
    await delivery.idle();
    await inputs.spooled(signal);
    unheed();
    inputs.close();
  }

  const { rejectsAtCommit } = intake;
  await finishRun(books, runFiles, { delivery, inputStop, limitStop: hold.stop, rejectsAtCommit });
  return ledger;
}
