/**
 * Runs an upload or a resume from start to end: prepare -> journal -> deliver -> final state. Knows no screen
 * and no settings; what it needs from outside is passed in. Prepared rows become events in intake.ts, events are recorded in
 * recorder.ts, and the files of the run are in run-files.ts.
 */
import { setImmediate } from 'node:timers/promises';
import { Delivery } from '../deliver/index.ts';
import { InputChangedError } from '../input/byte-reader.ts';
import { loadDigests } from '../lib/digest.ts';
import { ProblemError } from '../model/problem.ts';
import type { RunState } from '../model/run-state.ts';
import { finishRun } from './finish-run.ts';
import { Intake } from './intake.ts';
import type { UploadDeps, UploadJob } from './job.ts';
import { createRecorder, type Recorder } from './recorder.ts';
import { RowLimitGate } from './row-limits.ts';
import { closeInputs, closeOnStop, spoolInputs } from './run-inputs.ts';
import { createRunStop, stopOnInterruption } from './run-stop.ts';
import { ShardSelector } from './shard-selector.ts';

/**
 * Resolves to the run state, whatever happened: a failing service, a full disk and an interruption are entries in it.
 * Rejects only with a bug.
 */
export async function executeRun(job: UploadJob, deps: UploadDeps): Promise<RunState> {
  const { transport, clock, runFiles, signal } = deps;
  const { contract, resume } = job;
  const runStop = createRunStop();
  runStop.signal.addEventListener('abort', () => {
    if (runStop.reason !== undefined) deps.onStop?.(runStop.reason);
  });
  const recorder = createRecorder(job, runStop, deps);
  const { runState, record, keep } = recorder;
  const { digestOf } = await loadDigests();
  const delivery = new Delivery(
    { ...job.delivery, contract, deliveredBefore: resume?.runState.batches.delivered },
    { transport, clock, digestOf, runStop, record, keep },
  );
  const gate = new RowLimitGate(job.limits, delivery, runStop, resume?.runState);
  const shard = job.shard && new ShardSelector(job.shard, resume?.runState.batchesCut ?? 0, digestOf);
  const intake = new Intake(job, { recorder, rejects: runFiles.rejects, gate, runStop, shard });
  closeOnStop(job, runStop, signal);
  const dispose = stopOnInterruption(runStop, job.graceMs, deps);
  let spooled: Promise<void> | undefined;

  try {
    await recorder.begin();
    spooled = spoolInputs(job, recorder, runFiles);
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
        closeInputs(job);
        throw error;
      }
      const isChanged = error instanceof InputChangedError;
      if (isChanged) await recordGrowth(error, job, recorder);
      const { message, problems } = error;
      await gate.end({ code: isChanged ? 'changed' : 'input', message, hint: problems[0]?.hint });
    }
  } finally {
    // What was submitted is delivered, even if reading failed.
    await delivery.idle();
    await spooled;
    dispose();
    closeInputs(job);
  }

  await finishRun(recorder, runFiles, runStop, {
    putBack: delivery.exhaustedByOutage,
    rejectsAtCommit: intake.rejectsAtCommit,
    listedBefore: resume?.listed,
  });
  return runState;
}

/** Counts the new bytes of an input as unread, if its size and the positions of its rows count the same bytes. */
async function recordGrowth(
  { input, sizeNow: bytes }: InputChangedError,
  { inputs }: UploadJob,
  { record, now }: Recorder,
): Promise<void> {
  const source = inputs.findIndex((one) => one.source.name === input);
  const size = inputs[source]?.textSize;
  if (size !== undefined && bytes > size) await record({ event: 'source.grown', time: now(), source, bytes });
}
