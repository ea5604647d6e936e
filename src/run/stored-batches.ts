/** The payloads in a run folder, as a source of sealed batches: a run that was read to its end is finished from its folder alone. */
import path from 'node:path';
import { readUndelivered, type StoredBatch, UNDELIVERED } from '../journal/undelivered.ts';
import { byFirstRow } from '../model/batch.ts';
import type { Prepared } from '../model/prepared.ts';
import type { RunReader } from '../model/run-state.ts';
import type { SealedBatch } from '../prepare/batch-rebuilder.ts';

/** The batches that are in the folder as they were sealed. @param wanted by their digests in the journal */
async function* intactBatches(folder: string, wanted: readonly SealedBatch[]): AsyncGenerator<StoredBatch> {
  const missing = new Map(wanted.map(({ id, digest }) => [id, digest]));
  for await (const batch of readUndelivered(path.join(folder, UNDELIVERED))) {
    if (!batch.isIntact || missing.get(batch.id) !== batch.digest) continue;
    missing.delete(batch.id);
    yield batch;
  }
}

/** Whether the folder has the payload of each of these batches. */
export async function hasPayloads(folder: string, wanted: readonly SealedBatch[]): Promise<boolean> {
  let found = 0;
  for await (const _batch of intactBatches(folder, wanted)) found += 1;
  return found === wanted.length;
}

export async function* prepareStored(
  folder: string,
  wanted: readonly SealedBatch[],
): AsyncGenerator<readonly Prepared[]> {
  for await (const { outcome: _outcome, isIntact: _isIntact, rejected, ...batch } of intactBatches(folder, wanted)) {
    const rows = batch.rows.map((row) => (rejected === undefined ? row : { ...row, content: rejected.content }));
    yield [{ kind: 'rebuilt', batch: { ...batch, rows }, matches: true }];
  }
}

/** A delivered batch with rejected records, as it was sealed. */
export interface RejectingBatch extends SealedBatch {
  readonly rejected: number;
  /** The counts of its receipt do not add up to its records. */
  readonly isUnaccounted: boolean;
}

export class RejectingBatches {
  readonly #found: RejectingBatch[] = [];

  readonly on: RunReader = (event, _runState, changes) => {
    if (event.event !== 'batch.settled') return;
    const { receipt, unaccounted } = event;
    const rejected = receipt?.rejected ?? 0;
    for (const { batch, to } of changes) {
      if (to !== 'delivered' || rejected === 0) continue;
      const { batch: id, digest, records, ranges } = batch;
      this.#found.push({ id, digest, records, ranges, rejected, isUnaccounted: unaccounted !== 0 });
    }
  };

  all(): readonly RejectingBatch[] {
    return this.#found.sort(byFirstRow);
  }
}
