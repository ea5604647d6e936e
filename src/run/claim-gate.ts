/**
 * Takes records out of batches that another run has sent, or is about to send (claims/). Between the cutting of a batch and its
 * first line in the journal, so that no sealed batch has such records.
 */
import type { SentRecords } from '../claims/index.ts';
import { keysOf, pickKeys } from '../claims/record-keys.ts';
import type { DigestOf } from '../lib/digest.ts';
import type { Batch, Commit } from '../model/batch.ts';
import { rowsOf, selectRecords } from '../model/batch.ts';
import type { Prepared, PreparedSkipped } from '../model/prepared.ts';
import { addSkipped } from '../prepare/index.ts';
import { CarriedCommit, joinCommits, NO_DROPS, NOTHING } from './commits.ts';

/** Finds the records that must not be sent, by their keys. */
export type FindSent = (keys: Buffer) => Promise<SentRecords>;

/** What is left of a batch. */
interface Reduced {
  /** Undefined if nothing is left. */
  readonly batch: Batch | undefined;
  /** The keys of its records, as base64. */
  readonly keys: string;
  readonly skipped: readonly PreparedSkipped[];
  /** Accounts for them. */
  readonly commit: Commit;
}

export class ClaimGate {
  readonly #findSent: FindSent | undefined;
  readonly #digestOf: DigestOf;
  readonly #carried = new CarriedCommit();

  /** @param findSent absent if batches are only given their keys */
  constructor(findSent: FindSent | undefined, digestOf: DigestOf) {
    this.#findSent = findSent;
    this.#digestOf = digestOf;
  }

  /** What the run records of an item. Takes all items of the run in order. */
  async select(item: Prepared): Promise<readonly Prepared[]> {
    if (item.kind === 'end')
      return [item.commit === undefined ? item : { ...item, commit: this.#carried.joinTo(item.commit) }];
    if (item.kind !== 'batch') return [item];
    const { batch, keys, skipped, commit: taken } = await this.reduce(item.batch);
    if (skipped.length === 0) return [{ ...item, keys, commit: this.#carried.joinTo(item.commit) }];
    const commit = joinCommits(taken, item.commit);
    item.batch.release?.();
    if (batch !== undefined) return [...skipped, { kind: 'batch', batch, keys, commit: this.#carried.joinTo(commit) }];
    // Its number stays unused.
    const excluded = { batches: 1, rows: 0, invalid: 0, skipped: 0 };
    this.#carried.add(joinCommits({ ...NOTHING, excluded }, commit));
    return skipped;
  }

  /** Takes records out of a batch. The batch itself stays valid. */
  async reduce(batch: Batch): Promise<Reduced> {
    const keys = keysOf(batch);
    const sent = await this.#findSent?.(keys);
    if (sent === undefined || sent.size === 0) {
      return { batch, keys: keys.toString('base64'), skipped: [], commit: NOTHING };
    }
    const skipped: PreparedSkipped[] = [];
    const left: number[] = [];
    for (const [index, position] of batch.ranges.flatMap(rowsOf).entries()) {
      const by = sent.get(index);
      if (by === undefined) {
        left.push(index);
        continue;
      }
      addSkipped(skipped, position, by.state, by.run);
    }
    const dropped = { ...NO_DROPS, skipped: sent.size };
    const commit = joinCommits(NOTHING, {
      ...NOTHING,
      dropped,
      sentBefore: Array.from(sent.values(), (by) => ({ ...by, rows: 1 })),
    });
    const rest = left.length === 0 ? undefined : selectRecords(batch, (index) => !sent.has(index), this.#digestOf);
    return { batch: rest, keys: pickKeys(keys, left).toString('base64'), skipped, commit };
  }
}
