/** Which batches of a run were sent to one base URL, from the events of a live run or of a journal: delivered whole, or unknown. */
import { batchesInFlight } from '../journal/batch-reducer.ts';
import type { RunEvent } from '../model/event.ts';
import type { BatchChange, RunState, UndeliveredBatch } from '../model/run-state.ts';

export type SentState = 'delivered' | 'unknown';

export class SentBatches {
  readonly #baseUrl: string;
  readonly #includesUnknown: boolean;
  readonly #onSent: (state: SentState, keys: string) => void;
  readonly #unknown = new Set<string>();
  #isHere: boolean;

  /**
   * @param begun where the run sends first
   * @param includesUnknown whether records whose outcome is unknown must not be sent again
   * @param onSent receives the keys of a batch, as base64
   */
  constructor(
    { baseUrl, begun }: { readonly baseUrl: string; readonly begun: string },
    includesUnknown: boolean,
    onSent: (state: SentState, keys: string) => void,
  ) {
    this.#baseUrl = baseUrl;
    this.#isHere = begun === baseUrl;
    this.#includesUnknown = includesUnknown;
    this.#onSent = onSent;
  }

  add(event: RunEvent, runState: RunState, changes: readonly BatchChange[]): void {
    if (event.event === 'run.resumed') {
      // They stay unknown until this part of the run settles them.
      this.addInFlight(runState);
      this.#isHere = event.baseUrl === this.#baseUrl;
    }
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
    if (!this.#includesUnknown || !this.#isHere || this.#unknown.has(batch.batch)) return;
    this.#unknown.add(batch.batch);
    this.#add('unknown', batch);
  }

  #add(state: SentState, { keys }: UndeliveredBatch): void {
    if (keys !== undefined && this.#isHere) this.#onSent(state, keys);
  }
}
