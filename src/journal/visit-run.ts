/**
 * A journal, read to be told and not to be gone on with: what became of every row, and what every batch is that was
 * not delivered. Of a run that was killed, or that could write no more, too: what was under way then is unknown.
 */
import path from 'node:path';
import type { Cursor, RowRange } from '../model/batch.ts';
import type { BatchSettled, RowDuplicate, RowInvalid, RunEvent } from '../model/event.ts';
import type { Ledger } from '../model/ledger.ts';
import type { Outcome } from '../model/outcome.ts';
import { lostOf } from './lost.ts';
import { readJournal } from './read-journal.ts';
import { apply } from './reducer.ts';

export type BatchState = Outcome | 'pending';

/** What became of a batch. */
export interface VisitedBatch {
  readonly batch: string;
  readonly digest: string;
  readonly records: number;
  readonly ranges: readonly RowRange[];
  state: BatchState;
  /** Why, in the service's or the system's words. */
  error?: string;
  /** The service's own name for a batch that was delivered. */
  batchId?: string;
  /** It was under way when the run ended: the journal does not say what became of it, and its payload is not kept. */
  lost?: true;
}

export interface Visited {
  /** The books, closed: what was under way in a run that was killed counts as unknown. */
  readonly ledger: Ledger;
  /** Whether the journal says that the run ended. If not, it is being worked on, or it was killed. */
  readonly ended: boolean;
  /** How long it was worked on, in seconds, without the time between its parts. */
  readonly seconds: number;
  /** Batches that were not delivered, by id, in the order in which they were sealed. */
  readonly batches: ReadonlyMap<string, VisitedBatch>;
  /** For each input that was begun, how far it is accounted for. */
  readonly cursors: ReadonlyMap<number, Cursor>;
  /** Rows in the rejects files, by source index. */
  readonly rejectedRows: Readonly<Record<number, number>>;
}

/** What can be asked for beside the books. It is told in the order of the journal. */
export interface Listener {
  /** Every event, for readers that are to know what a live run's readers knew. */
  readonly onEvent?: (event: RunEvent, ledger: Ledger) => void;
  readonly onDelivered?: (batch: VisitedBatch) => void;
  /** A row that counts as invalid: a resume did not read it again. */
  readonly onInvalid?: (event: RowInvalid) => void;
  readonly onSkipped?: (event: Extract<RunEvent, { event: 'row.skipped' }>) => void;
  readonly onDuplicate?: (event: RowDuplicate) => void;
}

/**
 * @param folder the run's
 * @param held whether a process works on the run now: then what is under way stays as it is
 * @throws ProblemError `journal.missing`, `journal.damaged`, `journal.empty`
 */
export async function visitJournal(folder: string, held: boolean, listener: Listener = {}): Promise<Visited> {
  const batches = new Map<string, VisitedBatch>();
  /** Rows that were read behind the last commit: they count with the next one, or are read again. */
  let waiting: (() => void)[] = [];
  const clock = createClock();
  let ended = false;

  const settle = ({ batch: id, outcome, error, receipt }: BatchSettled): void => {
    const batch = batches.get(id);
    if (batch === undefined) return;
    batch.state = outcome;
    if (error !== undefined) batch.error = error;
    if (outcome !== 'delivered') return;
    if (receipt !== undefined) batch.batchId = receipt.batchId;
    batches.delete(id);
    listener.onDelivered?.(batch);
  };
  const reopen = (id: string): void => {
    const batch = batches.get(id);
    if (batch === undefined) return;
    batch.state = 'pending';
    delete batch.error;
  };
  const commit = (): void => {
    for (const tell of waiting) tell();
    waiting = [];
  };

  const { ledger, cursors, rejectedRows } = await readJournal(
    path.join(folder, 'journal.ndjson'),
    (event, books) => {
      listener.onEvent?.(event, books);
      clock.on(event);
      ended = event.event === 'run.ended';
      switch (event.event) {
        case 'row.invalid':
          if (listener.onInvalid !== undefined) waiting.push(() => listener.onInvalid?.(event));
          break;
        case 'row.skipped':
          if (listener.onSkipped !== undefined) waiting.push(() => listener.onSkipped?.(event));
          break;
        case 'row.duplicate':
          if (listener.onDuplicate !== undefined) waiting.push(() => listener.onDuplicate?.(event));
          break;
        case 'batch.sealed': {
          commit();
          const { batch, digest, records, ranges } = event;
          batches.set(batch, { batch, digest, records, ranges, state: 'pending' });
          break;
        }
        case 'batch.split':
          batches.delete(event.batch);
          for (const { batch, digest, records, ranges } of event.parts) {
            batches.set(batch, { batch, digest, records, ranges, state: 'pending' });
          }
          break;
        case 'source.ended':
          if (event.commit !== undefined) commit();
          break;
        case 'batch.settled':
          settle(event);
          break;
        case 'run.resumed':
          waiting = [];
          for (const { batch } of event.reopened) reopen(batch);
          break;
        case 'run.ended':
          waiting = [];
          for (const id of event.putBack) reopen(id);
          break;
        default:
      }
    },
  );

  if (!held) {
    for (const [id, { attempts, maybeProcessed }] of [...ledger.open]) {
      if (!maybeProcessed) continue;
      const lost = lostOf(id, attempts, clock.last());
      apply(ledger, lost);
      settle(lost);
      const batch = batches.get(id);
      if (batch !== undefined) batch.lost = true;
    }
  }
  return { ledger, ended, seconds: clock.seconds(), batches, cursors, rejectedRows };
}

/** Time worked, from the times of the events: from each beginning to the last fact before the next one. */
function createClock(): { on(event: RunEvent): void; seconds(): number; last(): string } {
  let worked = 0;
  let since = 0;
  let last = '';
  const part = (): number => Math.max(0, Date.parse(last) - since) || 0;
  return {
    on(event) {
      if (!('time' in event)) return;
      if (event.event === 'run.started' || event.event === 'run.resumed') {
        if (last !== '') worked += part();
        since = Date.parse(event.time);
      }
      last = event.time;
    },
    seconds: () => (worked + part()) / 1000,
    last: () => last,
  };
}
