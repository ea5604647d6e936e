/**
 * Runs an upload or a resume from start to end: prepare -> journal -> deliver -> final state. Prepared rows become events in
 * intake.ts, recorder.ts records them, and run-files.ts has the files.
 */
import { setImmediate } from 'node:timers/promises';
import { Delivery } from '../deliver/index.ts';
import { InputChangedError } from '../input/byte-reader.ts';
import { applyEvent } from '../journal/apply-event.ts';
import { batchesInFlight, settleAsUnknown } from '../journal/batch-reducer.ts';
import { loadDigests } from '../lib/digest.ts';
import type { RunEnded } from '../model/event.ts';
import type { RunStop } from '../model/outcome.ts';
import type { RunState } from '../model/run-state.ts';
import { reportOf } from '../report/problem-text.ts';
import { closeInputs, closeOnStop, Intake, spoolInputs } from './intake.ts';
import type { ResumeState, UploadDeps, UploadJob } from './job.ts';
import { createRecorder, type Recorder } from './recorder.ts';
import { isRowLimit, RowLimitGate } from './row-limits.ts';
import type { RunFiles } from './run-files.ts';
import { createRunStop, stopOnInterruption } from './run-stop.ts';
import { ClaimGate, ShardSelector } from './select-records.ts';

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
  const { runState, record, storePayload } = recorder;
  const { digestOf } = await loadDigests();
  const delivery = new Delivery(
    { ...job.delivery, contract, deliveredBefore: resume?.runState.batches.delivered },
    { transport, clock, digestOf, runStop, record, storePayload },
  );
  const gate = new RowLimitGate(job.limits, delivery, runStop, resume?.runState);
  const shard = job.shard && new ShardSelector(job.shard, resume?.runState.batchesCut ?? 0);
  const claims = job.recordKeys === true ? new ClaimGate(job.findSent, digestOf) : undefined;
  const intake = new Intake(job, { recorder, rejects: runFiles.rejects, gate, runStop, shard, claims });
  closeOnStop(job, runStop, signal);
  const dispose = stopOnInterruption(runStop, job.graceMs, deps);
  let spooled: Promise<void> | undefined;

  try {
    await recorder.begin();
    spooled = spoolInputs(job, recorder, runFiles.journal);
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
      const { exitCode, problems } = reportOf(error);
      if (exitCode === 1) {
        closeInputs(job);
        throw error;
      }
      const isChanged = error instanceof InputChangedError;
      if (isChanged) await recordGrowth(error, job, recorder);
      const message = problems.map((problem) => problem.message).join('\n');
      await gate.end({ code: isChanged ? 'changed' : 'input', message, hint: problems[0]?.hint });
    }
  } finally {
    // What was sealed and submitted is journalled and delivered, even if reading failed.
    await intake.sealed().catch(() => undefined);
    await delivery.idle();
    await spooled;
    dispose();
    closeInputs(job);
  }

  await finishRun(recorder, runFiles, runStop, resume?.listed);
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

/** If the folder cannot be written, the run state is still completed in memory. Rejects only with a bug. */
export async function finishRun(
  { runState, record, apply, now, writeOrStop }: Recorder,
  { journal, rejects, rejectedRows }: Pick<RunFiles, 'journal' | 'rejects' | 'rejectedRows'>,
  runStop: RunStop,
  listedBefore: ResumeState['listed'],
): Promise<void> {
  // Batches that may have been processed and have no result are unknown. Their payloads are not stored, so the journal
  // leaves them open, and a resume prepares and stores them again.
  const lost = batchesInFlight(runState.undelivered);
  for (const { batch, attempts } of lost) apply(settleAsUnknown(batch, attempts, now()));

  const isDone = lost.length === 0 && runState.rows.pending === 0 && runState.sources.every((source) => source.ended);
  const isLimited = isRowLimit(runStop.reason);
  // A failure here stops the run, and the last event has the reason. A resume finds rejects after the last commit again. The
  // commit whose write failed may be in the journal, so its rejects stay.
  if (!isDone && !journal.hasFailed)
    await writeOrStop(() => rejects.truncate(runState.rejects.bytes)).catch(() => undefined);
  const listed = await writeOrStop(async () => {
    rejects.allowOnFullDisk();
    const seen = new Set<string>();
    for await (const { batch, ...row } of rejectedRows()) {
      const isRejected = runState.undelivered.get(batch)?.isRejected === true;
      if (!isRejected || seen.has(batch) || listedBefore?.batches.has(batch)) continue;
      seen.add(batch);
      await rejects.add(row);
    }
    return { ...listedBefore?.bytes, ...rejects.lengths() };
  }).catch(() => undefined);
  const { reason: stop } = runStop;
  const undelivered = stop?.code === 'outage' ? [...runState.undelivered.values()] : [];
  const putBack = undelivered.filter(({ state }) => state === 'exhausted').map(({ batch }) => batch);
  // A stop that came after everything was settled and listed has stopped nothing, except a row limit.
  const isComplete = isDone && listed !== undefined && !isLimited && putBack.length === 0;
  const event: RunEnded = {
    event: 'run.ended',
    time: now(),
    ...(stop === undefined || isComplete
      ? { state: 'complete' }
      : { state: stop.code === 'signal' ? 'interrupted' : 'stopped', stop }),
    putBack,
    rejects: listed,
  };
  await record(event).catch(() => {
    // The summary says why the end could not be written.
    applyEvent(runState, { ...event, state: 'stopped', stop: runStop.reason });
  });
}
