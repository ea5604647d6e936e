/**
 * Decides for each record whether to skip it: an earlier run has sent it (`--skip-delivered`), or it occurs twice in
 * this run (`--dedupe`). Pure. The answers depend only on what was added and on the order of the rows, so that a
 * resumed run, which first adds what its own journal has sealed, cuts the same batches.
 */
import { hashKey, type Key, KeyMap } from '../lib/key-map.ts';
import type { Position } from '../model/row.ts';

/** The earlier run that sent a record. */
export interface SentBy {
  /** `unknown`: the record may or may not have arrived. */
  readonly state: 'delivered' | 'unknown';
  readonly run: string;
}

export type RowPosition = Pick<Position, 'source' | 'line'>;

/** Why a record is not sent. `of`: the first of two equal records. */
export type SkipReason =
  | { readonly kind: 'sent'; readonly by: SentBy }
  | { readonly kind: 'duplicate'; readonly of: RowPosition };

/** Called once for each valid record, in the order of the rows. @param json the encoded record */
export type RecordFilter = (json: string | Uint8Array, position: RowPosition) => SkipReason | undefined;

export class SentRecords {
  readonly #dedupe: boolean;
  readonly #sent = new KeyMap();
  readonly #senders = new Senders();
  readonly #own = new KeyMap();
  readonly #lines = new LineNumbers();

  /** @param options.dedupe whether equal records of this run are duplicates */
  constructor({ dedupe }: { readonly dedupe: boolean }) {
    this.#dedupe = dedupe;
  }

  readonly filter: RecordFilter = (json, position) => {
    const key = hashKey(json);
    const sender = this.#sent.get(key);
    if (sender !== undefined) return { kind: 'sent', by: this.#senders.at(sender) };
    if (!this.#dedupe) return undefined;
    const first = this.#own.get(key);
    if (first !== undefined) return { kind: 'duplicate', of: this.#lines.positionOf(first) };
    this.addSealed(key, position);
    return undefined;
  };

  /** Adds a record that an earlier run has sent. If any run has delivered it, it counts as delivered. */
  addSent(key: Key, by: SentBy): void {
    const before = this.#sent.get(key);
    if (before !== undefined && this.#senders.at(before).state === 'delivered') return;
    this.#sent.set(key, this.#senders.indexOf(by));
  }

  /** Adds a record that an earlier part of this run has sealed. In the order of the rows. */
  addSealed(key: Key, position: RowPosition): void {
    if (this.#dedupe) this.#own.set(key, this.#lines.numberOf(position));
  }

  /** Number of records that earlier runs have sent. */
  get size(): number {
    return this.#sent.size;
  }
}

/** Numbers the runs that have sent records, once for each state. */
class Senders {
  readonly #indexes = new Map<string, number>();
  readonly #all: SentBy[] = [];
  /** The records of a batch are added with the same object. */
  #last: { readonly by: SentBy; readonly index: number } | undefined;

  indexOf(by: SentBy): number {
    if (this.#last?.by !== by) this.#last = { by, index: this.#lookUp(by) };
    return this.#last.index;
  }

  at(index: number): SentBy {
    const by = this.#all[index];
    if (by === undefined) throw new Error(`no run has the index ${index}`);
    return by;
  }

  #lookUp(by: SentBy): number {
    const key = `${by.state} ${by.run}`;
    const known = this.#indexes.get(key);
    if (known !== undefined) return known;
    this.#indexes.set(key, this.#all.length);
    return this.#all.push(by) - 1;
  }
}

/** Highest value of a {@link KeyMap}: later lines share it, and only the position in their message is then wrong. */
const MAX_LINE_NUMBER = 2 ** 32 - 2;

/** Numbers the lines of all inputs consecutively. */
class LineNumbers {
  readonly #bases: { readonly source: number; readonly base: number }[] = [];
  #highest = 0;

  numberOf({ source, line }: RowPosition): number {
    let last = this.#bases.at(-1);
    if (last?.source !== source) {
      last = { source, base: this.#highest };
      this.#bases.push(last);
    }
    this.#highest = Math.max(this.#highest, last.base + line);
    return Math.min(last.base + line, MAX_LINE_NUMBER);
  }

  positionOf(number: number): RowPosition {
    const { source, base } = this.#bases.findLast((one) => one.base < number) ?? { source: 0, base: 0 };
    return { source, line: number - base };
  }
}
