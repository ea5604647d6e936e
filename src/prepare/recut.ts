/**
 * Rebuilds batches that were sealed before a resume: the journal has their row ranges and digests, the input has their rows.
 * Pure.
 */
import type { DigestOf } from '../lib/digest.ts';
import type { Batch, BatchRow } from '../model/batch.ts';
import type { Position, RowRange } from '../model/position.ts';
import type { PreparedRecut } from '../model/prepared.ts';
import type { Content } from '../model/row.ts';

/** A sealed batch as in the journal. It has one range per input, in the order of the inputs. */
export type SealedBatch = Pick<Batch, 'id' | 'digest' | 'records' | 'ranges'>;

export class Recutter {
  readonly #head: string;
  readonly #batches: readonly SealedBatch[];
  readonly #digestOf: DigestOf;
  #next = 0;
  #records: string[] = [];
  #offsets: number[];
  #rows: BatchRow[] = [];

  /** @param batches in the order of their rows */
  constructor(envelope: string, batches: readonly SealedBatch[], digestOf: DigestOf) {
    this.#head = `{"${envelope}":[`;
    this.#batches = batches;
    this.#digestOf = digestOf;
    this.#offsets = [this.#head.length];
  }

  /** Adds a record with its row, in the order of the rows. Ignores records that are in none of the batches. */
  add(position: Position, json: string, content?: Content | string): void {
    if (this.#batches[this.#next]?.ranges.some((range) => isWithin(position, range)) !== true) return;
    this.#records.push(json);
    this.#offsets.push((this.#offsets.at(-1) ?? 0) + Buffer.byteLength(json) + 1);
    this.#rows.push({ position, content });
  }

  /** Marks the end of a row, also of an invalid one. Returns the batch of which it is the last row. */
  end({ source, row }: Position): PreparedRecut | undefined {
    const sealed = this.#batches[this.#next];
    const last = sealed?.ranges.at(-1);
    if (sealed === undefined || last?.source !== source || last.lastRow !== row) return undefined;
    const payload = Buffer.from(`${this.#head}${this.#records.join(',')}]}`);
    const digest = this.#digestOf(payload);
    const { id, ranges } = sealed;
    const batch = {
      id,
      records: this.#records.length,
      payload,
      digest,
      ranges,
      offsets: this.#offsets,
      rows: this.#rows,
    };
    this.#next += 1;
    this.#records = [];
    this.#offsets = [this.#head.length];
    this.#rows = [];
    return { kind: 'recut', batch, matches: digest === sealed.digest };
  }
}

/** False for dropped rows of the range: a duplicate is a valid record too, but it is not in the batch. */
function isWithin({ source, row }: Position, range: RowRange): boolean {
  if (source !== range.source || row < range.firstRow || row > range.lastRow) return false;
  return range.spans?.some(([first, , rows]) => row >= first && row < first + rows) ?? true;
}
