/** The outcome of each batch, failures first. Reads events. Keeps at most a few hundred batches and counts the rest. */
import type { BatchSettled } from '../../model/event.ts';
import type { OpenBatch, RunReader } from '../../model/ledger.ts';
import type { Outcome } from '../../model/outcome.ts';

const BATCH_LIMIT = 300;
/** Delivered batches, which need no attention. */
const DELIVERED_LIMIT = 100;
const ATTEMPT_LIMIT = 5;

export interface BatchEntry extends Pick<OpenBatch, 'batch' | 'records' | 'ranges'> {
  readonly outcome: Outcome;
  readonly settled: BatchSettled;
  /** The first failed attempts. */
  readonly failures: readonly Failure[];
}

export interface Failure {
  /** ISO 8601, UTC. */
  readonly time: string;
  readonly ms: number;
  readonly error: string;
}

export interface BatchFacts {
  /** Not delivered; then delivered with rejected or unaccounted records; then delivered. */
  readonly entries: readonly BatchEntry[];
  /** Settled batches that are not listed. */
  readonly more: number;
}

export class BatchLog {
  /** Not delivered, by id: a resume may reopen them. */
  readonly #undelivered = new Map<string, BatchEntry>();
  readonly #partly: BatchEntry[] = [];
  readonly #delivered: BatchEntry[] = [];
  readonly #failures = new Map<string, Failure[]>();
  #deliveredCount = 0;

  readonly on: RunReader = (event, _ledger, changes) => {
    if (event.event === 'attempt.failed') {
      const { time, ms, error } = event;
      const failures = this.#failures.get(event.batch) ?? [];
      if (failures.length < ATTEMPT_LIMIT) failures.push({ time, ms, error });
      this.#failures.set(event.batch, failures);
    }
    for (const { batch, to } of changes) {
      this.#undelivered.delete(batch.batch);
      if (event.event === 'batch.settled') this.#settle(batch, event);
      if (to !== 'pending') this.#failures.delete(batch.batch);
    }
  };

  facts(): BatchFacts {
    const undelivered = [...this.#undelivered.values()].sort(byRows);
    const entries = [...undelivered, ...this.#partly.sort(byRows), ...this.#delivered.sort(byRows)].slice(
      0,
      BATCH_LIMIT,
    );
    return { entries, more: this.#undelivered.size + this.#deliveredCount - entries.length };
  }

  #settle({ batch, records, ranges }: OpenBatch, settled: BatchSettled): void {
    const { outcome, unaccounted, receipt } = settled;
    const entry = { batch, records, ranges, outcome, settled, failures: this.#failures.get(batch) ?? [] };
    if (outcome !== 'delivered') {
      this.#undelivered.set(batch, entry);
      return;
    }
    this.#deliveredCount += 1;
    const isWhole = unaccounted === 0 && (receipt?.rejected ?? 0) === 0;
    const list = isWhole ? this.#delivered : this.#partly;
    if (list.length < (isWhole ? DELIVERED_LIMIT : BATCH_LIMIT)) list.push(entry);
  }
}

/** In the order of the input. Batches settle in any order. */
function byRows({ ranges: [one] }: BatchEntry, { ranges: [other] }: BatchEntry): number {
  if (one === undefined || other === undefined) return 0;
  return one.source - other.source || one.firstRow - other.firstRow;
}
