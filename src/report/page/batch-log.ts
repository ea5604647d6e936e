/** The outcome of each batch, failures first. Reads events. Keeps at most a few hundred batches and counts the rest. */
import type { AttemptFailed, BatchSettled } from '../../model/event.ts';
import { byFirstRow } from '../../model/row-spans.ts';
import type { RunReader, UndeliveredBatch } from '../../model/run-state.ts';

const BATCH_LIMIT = 300;
/** Delivered batches, which need no attention. */
const DELIVERED_LIMIT = 100;
const ATTEMPT_LIMIT = 5;

export interface BatchEntry extends Pick<UndeliveredBatch, 'batch' | 'records' | 'ranges'> {
  readonly settled: BatchSettled;
  /** The first failed attempts. */
  readonly failures: readonly AttemptFailed[];
}

/** In the order of the input. */
export interface BatchFacts {
  /** Not delivered. */
  readonly failed: readonly BatchEntry[];
  /** Delivered, with records that were rejected or not accounted for. */
  readonly partly: readonly BatchEntry[];
  /** Delivered, with all records accounted for. */
  readonly whole: readonly BatchEntry[];
  /** Settled batches that are not listed. */
  readonly more: number;
}

export class BatchLog {
  /** Not delivered, by id: a resume may reopen them. */
  readonly #undelivered = new Map<string, BatchEntry>();
  readonly #partly: BatchEntry[] = [];
  readonly #whole: BatchEntry[] = [];
  readonly #failures = new Map<string, AttemptFailed[]>();
  #deliveredCount = 0;

  readonly on: RunReader = (event, _runState, changes) => {
    if (event.event === 'attempt.failed') {
      const failures = this.#failures.get(event.batch) ?? [];
      if (failures.length < ATTEMPT_LIMIT) failures.push(event);
      this.#failures.set(event.batch, failures);
    }
    for (const { batch, to } of changes) {
      this.#undelivered.delete(batch.batch);
      if (event.event === 'batch.settled') this.#settle(batch, event);
      if (to !== 'pending') this.#failures.delete(batch.batch);
    }
  };

  facts(): BatchFacts {
    const failed = [...this.#undelivered.values()].sort(byFirstRow).slice(0, BATCH_LIMIT);
    const partly = this.#partly.sort(byFirstRow).slice(0, BATCH_LIMIT - failed.length);
    const whole = this.#whole.sort(byFirstRow).slice(0, BATCH_LIMIT - failed.length - partly.length);
    const listed = failed.length + partly.length + whole.length;
    return { failed, partly, whole, more: this.#undelivered.size + this.#deliveredCount - listed };
  }

  #settle({ batch, records, ranges }: UndeliveredBatch, settled: BatchSettled): void {
    const { outcome, unaccounted, receipt } = settled;
    const entry = { batch, records, ranges, settled, failures: this.#failures.get(batch) ?? [] };
    if (outcome !== 'delivered') {
      this.#undelivered.set(batch, entry);
      return;
    }
    this.#deliveredCount += 1;
    const isWhole = unaccounted === 0 && (receipt?.rejected ?? 0) === 0;
    const list = isWhole ? this.#whole : this.#partly;
    if (list.length < (isWhole ? DELIVERED_LIMIT : BATCH_LIMIT)) list.push(entry);
  }
}
