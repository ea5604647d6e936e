/** Ends a run: settles lost batches, brings the rejects files in line with the run state, and records the final state. */
import { batchesInFlight, settleAsUnknown } from '../journal/batch-reducer.ts';
import { applyEvent } from '../journal/run-state.ts';
import type { RunEnded } from '../model/event.ts';
import type { RunStop } from '../model/run-stop.ts';
import type { ResumeState } from './job.ts';
import type { Recorder } from './recorder.ts';
import type { RejectsMark } from './rejects-folder.ts';
import { isRowLimit } from './row-limits.ts';
import type { RunFiles } from './run-files.ts';

export interface RunEnding {
  /** Batches that become pending again, because an outage exhausted them. */
  readonly putBack: readonly string[];
  /** Lengths of the rejects files at the last commit. */
  readonly rejectsAtCommit: RejectsMark;
  /** Refused rows that are in the rejects files already: their batches, and the lengths of the files. */
  readonly listedBefore: ResumeState['listed'];
}

/**
 * If the folder cannot be written, the run state is still completed in memory. Rejects only with a bug.
 */
export async function finishRun(
  { runState, record, apply, now, writeOrStop }: Recorder,
  { rejects, rejectedRows }: Pick<RunFiles, 'rejects' | 'rejectedRows'>,
  runStop: RunStop,
  { putBack, rejectsAtCommit, listedBefore }: RunEnding,
): Promise<void> {
  // Batches that may have been processed and have no result are unknown. Their payloads are not stored, so the journal
  // leaves them open, and a resume prepares and stores them again.
  const lost = batchesInFlight(runState.undelivered);
  for (const { batch, attempts } of lost) apply(settleAsUnknown(batch, attempts, now()));

  const isDone = lost.length === 0 && runState.rows.pending === 0 && runState.sources.every((source) => source.ended);
  const isLimited = isRowLimit(runStop.reason);
  // A failure here stops the run, and the last event has the reason.
  if (!isDone) await writeOrStop(() => rejects.truncate(rejectsAtCommit)).catch(() => undefined);
  const listed = await writeOrStop(async () => {
    rejects.allowOnFullDisk();
    const seen = new Set<string>();
    for await (const { batch, ...row } of rejectedRows()) {
      const isRejected = runState.undelivered.get(batch)?.isRejected === true;
      if (!isRejected || seen.has(batch) || listedBefore?.batches.has(batch)) continue;
      seen.add(batch);
      await rejects.add(row);
    }
    return { ...listedBefore?.bytes, ...rejects.mark().bytes };
  }).catch(() => undefined);
  // A stop that came after everything was settled and listed has stopped nothing, except a row limit.
  const isComplete = isDone && listed !== undefined && !isLimited && putBack.length === 0;
  const { reason: stop } = runStop;
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
