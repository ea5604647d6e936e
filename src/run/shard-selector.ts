/**
 * Selects what one shard of a divided run sends (docs/scale.md, "Shards"). Batch k, from 0, belongs to shard k modulo N, with
 * the rows that were dropped while it was filled, so every row belongs to exactly one shard.
 *
 * Each shard prepares the whole input, and nothing that differs between shards may change how it is cut. So records that
 * earlier runs have sent, which each machine knows for itself, are taken out of a batch after it was cut.
 */
import { encodeKeys, type RecordFilter, type SentBy } from '../history/sent-records.ts';
import type { DigestOf } from '../lib/digest.ts';
import {
  type Commit,
  type Passed,
  rowsOf,
  type SealedKeys,
  type SentRows,
  type Shard,
  selectRecords,
} from '../model/batch.ts';
import type { Prepared, PreparedBatch } from '../model/prepared.ts';
import { addCounts } from '../model/run-state.ts';
import { addSkipped } from '../prepare/index.ts';

export interface ShardJob extends Shard {
  /** Finds records that earlier runs have sent. Absent without `--skip-delivered`. */
  readonly sent?: RecordFilter | undefined;
  /** Whether the journal holds the keys of the other shards' records, with which a resume compares later ones. */
  readonly recordKeys: boolean;
}

export class ShardSelector {
  readonly #shard: ShardJob;
  readonly #digestOf: DigestOf;
  #cut: number;
  /** What the next commit accounts for besides its own rows. */
  #before = NOTHING;

  /** @param cut number of batches that were cut before a resume */
  constructor(shard: ShardJob, cut: number, digestOf: DigestOf) {
    this.#shard = shard;
    this.#cut = cut;
    this.#digestOf = digestOf;
  }

  /** What this shard records of an item. Takes all items of the run in order. */
  select(item: Prepared): readonly Prepared[] {
    const isOwn = this.#cut % this.#shard.of === this.#shard.index;
    switch (item.kind) {
      case 'recut':
        return [item];
      case 'end':
        return [item.commit === undefined ? item : { ...item, commit: this.#join(item.commit, isOwn) }];
      case 'batch':
        this.#cut += 1;
        return isOwn ? this.#takeOwn(item) : this.#pass(item);
      default:
        return isOwn ? [item] : [];
    }
  }

  #pass({ batch, commit }: PreparedBatch): readonly Prepared[] {
    const { ranges, records } = batch;
    const sealed = this.#shard.recordKeys ? [{ keys: encodeKeys(batch), ranges }] : undefined;
    this.#before = joinCommits(this.#before, passed(commit, 1, records, sealed));
    batch.release?.();
    return [];
  }

  #takeOwn(item: PreparedBatch): readonly Prepared[] {
    const { batch, commit } = item;
    const sentBy = this.#findSent(item);
    if (sentBy.size === 0) return [{ ...item, commit: this.#join(commit, true) }];
    const out: Prepared[] = [];
    const sentBefore: { run: string; state: SentBy['state']; rows: number }[] = [];
    for (const [index, position] of batch.ranges.flatMap(rowsOf).entries()) {
      const by = sentBy.get(index);
      if (by === undefined) continue;
      addSkipped(out, position, by.state, by.run);
      sentBefore.push({ ...by, rows: 1 });
    }
    const skipped = { cursors: [], dropped: { ...NO_DROPS, skipped: sentBy.size }, notes: {}, sentBefore };
    const own = joinCommits(skipped, commit);
    if (sentBy.size === batch.records) {
      const passed = { batches: 1, rows: 0, invalid: 0, skipped: 0 };
      this.#before = joinCommits(this.#before, { ...own, passed });
    } else {
      const rest = selectRecords(batch, (index) => !sentBy.has(index), this.#digestOf);
      out.push({ kind: 'batch', batch: rest, commit: this.#join(own, true) });
    }
    batch.release?.();
    return out;
  }

  /** The records that earlier runs have sent, by index. */
  #findSent({ batch: { payload, offsets, records, ranges } }: PreparedBatch): ReadonlyMap<number, SentBy> {
    const found = new Map<number, SentBy>();
    const { sent } = this.#shard;
    if (sent === undefined) return found;
    const positions = ranges.flatMap(rowsOf);
    for (let index = 0; index < records; index += 1) {
      const json = payload.subarray(offsets[index], (offsets[index + 1] ?? 1) - 1);
      const reason = sent(json, positions[index] ?? { source: 0, line: 0 });
      if (reason?.kind === 'sent') found.set(index, reason.by);
    }
    return found;
  }

  #join(commit: Commit, isOwn: boolean): Commit {
    const joined = joinCommits(this.#before, isOwn ? commit : passed(commit, 0, 0));
    this.#before = NOTHING;
    return joined;
  }
}

/** A commit of another shard: it moves the cursors, and none of its rows count. */
function passed(
  { cursors, dropped: { invalid, skipped, duplicate }, firstNotes }: Commit,
  batches: number,
  records: number,
  sealed?: readonly SealedKeys[],
): Commit {
  const rows = records + invalid + skipped + duplicate;
  return { cursors, dropped: NO_DROPS, notes: {}, firstNotes, passed: { batches, rows, invalid, skipped, sealed } };
}

const NO_DROPS = { invalid: 0, skipped: 0, duplicate: 0 };
const NOTHING: Commit = { cursors: [], dropped: NO_DROPS, notes: {} };

function joinCommits(one: Commit, next: Commit): Commit {
  const cursors = new Map([...one.cursors, ...next.cursors].map((cursor) => [cursor.source, cursor]));
  return {
    cursors: [...cursors.values()],
    dropped: addCounts(one.dropped, next.dropped),
    notes: addCounts(one.notes, next.notes),
    firstNotes: one.firstNotes === undefined ? next.firstNotes : { ...next.firstNotes, ...one.firstNotes },
    sentBefore: joinSent(one.sentBefore, next.sentBefore),
    passed: joinPassed(one.passed, next.passed),
  };
}

/** The rows of each earlier run once. */
function joinSent(one: Commit['sentBefore'] = [], next: Commit['sentBefore'] = []): Commit['sentBefore'] {
  const sums = new Map<string, SentRows>();
  for (const sent of [...one, ...next]) {
    const key = `${sent.state} ${sent.run}`;
    sums.set(key, { ...sent, rows: sent.rows + (sums.get(key)?.rows ?? 0) });
  }
  return sums.size === 0 ? undefined : [...sums.values()];
}

function joinPassed(one: Passed | undefined, next: Passed | undefined): Passed | undefined {
  if (one === undefined || next === undefined) return one ?? next;
  const { sealed, ...counts } = one;
  const { sealed: nextSealed, ...nextCounts } = next;
  return {
    ...addCounts(counts, nextCounts),
    // Not an empty list: it would be in every line of the journal.
    sealed: sealed === undefined ? nextSealed : [...sealed, ...(nextSealed ?? [])],
  };
}
