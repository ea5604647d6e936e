/**
 * Splits a batch that the service refused into two, so that one bad record costs one record. Pure and deterministic:
 * a resumed run makes the same parts.
 */

import type { DigestOf } from '../lib/digest.ts';
import { spansOf } from '../lib/row-spans.ts';
import type { Batch, BatchRow, RowRange, Span } from '../model/batch.ts';

/**
 * Extra requests for isolating refused records: a run of n deliveries makes at most 200 + 2n. That is enough to split
 * one batch of 100 down to its last record (198) before anything is delivered; one bad record in a hundred costs 14.
 * Splitting by size (413) is not counted: it ends as soon as the parts are small enough.
 */
const EXTRA_REQUESTS = 200;
const EXTRA_REQUESTS_PER_DELIVERY = 2;

/** Requests that one split adds. */
export const PARTS = 2;

/** Whether a batch may still be split to isolate refused records. */
export function maySplit(run: { readonly extraRequests: number; readonly delivered: number }): boolean {
  return run.extraRequests + PARTS <= EXTRA_REQUESTS + EXTRA_REQUESTS_PER_DELIVERY * run.delivered;
}

/**
 * The two halves of a batch; an odd record belongs to the first. Their payloads are cut from the batch's own.
 * Throws an Error for a batch of one record.
 */
export function splitBatch(batch: Batch, digestOf: DigestOf): readonly [Batch, Batch] {
  if (batch.records < 2) throw new Error(`batch ${batch.id} has nothing to split`);
  const middle = Math.ceil(batch.records / 2);
  return [part(batch, digestOf, 1, 0, middle), part(batch, digestOf, 2, middle, batch.records)];
}

/** The batch itself, or the part of it that has this id. */
export function findPart(batch: Batch, id: string, digestOf: DigestOf): Batch {
  if (batch.id === id) return batch;
  const part = splitBatch(batch, digestOf).find((one) => one.id === id || isPartOf(id, one.id));
  if (part === undefined) throw new Error(`batch ${batch.id} has no part ${id}`);
  return findPart(part, id, digestOf);
}

/** Whether a batch came from splitting another one, directly or in several steps. */
export function isPartOf(id: string, whole: string): boolean {
  return id.startsWith(`${whole}.`);
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

/** One range for consecutive rows of the same input. */
function rangesOf(rows: readonly BatchRow[]): readonly RowRange[] {
  const ranges: RowRange[] = [];
  for (const { position } of rows) {
    const { source, row, line, start, end } = position;
    const last = ranges.at(-1);
    if (last?.source === source) {
      const isConsecutive = row === last.lastRow + 1 && line === last.lastLine + 1;
      const spans = isConsecutive ? last.spans && extended(last.spans) : [...spansOf(last), [row, line, 1] as const];
      ranges[ranges.length - 1] = { ...last, lastRow: row, lastLine: line, end, spans };
    } else {
      ranges.push({ source, firstRow: row, lastRow: row, firstLine: line, lastLine: line, start, end });
    }
  }
  return ranges;
}

/** The spans with one more row in the last. */
function extended(spans: readonly Span[]): readonly Span[] {
  const [row = 0, line = 0, rows = 0] = spans.at(-1) ?? [];
  return [...spans.slice(0, -1), [row, line, rows + 1]];
}
