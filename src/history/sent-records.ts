/**
 * Decides for each record whether to skip it: an earlier run has sent it (`--skip-delivered`), or it occurs twice in
 * this run (`--dedupe`). Pure. The answers depend only on what was added and on the order of the rows, so that a
 * resumed run, which first adds what its own journal has sealed, cuts the same batches.
 */
import { hashKey, KEY_BYTES, type Key, KeyMap } from '../lib/key-map.ts';
import type { Batch } from '../model/batch.ts';
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
  /** Key -> index in `#senders`. */
  readonly #sent = new KeyMap();
  readonly #senders: SentBy[] = [];
  readonly #own = new KeyMap();
  readonly #lines = new LineNumbers();

  /** @param options.dedupe whether equal records of this run are duplicates */
  constructor({ dedupe }: { readonly dedupe: boolean }) {
    this.#dedupe = dedupe;
  }

  readonly filter: RecordFilter = (json, position) => {
    const key = hashKey(json);
    const by = this.#senderOf(key);
    if (by !== undefined) return { kind: 'sent', by };
    if (!this.#dedupe) return undefined;
    const first = this.#own.get(key);
    if (first !== undefined) return { kind: 'duplicate', of: this.#lines.positionOf(first) };
    this.addSealed(key, position);
    return undefined;
  };

  /** Adds records that an earlier run has sent. A record counts as delivered if any run has delivered it. */
  addSent(keys: readonly Key[], by: SentBy): void {
    const index = this.#senders.push(by) - 1;
    for (const key of keys) {
      if (this.#senderOf(key)?.state !== 'delivered') this.#sent.set(key, index);
    }
  }

  /** Adds a record that an earlier part of this run has sealed. In the order of the rows. */
  addSealed(key: Key, position: RowPosition): void {
    if (this.#dedupe) this.#own.set(key, this.#lines.numberOf(position));
  }

  /** Number of records that earlier runs have sent. */
  get size(): number {
    return this.#sent.size;
  }

  #senderOf(key: Key): SentBy | undefined {
    const index = this.#sent.get(key);
    return index === undefined ? undefined : this.#senders[index];
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

/** The keys of the records of a batch, in order, as base64: `keys` of `batch.sealed`. */
export function encodeKeys({ payload, offsets }: Pick<Batch, 'payload' | 'offsets'>): string {
  let keys = '';
  for (let n = 0; n + 1 < offsets.length; n += 1) {
    keys += hashKey(payload.subarray(offsets[n], (offsets[n + 1] ?? 1) - 1));
  }
  return Buffer.from(keys, 'latin1').toString('base64');
}

/** The keys in a text of {@link encodeKeys}. An incomplete last key is ignored. */
export function decodeKeys(base64: string): readonly Key[] {
  const keys = Buffer.from(base64, 'base64').toString('latin1');
  return Array.from({ length: Math.floor(keys.length / KEY_BYTES) }, (_, n) =>
    keys.slice(n * KEY_BYTES, (n + 1) * KEY_BYTES),
  );
}
