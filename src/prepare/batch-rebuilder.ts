/** Rebuilds sealed batches for a resume, whose payloads are not stored. */
import type { DigestOf } from '../lib/digest.ts';
import type { Batch } from '../model/batch.ts';
import type { PreparedRebuilt } from '../model/prepared.ts';
import type { Content, Position, RowRange } from '../model/row.ts';
import { Sealer } from './sealer.ts';

/** A sealed batch as in the journal. It has one range per input, in the order of the inputs. */
export type SealedBatch = Pick<Batch, 'id' | 'digest' | 'records' | 'ranges'>;

/** The journal has the row ranges and digests of the batches, and the input has their rows. */
export class BatchRebuilder {
  readonly #sealer: Sealer;
  readonly #batches: readonly SealedBatch[];
  #next = 0;

  constructor(envelope: string, batches: readonly SealedBatch[], digestOf: DigestOf) {
    // The journal says where a batch ends.
    this.#sealer = new Sealer({ envelope, records: Infinity, bytes: Infinity }, { digestOf });
    this.#batches = batches;
  }

  /** Adds a record with its row, in the order of the rows. Ignores records that are in none of the batches. */
  add(position: Position, json: string, content?: Content | string): void {
    const isWanted = this.#batches[this.#next]?.ranges.some((range) => isWithin(position, range));
    if (isWanted === true) this.#sealer.add(position, json, [], content);
  }

  /** Marks the end of a row, also of an invalid one. Returns the batch of which it is the last row. */
  end({ source, row }: Position): PreparedRebuilt | undefined {
    const sealed = this.#batches[this.#next];
    const last = sealed?.ranges.at(-1);
    if (sealed === undefined || last?.source !== source || last.lastRow !== row) return undefined;
    this.#next += 1;
    const { batch } = this.#sealer.seal(sealed.id);
    return { kind: 'rebuilt', batch, matches: batch.digest === sealed.digest };
  }
}

/** False for dropped rows of the range: a duplicate is a valid record too, but it is not in the batch. */
function isWithin({ source, row }: Position, range: RowRange): boolean {
  if (source !== range.source || row < range.firstRow || row > range.lastRow) return false;
  return range.spans?.some(([first, , rows]) => row >= first && row < first + rows) ?? true;
}
