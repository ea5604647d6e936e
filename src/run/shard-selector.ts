/**
 * Selects what one shard of a divided run sends (docs/scale.md, "Shards"). Batch k, from 0, belongs to shard k modulo N, with
 * the rows that were dropped while it was filled, so every row belongs to exactly one shard.
 *
 * Each shard prepares the whole input, and nothing that differs between shards may change how it is cut.
 */
import { keysOf } from '../claims/record-keys.ts';
import type { Commit, SealedKeys, Shard } from '../model/batch.ts';
import type { Prepared, PreparedBatch } from '../model/prepared.ts';
import { CarriedCommit, NO_DROPS } from './commits.ts';

export interface ShardJob extends Shard {
  /** Whether the journal holds the keys of the other shards' records, with which a resume compares later ones. */
  readonly recordKeys: boolean;
}

export class ShardSelector {
  readonly #shard: ShardJob;
  #cut: number;
  readonly #carried = new CarriedCommit();

  /** @param cut number of batches that were cut before a resume */
  constructor(shard: ShardJob, cut: number) {
    this.#shard = shard;
    this.#cut = cut;
  }

  /** What this shard records of an item. Takes all items of the run in order. */
  select(item: Prepared): readonly Prepared[] {
    const isOwn = this.#cut % this.#shard.of === this.#shard.index;
    switch (item.kind) {
      case 'rebuilt':
        return [item];
      case 'end':
        if (item.commit === undefined) return [item];
        return [{ ...item, commit: this.#carried.joinTo(isOwn ? item.commit : excluded(item.commit, 0, 0)) }];
      case 'batch':
        this.#cut += 1;
        return isOwn ? [{ ...item, commit: this.#carried.joinTo(item.commit) }] : this.#exclude(item);
      default:
        return isOwn ? [item] : [];
    }
  }

  #exclude({ batch, commit }: PreparedBatch): readonly Prepared[] {
    const { ranges, records } = batch;
    const sealed = this.#shard.recordKeys ? [{ keys: keysOf(batch).toString('base64'), ranges }] : undefined;
    this.#carried.add(excluded(commit, 1, records, sealed));
    batch.release?.();
    return [];
  }
}

/** A commit of another shard: it moves the cursors, and none of its rows count. */
function excluded(
  { cursors, dropped: { invalid, skipped, duplicate }, firstNotes }: Commit,
  batches: number,
  records: number,
  sealed?: readonly SealedKeys[],
): Commit {
  const rows = records + invalid + skipped + duplicate;
  return { cursors, dropped: NO_DROPS, notes: {}, firstNotes, excluded: { batches, rows, invalid, skipped, sealed } };
}
