/**
 * Rebuilds batches that were sealed before a resume: the journal has their row ranges and digests, the input has their rows.
 * Pure.
 */
import type { DigestOf } from '../lib/digest.ts';
import type { Batch, BatchRow, RowRange } from '../model/batch.ts';
import type { Content, Position } from '../model/row.ts';

/** A sealed batch as in the journal. */
export interface SealedBatch {
  readonly id: string;
  readonly digest: string;
  readonly records: number;
  /** One per input, in the order of the inputs. */
  readonly ranges: readonly RowRange[];
}

export interface Recut {
  readonly batch: Batch;
  /** Whether the payload has the digest in the journal. If not, the input, the mapping or the program has changed. */
  readonly matches: boolean;
}

export interface Recutter {
  /** Adds a record with its row, in the order of the rows. Ignores records that are in none of the batches. */
  add(position: Position, json: string, content?: Content | string): void;
  /** Marks the end of a row, also of an invalid one. Returns the batch of which it is the last row. */
  end(position: Position): Recut | undefined;
}

/** @param batches in the order of their rows */
export function createRecutter(envelope: string, batches: readonly SealedBatch[], digestOf: DigestOf): Recutter {
  let next = 0;
  const head = `{"${envelope}":[`;
  let records: string[] = [];
  let offsets = [head.length];
  let rows: BatchRow[] = [];

  return {
    add(position, json, content) {
      const batch = batches[next];
      if (batch?.ranges.some((range) => isWithin(position, range)) !== true) return;
      records.push(json);
      offsets.push((offsets.at(-1) ?? 0) + Buffer.byteLength(json) + 1);
      rows.push({ position, content });
    },
    end(position) {
      const sealed = batches[next];
      const last = sealed?.ranges.at(-1);
      if (sealed === undefined || last?.source !== position.source || last.lastRow !== position.row) {
        return undefined;
      }
      const payload = Buffer.from(`${head}${records.join(',')}]}`);
      const digest = digestOf(payload);
      const { id, ranges } = sealed;
      const batch = { id, records: records.length, payload, digest, ranges, offsets, rows };
      next += 1;
      records = [];
      offsets = [head.length];
      rows = [];
      return { batch, matches: digest === sealed.digest };
    },
  };
}

/** False for dropped rows of the range: a duplicate is a valid record too, but it is not in the batch. */
function isWithin({ source, row }: Position, range: RowRange): boolean {
  if (source !== range.source || row < range.firstRow || row > range.lastRow) return false;
  return range.spans?.some(([first, , rows]) => row >= first && row < first + rows) ?? true;
}
