/**
 * Reads the journal of a run to report on it: the outcome of every row, and of every batch that was not delivered.
 * A batch in flight when the run was killed counts as unknown.
 */
import path from 'node:path';
import type { RunEvent } from '../model/event.ts';
import { type BatchState, isAboutContent } from '../model/outcome.ts';
import type { BatchChange, OpenBatch, RunReader } from '../model/run-state.ts';
import { batchesInFlight, settleAsUnknown } from './batch-reducer.ts';
import { type DroppedRow, type RecoveredRun, readJournal } from './read-journal.ts';
import { applyEvent } from './run-state.ts';

export interface InspectedBatch extends Pick<OpenBatch, 'batch' | 'digest' | 'records' | 'ranges'> {
  state: BatchState;
  /** The cause, in the words of the service or of the system. */
  error?: string | undefined;
  /** The service's own id for a delivered batch. */
  batchId?: string | undefined;
  /** The service refused the only record for what it contains, so its row is in the rejects file. */
  isRejected?: boolean | undefined;
  /** The batch was in flight when the run ended: the journal has no outcome, and the payload was not stored. */
  lost?: true;
}

/** If the run was killed, batches in flight count as unknown. */
export interface InspectedRun extends Pick<RecoveredRun, 'runState' | 'cursors' | 'rejectedRows'> {
  /** Whether the journal ends with `run.ended`. If not, a process works on the run, or it was killed. */
  readonly ended: boolean;
  /** Time in which a process worked on the run, in seconds. */
  readonly seconds: number;
  /** Batches that were not delivered, by id, in the order in which they were sealed. */
  readonly batches: ReadonlyMap<string, InspectedBatch>;
}

/** Callbacks, in the order of the journal. `onDropped` as of {@link readJournal}. */
export interface RunListener {
  readonly onEvent?: RunReader;
  readonly onDelivered?: (batch: InspectedBatch) => void;
  readonly onDropped?: (row: DroppedRow) => void;
}

/**
 * @param isRunning whether a process works on the run now: batches in flight then stay pending
 * @throws ProblemError `journal.missing`, `journal.damaged`, `journal.empty`
 */
export async function inspectRun(
  folder: string,
  isRunning: boolean,
  listener: RunListener = {},
): Promise<InspectedRun> {
  const batches = new Map<string, InspectedBatch>();
  const apply = ({ batch: { batch: id, digest, records, ranges }, from, to }: BatchChange, event: RunEvent): void => {
    const batch = batches.get(id);
    if (from === undefined || batch === undefined) {
      batches.set(id, { batch: id, digest, records, ranges, state: 'pending' });
      return;
    }
    if (to === 'split' || to === 'delivered') batches.delete(id);
    if (to === 'split') return;
    const settled = event.event === 'batch.settled' ? event : undefined;
    batch.state = to;
    batch.error = settled?.error;
    batch.batchId = settled?.receipt?.batchId;
    batch.isRejected = to === 'refused' && records === 1 && isAboutContent(settled?.status);
    if (to === 'delivered') listener.onDelivered?.(batch);
  };
  const timer = new WorkTimer();
  let ended = false;
  const onEvent: RunReader = (event, runState, changes) => {
    listener.onEvent?.(event, runState, changes);
    timer.add(event);
    ended = event.event === 'run.ended';
    for (const change of changes) apply(change, event);
  };
  const recovered = await readJournal(path.join(folder, 'journal.ndjson'), onEvent, listener.onDropped);

  const { runState } = recovered;
  const inFlight = isRunning ? [] : batchesInFlight(runState.open);
  for (const { batch: id, attempts } of inFlight) {
    const settled = settleAsUnknown(id, attempts, timer.last);
    for (const change of applyEvent(runState, settled)) apply(change, settled);
    const batch = batches.get(id);
    if (batch !== undefined) batch.lost = true;
  }
  return { ...recovered, ended, seconds: timer.seconds(), batches };
}

/** Measures the time in which a process worked on the run: from each start or resume to the last event before the next. */
class WorkTimer {
  #workedMs = 0;
  #sinceMs = 0;
  /** Time of the last event: ISO 8601, UTC. */
  last = '';

  add(event: RunEvent): void {
    if (!('time' in event)) return;
    if (event.event === 'run.started' || event.event === 'run.resumed') {
      this.#workedMs += this.#sessionMs();
      this.#sinceMs = Date.parse(event.time);
    }
    this.last = event.time;
  }

  seconds(): number {
    return (this.#workedMs + this.#sessionMs()) / 1000;
  }

  #sessionMs(): number {
    return this.last === '' ? 0 : Math.max(0, Date.parse(this.last) - this.#sinceMs) || 0;
  }
}
