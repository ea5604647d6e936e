/** What earlier runs have sent of the rows of this one, as its books have noted it (seen/ passes such rows over). */

/** Skipped rows whose records earlier runs have sent. */
export interface SentBefore {
  readonly delivered: number;
  /** Nobody knows whether these arrived. */
  readonly unknown: number;
  /** Rows by the run that has sent them, both kinds together. */
  readonly runs: Readonly<Record<string, number>>;
}

/** From the notes of the books: `delivered_before:RUN` and `unknown_before:RUN`. */
export function sentBefore(notes: ReadonlyMap<string, number>): { readonly sentBefore?: SentBefore } {
  const states = { delivered: 0, unknown: 0 };
  const runs: Record<string, number> = {};
  for (const [note, rows] of notes) {
    const [, state, run] = /^(delivered|unknown)_before:(.*)$/s.exec(note) ?? [];
    if (run === undefined) continue;
    states[state === 'unknown' ? 'unknown' : 'delivered'] += rows;
    runs[run] = (runs[run] ?? 0) + rows;
  }
  return states.delivered + states.unknown === 0 ? {} : { sentBefore: { ...states, runs } };
}
