/** Joins commits: what becomes of the accounting of a batch that is not sealed. Pure. */
import type { Commit, Excluded, SentRows } from '../model/batch.ts';
import { addCounts } from '../model/run-state.ts';

export const NO_DROPS = { invalid: 0, skipped: 0, duplicate: 0 };
export const NOTHING: Commit = { cursors: [], dropped: NO_DROPS, notes: {} };

/** What the next commit accounts for besides its own rows. */
export class CarriedCommit {
  #carried = NOTHING;

  add(commit: Commit): void {
    this.#carried = joinCommits(this.#carried, commit);
  }

  /** A commit together with what was carried, which is then empty. */
  joinTo(commit: Commit): Commit {
    if (this.#carried === NOTHING) return commit;
    const joined = joinCommits(this.#carried, commit);
    this.#carried = NOTHING;
    return joined;
  }
}

export function joinCommits(one: Commit, next: Commit): Commit {
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

/** The rows of each earlier run once. */
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
