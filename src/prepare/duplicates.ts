/**
 * Finds records that occur twice in a run (`--dedupe`). Pure. The answers depend only on the order of the rows, so that a resumed
 * run, which first adds what its own journal has sealed, cuts the same batches.
 */
import { decodeKeys, hashKey, type Key, KeyMap } from '../lib/key-map.ts';
import { rowsOf } from '../model/batch.ts';
import type { BatchSealed } from '../model/event.ts';
import type { RowPlace } from '../model/row.ts';

/**
 * Called once for each valid record, in the order of the rows. Returns the first of two equal records, for the second.
 *
 * @param json the encoded record
 */
export type FindDuplicate = (json: string | Uint8Array, position: RowPlace) => RowPlace | undefined;

export class Duplicates {
  readonly #own = new KeyMap();
  readonly #lines = new LineNumbers();

  readonly find: FindDuplicate = (json, position) => {
    const key = hashKey(json);
    const first = this.#own.get(key);
    if (first !== undefined) return this.#lines.positionOf(first);
    this.addSealed(key, position);
    return undefined;
  };

  /** Adds a record that an earlier part of this run has sealed. In the order of the rows. */
  addSealed(key: Key, position: RowPlace): void {
    this.#own.set(key, this.#lines.numberOf(position));
  }

  /** Adds the records of a batch. @param batch `keys`: of its records, as base64 */
  addBatch({ keys = '', ranges }: Pick<BatchSealed, 'keys' | 'ranges'>): void {
    const positions = ranges.flatMap(rowsOf);
    for (const [n, key] of decodeKeys(keys).entries()) {
      const position = positions[n];
      if (position !== undefined) this.addSealed(key, position);
    }
  }
}

/** Highest value of a {@link KeyMap}: later lines share it, and only the position in their message is then wrong. */
const MAX_LINE_NUMBER = 2 ** 32 - 2;

/** Numbers the lines of all inputs consecutively. */
class LineNumbers {
  readonly #bases: { readonly source: number; readonly base: number }[] = [];
  #highest = 0;

  numberOf({ source, line }: RowPlace): number {
    let last = this.#bases.at(-1);
    if (last?.source !== source) {
      last = { source, base: this.#highest };
      this.#bases.push(last);
    }
    this.#highest = Math.max(this.#highest, last.base + line);
    return Math.min(last.base + line, MAX_LINE_NUMBER);
  }

  positionOf(number: number): RowPlace {
    const { source, base } = this.#bases.findLast((one) => one.base < number) ?? { source: 0, base: 0 };
    return { source, line: number - base };
  }
}
