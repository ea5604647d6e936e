/**
 * Runs an upload, a resume or a replay from start to end: prepare -> journal -> deliver -> final state. Knows no screen
 * and no settings; what it needs from outside is passed in.
 */
import { setImmediate } from 'node:timers/promises';
import { createDelivery } from '../deliver/index.ts';
import { loadDigests } from '../lib/digest.ts';
import type { Ledger } from '../model/ledger.ts';
import type { Stop } from '../model/outcome.ts';
import { ProblemError } from '../model/problem.ts';
import { finishRun } from './finish-run.ts';
import { createIntake } from './intake.ts';
import { stopOnInterruption } from './interruption.ts';
import type { UploadDeps, UploadJob } from './job.ts';
import { createRecorder, lostStop } from './recorder.ts';
import { createRowLimitGate } from './row-limit-gate.ts';
import { createRunInputs } from './run-inputs.ts';
import { createRunStop } from './run-stop.ts';

export type { ResumeState, UnsettledBatch, UploadJob } from './job.ts';

/**
 * Resolves to the ledger, whatever happened: a failing service, a full disk and an interruption are entries in it.
 * Rejects only with a bug.
 */
export async function upload(job: UploadJob, deps: UploadDeps): Promise<Ledger> {
  const { transport, clock, runFiles, lock, signal } = deps;
  const { contract, resume } = job;
  const runStop = createRunStop();
  const recorder = createRecorder(job, { ...deps, runStop });
  const { ledger, record, keep } = recorder;
  const { digestOf } = await loadDigests();
  const delivery = createDelivery(
    { ...job.delivery, contract, deliveredBefore: resume?.ledger.batches.delivered },
    { transport, clock, digestOf, runStop, record, keep },
  );
  const gate = createRowLimitGate(job.limits ?? {}, { delivery, runStop }, resume?.ledger);
  const intake = createIntake(job, { recorder, rejects: runFiles.rejects, gate, delivery, runStop });
  const inputs = createRunInputs(job, { recorder, journal: runFiles.journal, runStop });
  const onLost = (): void => runStop.stop(lostStop(lock.lost.reason));
  lock.lost.addEventListener('abort', onLost, { once: true });
  const dispose = stopOnInterruption(job.graceMs, { signal, clock, runStop, delivery });

  try {
    await recorder.begin();
    inputs.spool();
    for await (const items of job.prepare()) {
      await intake.take(items);
      if (runStop.signal.aborted) break;
      // Preparing a block takes as long as several answers; handle those that arrived meanwhile.
      await setImmediate();
    }
    await intake.sealed();
    if (!runStop.signal.aborted) await gate.end();
  } catch (error) {
    // After a stop, inputs are closed and writes may fail: such errors are expected.
    if (!runStop.signal.aborted) {
      if (!(error instanceof ProblemError)) {
        inputs.close();
        throw error;
      }
      await gate.end(inputStop(error));
    }
  } finally {
    // What was submitted is delivered, even if reading failed.
    await delivery.idle();
    await inputs.spooled(signal);
    dispose();
    lock.lost.removeEventListener('abort', onLost);
    inputs.close();
  }

  const { exhaustedByOutage } = delivery;
  const { rejectsAtCommit } = intake;
  await finishRun(recorder, runFiles, { runStop, exhaustedByOutage, rejectsAtCommit });
  return ledger;
}

function inputStop({ message, problems }: ProblemError): Stop {
  return { code: 'input', message, hint: problems[0]?.hint };
}
