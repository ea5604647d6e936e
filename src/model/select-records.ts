/** Makes a batch of some records of another one. Pure. */
import type { Batch, BatchRow } from './batch.ts';
import { rangesOf } from './row-spans.ts';

/** @param isWanted by the index of the record; at least one record is wanted */
export function selectRecords(
  batch: Batch,
  isWanted: (index: number) => boolean,
  digestOf: (payload: Uint8Array) => string,
): Batch {
  const { id, payload, offsets } = batch;
  const at = (index: number): number => offsets[index] ?? payload.byteLength;
  const pieces = [payload.subarray(0, at(0))];
  const selected = { offsets: [at(0)], rows: [] as BatchRow[] };
  for (const [index, row] of batch.rows.entries()) {
    if (!isWanted(index)) continue;
    // With the character after it, a comma or the end of the array.
    const record = payload.subarray(at(index), at(index + 1));
    pieces.push(record);
    selected.offsets.push((selected.offsets.at(-1) ?? 0) + record.byteLength);
    selected.rows.push(row);
  }
  const [records, end] = [Buffer.concat(pieces), payload.subarray(at(batch.records) - 1)];
  const body = Buffer.concat([records.subarray(0, -1), end]);
  const ranges = rangesOf(selected.rows.map(({ position }) => position));
  return { id, records: selected.rows.length, payload: body, digest: digestOf(body), ranges, ...selected };
}
