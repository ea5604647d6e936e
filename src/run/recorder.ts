/**
 * Each event of a run is written to the journal, then applied to the run state, then given to the readers. What cannot be journalled
 * must not happen, so a run folder that cannot be written stops the run.
 */
import { type DeliveryDeps, isoTime } from '../deliver/index.ts';
import { applyEvent, newRunState } from '../journal/apply-event.ts';
import { FolderLostError } from '../journal/lock.ts';
import type { RejectedRecord } from '../journal/undelivered.ts';
import { printable } from '../lib/printable.ts';
import { cut } from '../lib/text.ts';
import type { Batch } from '../model/batch.ts';
import type { AttemptStarted, BatchSealed, RunEvent, RunStarted } from '../model/event.ts';
import { type RunStop, StorageError } from '../model/outcome.ts';
import type { Prepared, PreparedRebuilt } from '../model/prepared.ts';
import type { BatchChange, RunState } from '../model/run-state.ts';
import type { RunJob, UploadDeps, UploadJob } from './job.ts';
import { hasHappened } from './run-files.ts';
import { FolderGuard } from './run-stop.ts';

export type Recorder = ReturnType<typeof createRecorder>;

type RecordedJob = RunJob & Pick<UploadJob, 'run' | 'resume'>;

export function createRecorder(
  job: RecordedJob,
  runStop: RunStop,
  { runFiles, clock, readers, lock, claims }: Pick<UploadDeps, 'runFiles' | 'clock' | 'readers' | 'lock' | 'claims'>,
) {
  const now = isoTime(clock);
  const { first, runState } = firstEvent(job, now());
  const guard = new FolderGuard(runStop, lock, runFiles.folder.path);

  const journal = async (event: RunEvent): Promise<void> => {
    lock.confirm();
    if (event.event === 'attempt.started') claims?.confirm();
    await runFiles.append(event);
    // This process may have been stopped meanwhile, for so long that another one took over.
    if (event.event === 'attempt.started') lock.confirm();
    const { diskFull } = runFiles.journal;
    if (diskFull === undefined) return;
    // The event is in the reserved space of a full disk. Results may be there, but no new attempt may start.
    const error = guard.fail(diskFull);
    if (event.event === 'attempt.started') throw error;
  };

  /** Applies an event to the run state and the readers but not to the journal: a resume has to find it out again. */
  const apply = (event: RunEvent): readonly BatchChange[] => {
    const changes = applyEvent(runState, event);
    for (const read of readers) read(event, runState, changes);
    return changes;
  };

  /** Rejects with a {@link StorageError} if the event is not in the journal. Results count also if they could not be written. */
  const record = async (event: RunEvent): Promise<void> => {
    try {
      await journal(event);
    } catch (error) {
      const stopped = guard.fail(error);
      // The journal in a renamed folder still belongs to this run.
      if (error instanceof FolderLostError && hasHappened(event)) {
        await runFiles.append(event).catch(() => undefined);
      }
      if (event.event === 'attempt.started' && !lock.lost.aborted) {
        const { maybeProcessed = false } = runState.undelivered.get(event.batch) ?? {};
        // If this one cannot be written either, the attempt counts as lost.
        await runFiles.append(retraction(event, now(), maybeProcessed)).catch(() => undefined);
      }
      // What the service answered is true even if it cannot be written.
      if (event.event === 'run.ended' || !hasHappened(event)) throw stopped;
    }
    const changes = apply(event);
    const logged = guard.isBroken ? undefined : runFiles.results.log(event, runState, changes);
    if (logged !== undefined) await guard.write(() => logged);
  };

  const storePayload: DeliveryDeps['storePayload'] = (batch, outcome, words) =>
    guard.write(() =>
      runFiles.undelivered.add(batch, outcome, words === undefined ? undefined : rejectedBy(batch, words)),
    );

  return {
    runState,
    now,
    begin: (): Promise<void> => record(first),
    record,
    apply,
    storePayload,
    writeOrStop: guard.write,
  };
}

function retraction({ batch, attempt }: AttemptStarted, time: string, maybeProcessed: boolean): RunEvent {
  const error = 'it was not sent, because the run folder cannot be written';
  return { event: 'attempt.failed', time, batch, attempt, ms: 0, error, maybeProcessed, next: 'stop' };
}

function rejectedBy(
  { id, rows: [row], payload, offsets: [from = 0, next = payload.byteLength] }: Batch,
  words: string,
): RejectedRecord {
  if (row === undefined) throw new Error(`batch ${id} was refused for its record and has none`);
  // Without the input, the record is listed, under the API's names.
  const content = row.content ?? Buffer.from(payload.subarray(from, next - 1)).toString('utf8');
  return { reason: `the service refused it: ${printable(words)}`, content };
}

function firstEvent(job: RecordedJob, time: string): { readonly first: RunEvent; readonly runState: RunState } {
  const { resume } = job;
  if (resume !== undefined) {
    const { runState, baseUrl } = resume;
    return { first: { event: 'run.resumed', time, baseUrl }, runState };
  }
  const first = runStarted(job, job.run, time);
  return { first, runState: newRunState(first) };
}

const FOUND_LENGTH = 40;

export function runStarted(job: RunJob, run: string, time: string): RunStarted {
  return {
    event: 'run.started',
    v: 1,
    time,
    run,
    type: job.contract.type,
    variant: job.variant,
    shard: job.shard && { index: job.shard.index, of: job.shard.of },
    inputs: job.inputs.map(({ source, textSize }) => ({ name: source.name, size: textSize })),
  };
}

/** @param rejects lengths of the rejects files */
export function eventOf(
  item: Exclude<Prepared, PreparedRebuilt>,
  time: string,
  rejects: BatchSealed['rejects'],
): RunEvent {
  switch (item.kind) {
    case 'invalid': {
      const issues = item.issues.map(({ code, field, column, found }) => {
        return { code, field, column, found: found && cut(found, FOUND_LENGTH) };
      });
      return { event: 'row.invalid', ...item.position, issues };
    }
    case 'skipped': {
      const { kind: _, ...rows } = item;
      return { event: 'row.skipped', ...rows };
    }
    case 'duplicate': {
      const { source, row, line } = item.position;
      return { event: 'row.duplicate', source, row, line, of: item.of };
    }
    case 'batch': {
      const { id, digest, records, ranges, payload } = item.batch;
      return {
        event: 'batch.sealed',
        batch: id,
        digest,
        records,
        bytes: payload.byteLength,
        ranges,
        rejects,
        keys: item.keys,
        ...item.commit,
      };
    }
    case 'end': {
      const { kind: _, ...end } = item;
      return { event: 'source.ended', time, rejects, ...end };
    }
  }
}
