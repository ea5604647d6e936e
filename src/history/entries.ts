/**
 * Journal of a run -> entries of the delivered index: the records that it delivered or left unknown. Pure.
 *
 * An entry is never withdrawn, so it is made only when it is certain. If the service rejected some records of a batch,
 * or did not account for all of them, the receipt does not say which: such a batch gets no entry. Unknown batches get
 * one only if the interface documents no deduplication. Batches sent to another base URL than the run's get none.
 */
import { batchesInFlight } from '../journal/batch-reducer.ts';
import type { RunEvent } from '../model/event.ts';
import type { BatchChange, RunState, UndeliveredBatch } from '../model/run-state.ts';

/** Records that a run has sent. */
export interface SentEntry {
  readonly state: 'delivered' | 'unknown';
  /** Milliseconds since 1970. */
  readonly time: number;
  /** Keys of the records (record-key.ts), as base64. */
  readonly keys: string;
}

export class EntryBuilder {
  readonly #includesUnknown: boolean;
  readonly #onEntry: (entry: SentEntry) => void;
  /** Batches that have an entry as unknown. */
  readonly #unknown = new Set<string>();
  #lastTime = 0;
  #isElsewhere = false;

  /** @param includesUnknown whether records whose outcome is unknown must not be sent again */
  constructor(includesUnknown: boolean, onEntry: (entry: SentEntry) => void) {
    this.#includesUnknown = includesUnknown;
    this.#onEntry = onEntry;
  }

  /** Takes the events of a journal in order, each with its effect ({@link readJournal}). */
  add(event: RunEvent, runState: RunState, changes: readonly BatchChange[]): void {
    if (event.event === 'run.resumed') {
      // They stay unknown until this part of the run settles them.
      this.addInFlight(runState);
      this.#isElsewhere = event.elsewhere === true;
      return;
    }
    if ('time' in event) this.#lastTime = Date.parse(event.time);
    if (event.event !== 'batch.settled') return;
    for (const { batch, to } of changes) {
      if (to === 'unknown') this.#addUnknown(batch);
      const isWhole = event.unaccounted === 0 && (event.receipt?.rejected ?? 0) === 0;
      if (to === 'delivered' && isWhole) this.#add('delivered', batch);
    }
  }

  /** Adds the batches in flight at the end of a journal. For a run that no process works on. */
  addInFlight(runState: RunState): void {
    for (const batch of batchesInFlight(runState.undelivered)) this.#addUnknown(batch);
  }

  #addUnknown(batch: UndeliveredBatch): void {
    if (!this.#includesUnknown || this.#isElsewhere || this.#unknown.has(batch.batch)) return;
    this.#unknown.add(batch.batch);
    this.#add('unknown', batch);
  }

  #add(state: SentEntry['state'], { keys }: UndeliveredBatch): void {
    if (keys !== undefined && !this.#isElsewhere) this.#onEntry({ state, time: this.#lastTime, keys });
  }
}
