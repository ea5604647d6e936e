/**
 * The payloads in a run folder, as a source of sealed batches beside prepare/: with them, a run whose inputs were read to their
 * ends is finished from its folder alone. Nothing is encoded again: a payload is sent as the same bytes.
 */
import path from 'node:path';
import type { SealedBatch } from '../batch/recut.ts';
import { readUndelivered, type StoredBatch, UNDELIVERED } from '../journal/undelivered.ts';
import type { Prepared } from '../model/prepared.ts';

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
    yield [{ kind: 'recut', batch: { ...batch, rows }, matches: true }];
  }
}
