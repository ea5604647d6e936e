/** The delivered batches of a run in which the service rejected records. */
import type { SealedBatch } from '../batch/recut.ts';
import { byFirstRow } from '../model/row-spans.ts';
import type { RunReader } from '../model/run-state.ts';

/** A delivered batch with rejected records. */
export interface RejectingBatch {
  readonly id: string;
  readonly digest: string;
  readonly records: number;
  readonly rejected: number;
  /** The counts of its receipt do not add up to its records. */
  readonly isUnaccounted: boolean;
  /** The batch as it was sealed, to rebuild it from the inputs. */
  readonly sealed: SealedBatch;
}

/** Reads events. */
export class RejectingBatches {
  readonly #found: RejectingBatch[] = [];

  readonly on: RunReader = (event, _runState, changes) => {
    if (event.event !== 'batch.settled') return;
    const { receipt, unaccounted } = event;
    const rejected = receipt?.rejected ?? 0;
    for (const { batch, to } of changes) {
      if (to !== 'delivered' || rejected === 0) continue;
      const { batch: id, digest, records, ranges } = batch;
      const sealed = { id, digest, records, ranges };
      this.#found.push({ id, digest, records, rejected, isUnaccounted: unaccounted !== 0, sealed });
    }
  };

  /** In the order of their rows. */
  all(): readonly RejectingBatch[] {
    return this.#found.sort((one, other) => byFirstRow(one.sealed, other.sealed));
  }
}
