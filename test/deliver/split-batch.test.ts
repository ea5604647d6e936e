import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findPart, SizeLimit, splitBatch } from '../../src/deliver/split-batch.ts';
import { loadDigests } from '../../src/lib/digest.ts';
import type { Batch } from '../../src/model/batch.ts';
import type { Position } from '../../src/model/row.ts';
import { Sealer } from '../../src/prepare/sealer.ts';

const { digestOf } = await loadDigests();

const position = (row: number, source: number): Position => ({
  source,
  row,
  line: row + 1,
  nextLine: row + 2,
  start: row * 10,
  end: row * 10 + 10,
});

/** Batch 12 as the sealer makes it; `sources` says of which input each record is. */
function sealed(records: readonly unknown[], sources: readonly number[] = []): Batch {
  const limits = { envelope: 'signals', records: 1000, bytes: 10_000_000 };
  const sealer = new Sealer(limits, { sealedBefore: 11, digestOf });
  for (const [index, record] of records.entries()) {
    sealer.add(position(index + 1, sources[index] ?? 0), JSON.stringify(record), [], [`cell ${index}`]);
  }
  const batch = sealer.flush()?.batch;
  if (batch === undefined) throw new Error('nothing was sealed');
  return batch;
}

const recordsIn = ({ payload }: Batch): unknown[] => JSON.parse(Buffer.from(payload).toString('utf8')).signals;

function leavesOf(batch: Batch): readonly Batch[] {
  return batch.records === 1 ? [batch] : splitBatch(batch, digestOf).flatMap(leavesOf);
}

describe('splitting', () => {
  test('halves the records in their order, the first part the larger', () => {
    const [one, two] = splitBatch(sealed([1, 'é,"]}', { n: [3] }, 'four', 5]), digestOf);
    expect([one.id, two.id]).toEqual(['12.1', '12.2']);
    expect(recordsIn(one)).toEqual([1, 'é,"]}', { n: [3] }]);
    expect(recordsIn(two)).toEqual(['four', 5]);
    expect([one.records, two.records]).toEqual([3, 2]);
    expect(two.ranges).toEqual([{ source: 0, firstRow: 4, lastRow: 5, firstLine: 5, lastLine: 6, start: 40, end: 60 }]);
    expect(two.rows.map(({ content }) => content)).toEqual([['cell 3'], ['cell 4']]);
  });

  test('keeps the inputs of a batch that reaches over the end of one apart', () => {
    const [one, two] = splitBatch(sealed([1, 2, 3, 4], [0, 1, 1, 2]), digestOf);
    expect(one.ranges.map(({ source }) => source)).toEqual([0, 1]);
    expect(two.ranges.map(({ source }) => source)).toEqual([1, 2]);
  });

  test('cuts the payload that a sealer would make of the same records, down to the last one', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { minLength: 1, maxLength: 40 }), (records) => {
        const leaves = leavesOf(sealed(records));
        expect(leaves).toHaveLength(records.length);
        for (const [index, leaf] of leaves.entries()) {
          const alone = Buffer.from(`{"signals":[${JSON.stringify(records[index])}]}`);
          expect(Buffer.from(leaf.payload).equals(alone)).toBe(true);
          expect(leaf.digest).toBe(digestOf(alone));
          expect(leaf.rows[0]?.position.row).toBe(index + 1);
        }
      }),
    );
  });

  test('makes the same parts of the same batch', () => {
    const digests = () => leavesOf(sealed([1, 2, 3, 4, 5])).map(({ id, digest }) => `${id} ${digest}`);
    expect(digests()).toEqual(digests());
  });

  test('finds a part again by its id', () => {
    const part = (id: string): Batch => findPart(sealed([1, 2, 3, 4, 5]), id, digestOf);
    const ids = ['12', '12.1', '12.1.2', '12.2.1'];
    expect(ids.map(part).map(recordsIn)).toEqual([[1, 2, 3, 4, 5], [1, 2, 3], [3], [4]]);
    expect(() => part('12.3')).toThrow('has no part 12.3');
  });

  test('has nothing to split in one record', () => {
    expect(() => splitBatch(sealed([1]), digestOf)).toThrow('nothing to split');
  });
});

test('a request is too large from the smallest refused one on, unless one as large was accepted', () => {
  const limit = new SizeLimit();
  for (const bytes of [100, 200]) limit.tooLarge(bytes);
  expect([99, 100, 150].map((bytes) => limit.isTooLarge(bytes))).toEqual([false, true, true]);
  for (const bytes of [120, 20]) limit.accepted(bytes);
  expect([100, 120, 121].map((bytes) => limit.isTooLarge(bytes))).toEqual([false, false, true]);
});
