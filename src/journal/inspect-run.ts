/**
 * Reads the journal of a run to report on it: the outcome of every row, and of every batch that was not delivered.
 * A batch in flight when the run was killed counts as unknown.
 */
import path from 'node:path';
import type { Cursor, RowRange } from '../model/batch.ts';
import type { RowDuplicate, RowInvalid, RowSkipped, RunEvent } from '../model/event.ts';
import type { Ledger } from '../model/ledger.ts';
import type { BatchState } from '../model/outcome.ts';
import { type BatchChange, batchesInFlight, settleAsUnknown } from './batch-reducer.ts';
import { applyEvent } from './ledger-reducer.ts';
import { readJournal } from './read-journal.ts';

export interface InspectedBatch {
  readonly batch: string;
  readonly digest: string;
  readonly records: number;
  readonly ranges: readonly RowRange[];
  state: BatchState;
  /** The cause, in the words of the service or of the system. */
  error?: string | undefined;
  /** The service's own id for a delivered batch. */
  batchId?: string | undefined;
  /** The batch was in flight when the run ended: the journal has no outcome, and the payload was not stored. */
  lost?: true;
}

export interface InspectedRun {
  /** In a run that was killed, batches in flight count as unknown. */
  readonly ledger: Ledger;
  /** Whether the journal ends with `run.ended`. If not, a process works on the run, or it was killed. */
  readonly ended: boolean;
  /** Time in which a process worked on the run, in seconds. */
  readonly seconds: number;
  /** Batches that were not delivered, by id, in the order in which they were sealed. */
  readonly batches: ReadonlyMap<string, InspectedBatch>;
  /** How far each input that was started is accounted for, by source index. */
  readonly cursors: ReadonlyMap<number, Cursor>;
  /** Rows in each rejects file, by source index. */
  readonly rejectedRows: Readonly<Record<number, number>>;
}

/** Callbacks, in the order of the journal. Rows that a resume reads again are left out. */
export interface RunListener {
  readonly onEvent?: ((event: RunEvent, ledger: Ledger) => void) | undefined;
  readonly onDelivered?: ((batch: InspectedBatch) => void) | undefined;
  readonly onDropped?: ((row: DroppedRow) => void) | undefined;
}

/** Rows that became no record. */
export type DroppedRow = RowInvalid | RowSkipped | RowDuplicate;

/**
 * @param isRunning whether a process works on the run now: batches in flight then stay pending
 * @throws ProblemError `journal.missing`, `journal.damaged`, `journal.empty`
 */
export async function inspectRun(
  folder: string,
  isRunning: boolean,
  listener: RunListener = {},
): Promise<InspectedRun> {
  const batches = new InspectedBatches(listener.onDelivered);
  /** Rows since the last commit. */
  let uncommitted: DroppedRow[] = [];
  const timer = new WorkTimer();
  let ended = false;

  const readRows = (event: RunEvent): void => {
    switch (event.event) {
      case 'row.invalid':
      case 'row.skipped':
      case 'row.duplicate':
        if (listener.onDropped !== undefined) uncommitted.push(event);
        return;
      case 'source.ended':
        if (event.commit === undefined) return;
        break;
      case 'run.resumed':
      case 'run.ended':
        uncommitted = [];
        return;
      case 'batch.sealed':
        break;
      default:
        return;
    }
    for (const row of uncommitted) listener.onDropped?.(row);
    uncommitted = [];
  };

  const { ledger, cursors, rejectedRows } = await readJournal(
    path.join(folder, 'journal.ndjson'),
    (event, ledgerSoFar, changes) => {
      listener.onEvent?.(event, ledgerSoFar);
      timer.add(event);
      ended = event.event === 'run.ended';
      readRows(event);
      for (const change of changes) batches.apply(change, event);
    },
  );

  const inFlight = isRunning ? [] : batchesInFlight(ledger.open);
  for (const { batch, attempts } of inFlight) {
    const settled = settleAsUnknown(batch, attempts, timer.last);
    for (const change of applyEvent(ledger, settled)) batches.apply(change, settled);
    batches.markLost(batch);
  }
  return { ledger, ended, seconds: timer.seconds(), batches: batches.byId, cursors, rejectedRows };
}

class InspectedBatches {
  readonly byId = new Map<string, InspectedBatch>();
  readonly #onDelivered: RunListener['onDelivered'];

  constructor(onDelivered: RunListener['onDelivered']) {
    this.#onDelivered = onDelivered;
  }

  apply({ batch: { batch: id, digest, records, ranges }, from, to }: BatchChange, event: RunEvent): void {
    const batch = this.byId.get(id);
    if (from === undefined || batch === undefined) {
      this.byId.set(id, { batch: id, digest, records, ranges, state: 'pending' });
      return;
    }
    if (to === 'split' || to === 'delivered') this.byId.delete(id);
    if (to === 'split') return;
    const settled = event.event === 'batch.settled' ? event : undefined;
    batch.state = to;
    batch.error = settled?.error;
    batch.batchId = settled?.receipt?.batchId;
    if (to === 'delivered') this.#onDelivered?.(batch);
  }

  markLost(id: string): void {
    const batch = this.byId.get(id);
    if (batch !== undefined) batch.lost = true;
  }
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
