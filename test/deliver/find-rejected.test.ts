import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findRejected, mostRequests } from '../../src/deliver/split-batch.ts';
import type { Receipt } from '../../src/model/outcome.ts';

/** The indexes of the records in a part of a batch: the first half has the odd record. */
function recordsOf(id: string, records: number): readonly [from: number, to: number] {
  return id
    .split('.')
    .slice(1)
    .reduce<readonly [number, number]>(
      ([from, to], half) => {
        const middle = from + Math.ceil((to - from) / 2);
        return half === '1' ? [from, middle] : [middle, to];
      },
      [0, records],
    );
}

/** Sends parts to a service that rejects some records, until nothing is open. */
function search(records: number, bad: ReadonlySet<number>) {
  const answers = new Map<string, Receipt>();
  const batch = { id: '7', records, rejected: bad.size };
  for (;;) {
    const found = findRejected(batch, answers);
    if (found.open.length === 0) return { ...found, requests: answers.size };
    for (const id of found.open) {
      const [from, to] = recordsOf(id, records);
      const rejected = [...bad].filter((index) => index >= from && index < to).length;
      answers.set(id, { batchId: 'x', accepted: 0, deduplicated: to - from - rejected, rejected });
    }
  }
}

describe('findRejected', () => {
  it('names exactly the rejected records, within the announced number of requests', () => {
    fc.assert(
      fc.property(
        fc
          .integer({ min: 1, max: 100 })
          .chain((records) => fc.tuple(fc.constant(records), fc.uniqueArray(fc.integer({ min: 0, max: records - 1 })))),
        ([records, bad]) => {
          const found = search(records, new Set(bad));
          expect(found.named).toEqual(bad.toSorted((one, other) => one - other));
          expect(found.contradictions).toEqual([]);
          expect(found.requests).toBeLessThanOrEqual(mostRequests({ id: '7', records, rejected: bad.length }));
        },
      ),
    );
  });

  it('needs at most eight requests for one record of a hundred, and none if all were rejected', () => {
    for (let index = 0; index < 100; index += 1) {
      expect(search(100, new Set([index])).requests).toBeLessThanOrEqual(8);
    }
    expect(search(3, new Set([0, 1, 2]))).toMatchObject({ requests: 0, named: [0, 1, 2] });
  });
});
