/**
 * Says of each record whether it was seen before: delivered by an earlier run (`--skip-delivered`), or in the same run
 * (`--dedupe`). Pure; the prepare half asks it once for each record, in the order of the rows, and a record that it
 * does not know it knows from then on.
 *
 * What it answers follows from what it was told and from the rows, so that a run that goes on cuts the same batches:
 * it is told what the run's own journal says of the rows in front.
 */
import type { Position } from '../model/row.ts';
import { createKeyTable, type KeyTable } from './key-table.ts';
import { keyOf, type RecordKey } from './record-key.ts';

/** What an earlier run made of a record. */
export interface Earlier {
  /** `unknown`: sent, and nobody knows whether it arrived. */
  readonly state: 'delivered' | 'unknown';
  readonly run: string;
}

/** Where the first one of two equal records stands. */
export type Place = Pick<Position, 'source' | 'line'>;

export type Seen =
  | { readonly kind: 'earlier'; readonly earlier: Earlier }
  | { readonly kind: 'duplicate'; readonly of: Place };

/** Asked of each record that would be sent. @param json the record as it goes on the wire */
export type SeenFilter = (json: string | Uint8Array, position: Place) => Seen | undefined;

export interface SeenStore {
  readonly filter: SeenFilter;
  /** Tells of a record that an earlier run has sent. What was delivered by any stays so. */
  addEarlier(key: RecordKey, earlier: Earlier): void;
  /** Tells of a record that an earlier part of this run has sealed. In the order of the rows. */
  addSealed(key: RecordKey, place: Place): void;
  /** Records of earlier runs that are known. */
  size(): number;
}

/** @param dedupe whether equal records of the same run are told */
export function createSeen({ dedupe }: { readonly dedupe: boolean }): SeenStore {
  const sent: KeyTable = createKeyTable();
  const runs = createRuns();
  const own: KeyTable = createKeyTable();
  const lines = createLines();

  const addSealed = (key: RecordKey, place: Place): void => {
    if (dedupe) own.set(key, lines.number(place));
  };

  return {
    filter(json, position) {
      const key = keyOf(json);
      const number = sent.get(key);
      if (number !== undefined) return { kind: 'earlier', earlier: runs.of(number) };
      if (!dedupe) return undefined;
      const first = own.get(key);
      if (first !== undefined) return { kind: 'duplicate', of: lines.place(first) };
      addSealed(key, position);
      return undefined;
    },
    addEarlier(key, earlier) {
      const before = sent.get(key);
      if (before !== undefined && runs.of(before).state === 'delivered') return;
      sent.set(key, runs.number(earlier));
    },
    addSealed,
    size: () => sent.size(),
  };
}

/** Runs as numbers, each with what became of the record. */
function createRuns(): { number(earlier: Earlier): number; of(number: number): Earlier } {
  const numbers = new Map<string, number>();
  const all: Earlier[] = [];
  // Records come by the hundred with one and the same object.
  let last: { readonly earlier: Earlier; readonly number: number } | undefined;
  const numberOf = (earlier: Earlier): number => {
    const key = `${earlier.state} ${earlier.run}`;
    const before = numbers.get(key);
    if (before !== undefined) return before;
    numbers.set(key, all.length);
    return all.push(earlier) - 1;
  };
  return {
    number(earlier) {
      if (last?.earlier !== earlier) last = { earlier, number: numberOf(earlier) };
      return last.number;
    },
    of(number) {
      const earlier = all[number];
      if (earlier === undefined) throw new Error(`no earlier run has the number ${number}`);
      return earlier;
    },
  };
}

/** A line of any input as one number: the lines of an input are counted behind those of the inputs in front of it. */
function createLines(): { number(place: Place): number; place(number: number): Place } {
  const bases: { readonly source: number; readonly base: number }[] = [];
  let highest = 0;
  return {
    number({ source, line }) {
      let last = bases.at(-1);
      if (last?.source !== source) {
        last = { source, base: highest };
        bases.push(last);
      }
      highest = Math.max(highest, last.base + line);
      // Four thousand million lines and more share a number: of these alone the place would be wrong.
      return Math.min(last.base + line, 2 ** 32 - 2);
    },
    place(number) {
      const { source, base } = bases.findLast((one) => one.base < number) ?? { source: 0, base: 0 };
      return { source, line: number - base };
    },
  };
}
