/**
 * Splitting: a batch that the service refused is replaced by two, so that one bad record costs one record. Pure
 * and deterministic: the parts follow from the batch alone, so that a resumed run makes the same ones.
 */

import type { DigestOf } from '../lib/digest.ts';
import { spansOf } from '../lib/row-spans.ts';
import type { Batch, BatchRow, RowRange, Span } from '../model/batch.ts';

/**
 * Extra requests that isolating poison records may cost a run, before anything is delivered: enough to take one
 * batch of 100 apart down to its last record (198). Each delivery adds {@link EARNED_A_DELIVERY}, so that in a run
 * of n deliveries at most 200 + 2n requests are extra, however many records are bad. One bad record among a
 * hundred costs 14. Splitting by size (413) costs no budget: it ends as soon as the parts are small enough.
 */
const EXTRA_REQUESTS = 200;
const EARNED_A_DELIVERY = 2;

/** Requests that one split adds. */
export const PARTS = 2;

/** Whether a batch may still be split to isolate poison records. */
export function maySplit(run: { readonly extraRequests: number; readonly delivered: number }): boolean {
  return run.extraRequests + PARTS <= EXTRA_REQUESTS + EARNED_A_DELIVERY * run.delivered;
}

/**
 * The two halves of a batch, the first one the larger; their payloads are cut from the batch's own.
 * Throws where there is only one record.
 */
export function splitBatch(batch: Batch, digestOf: DigestOf): readonly [Batch, Batch] {
  if (batch.records < 2) throw new Error(`batch ${batch.id} has nothing to split`);
  const middle = Math.ceil(batch.records / 2);
  return [part(batch, digestOf, 1, 0, middle), part(batch, digestOf, 2, middle, batch.records)];
}

function part(batch: Batch, digestOf: DigestOf, number: number, from: number, to: number): Batch {
  const { payload, offsets } = batch;
  const at = (index: number): number => offsets[index] ?? payload.byteLength;
  const begin = at(0);
  const head = payload.subarray(0, begin);
  const records = payload.subarray(at(from), at(to) - 1);
  const tail = payload.subarray(at(batch.records) - 1);
  const cut = Buffer.concat([head, records, tail]);
  const rows = batch.rows.slice(from, to);
  return {
    id: `${batch.id}.${number}`,
    records: to - from,
    payload: cut,
    digest: digestOf(cut),
    ranges: rangesOf(rows),
    offsets: offsets.slice(from, to + 1).map((offset) => offset - at(from) + begin),
    rows,
  };
}

/** One range for the rows of each input that stand together in the batch, with its stretches of one row a line. */
function rangesOf(rows: readonly BatchRow[]): readonly RowRange[] {
  const ranges: RowRange[] = [];
  for (const { position } of rows) {
    const { source, row, line, start, end } = position;
    const last = ranges.at(-1);
    if (last?.source === source) {
      const goesOn = row === last.lastRow + 1 && line === last.lastLine + 1;
      const spans = goesOn ? last.spans && longer(last.spans) : [...spansOf(last), [row, line, 1] as const];
      ranges[ranges.length - 1] = {
        ...last,
        lastRow: row,
        lastLine: line,
        end,
        ...(spans === undefined ? {} : { spans }),
      };
    } else {
      ranges.push({ source, firstRow: row, lastRow: row, firstLine: line, lastLine: line, start, end });
    }
  }
  return ranges;
}

/** The last stretch with one row more. */
function longer(spans: readonly Span[]): readonly Span[] {
  const [row = 0, line = 0, rows = 0] = spans.at(-1) ?? [];
  return [...spans.slice(0, -1), [row, line, rows + 1]];
}
