import { describe, expect, test } from 'vitest';
import { Canary, type CanaryResult } from '../../src/deliver/deliver-batch.ts';

const delivered = (records: number, rejected?: number): CanaryResult => ({
  outcome: 'delivered',
  records,
  receipt: { batchId: 'b7', ...(rejected === undefined ? {} : { rejected }) },
});

const ended = (outcome: CanaryResult['outcome'], records: number, error = 'HTTP 422: no'): CanaryResult => ({
  outcome,
  records,
  error,
});

/** A canary after these results. */
function judged(...results: readonly CanaryResult[]): Canary {
  const canary = new Canary(true);
  for (const result of results) canary.add(result);
  canary.judge();
  return canary;
}

describe('the canary', () => {
  test.each<[string, readonly CanaryResult[], string]>([
    ['a batch that is delivered', [delivered(100, 0)], 'taken'],
    ['a batch with one record that is not rejected', [delivered(100, 99)], 'taken'],
    ['a receipt without a count of rejected', [delivered(100)], 'taken'],
    ['one part delivered among refused ones', [ended('refused', 1), delivered(1, 0)], 'taken'],
    ['a batch whose records are all rejected', [delivered(100, 100)], 'nothing'],
    ['a batch that is refused whole', [ended('refused', 100)], 'nothing'],
    ['parts that are refused or rejected to the last', [ended('refused', 1), delivered(1, 1)], 'nothing'],
    ['a batch that is unknown', [ended('unknown', 100)], 'undecided'],
    ['a batch that is exhausted', [ended('exhausted', 100)], 'undecided'],
    ['parts of which one is unknown', [ended('refused', 1), ended('unknown', 1)], 'undecided'],
    ['a batch that was not settled', [], 'undecided'],
  ])('%s', (_name, leaves, verdict) => {
    const { stop, isPending } = judged(...leaves);
    expect(isPending ? 'undecided' : stop === undefined ? 'taken' : 'nothing').toBe(verdict);
  });

  test('shows the answer of the service', () => {
    expect(judged(delivered(100, 100)).stop).toEqual({
      code: 'canary',
      message: 'The service rejected all 100 records of the first batch.',
    });
    expect(judged(ended('refused', 1)).stop?.message).toBe(
      'The service rejected the only record of the first batch (HTTP 422: no).',
    );
  });
});
