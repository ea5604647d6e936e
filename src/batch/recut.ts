/**
 * Cuts batches again that were sealed before: a resumed run has their row ranges and digests in its journal, and
 * the input still holds their rows. Pure.
 */

import type { DigestOf } from '../lib/digest.ts';
import type { Batch, BatchRow, RowRange } from '../model/batch.ts';
import type { Content, Position } from '../model/row.ts';

/** What the journal knows of a sealed batch. */
export interface SealedBatch {
  readonly id: string;
  readonly digest: string;
  readonly records: number;
  /** In the order of the inputs; one an input. */
  readonly ranges: readonly RowRange[];
}

export interface Recut {
  readonly batch: Batch;
  /** Whether the payload is the one that was sealed. If not, input, mapping or program have changed. */
  readonly matches: boolean;
}

export interface Recutter {
  /** Takes a record in the order of the rows, with its row; records outside of every batch are passed over. */
  add(position: Position, json: string, content?: Content | string): void;
  /** Takes the end of a row, whatever became of it; returns the batch whose last row it was. */
  end(position: Position): Recut | undefined;
}

/** @param batches in the order of their rows */
export function createRecutter(
  envelope: string,
  batches: readonly SealedBatch[],
  digestOf: DigestOf,
): Recutter {
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
      rows.push(content === undefined ? { position } : { position, content });
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

/** Rows of a range that were dropped are not within: some of them are records, which an earlier one equals. */
function isWithin({ source, row }: Position, range: RowRange): boolean {
  if (source !== range.source || row < range.firstRow || row > range.lastRow) return false;
  return range.spans?.some(([first, , rows]) => row >= first && row < first + rows) ?? true;
}
