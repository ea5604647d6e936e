/**
 * Which of the prepared records this run sends: not those of other shards (docs/scale.md, "Shards"), nor those that another run
 * has sent or claimed (claims/). Before a batch is sealed. Pure but for `findSent`.
 */
import type { SentRecords } from '../claims/index.ts';
import type { DigestOf } from '../lib/digest.ts';
import { keysOf, pickKeys } from '../lib/key-map.ts';
import {
  type Batch,
  type Commit,
  type Excluded,
  rowsOf,
  type SealedKeys,
  type SentRows,
  type Shard,
  selectRecords,
} from '../model/batch.ts';
import { addCounts } from '../model/counts.ts';
import type { Prepared, PreparedBatch, PreparedSkipped } from '../model/prepared.ts';
import { addSkipped } from '../prepare/index.ts';

const NO_DROPS = { invalid: 0, skipped: 0, duplicate: 0 };
const NOTHING: Commit = { cursors: [], dropped: NO_DROPS, notes: {} };

class CarriedCommit {
  #carried = NOTHING;

  add(commit: Commit): void {
    this.#carried = joinCommits(this.#carried, commit);
  }

  joinTo(commit: Commit): Commit {
    const joined = joinCommits(this.#carried, commit);
    this.#carried = NOTHING;
    return joined;
  }
}

/** What becomes of the accounting of a batch that is not sealed. */
function joinCommits(one: Commit, next: Commit): Commit {
  const cursors = new Map([...one.cursors, ...next.cursors].map((cursor) => [cursor.source, cursor]));
  return {
    cursors: [...cursors.values()],
    dropped: addCounts(one.dropped, next.dropped),
    notes: addCounts(one.notes, next.notes),
    firstNotes: one.firstNotes === undefined ? next.firstNotes : { ...next.firstNotes, ...one.firstNotes },
    sentBefore: joinSent(one.sentBefore, next.sentBefore),
    excluded: joinExcluded(one.excluded, next.excluded),
  };
}

function joinSent(one: Commit['sentBefore'] = [], next: Commit['sentBefore'] = []): Commit['sentBefore'] {
  const sums = new Map<string, SentRows>();
  for (const sent of [...one, ...next]) {
    const key = `${sent.state} ${sent.run}`;
    sums.set(key, { ...sent, rows: sent.rows + (sums.get(key)?.rows ?? 0) });
  }
  return sums.size === 0 ? undefined : [...sums.values()];
}

function joinExcluded(one: Excluded | undefined, next: Excluded | undefined): Excluded | undefined {
  if (one === undefined || next === undefined) return one ?? next;
  const { sealed, ...counts } = one;
  const { sealed: nextSealed, ...nextCounts } = next;
  return {
    ...addCounts(counts, nextCounts),
    // Not an empty list: it would be in every line of the journal.
    sealed: sealed === undefined ? nextSealed : [...sealed, ...(nextSealed ?? [])],
  };
}

/** Finds the records that must not be sent, by their keys. */
export type FindSent = (keys: Buffer) => Promise<SentRecords>;

interface Reduced {
  /** Undefined if nothing is left. */
  readonly batch: Batch | undefined;
  /** The keys of its records, as base64. */
  readonly keys: string;
  readonly skipped: readonly PreparedSkipped[];
  readonly commit: Commit;
}

/** Takes records out of batches that another run has sent, or is about to send. */
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

export interface ShardJob extends Shard {
  /** Whether the journal holds the keys of the other shards' records, with which a resume compares later ones. */
  readonly recordKeys: boolean;
}

/** Batch k, from 0, belongs to shard k modulo N, with the rows that were dropped while it was filled. */
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
