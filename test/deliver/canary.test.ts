import { describe, expect, test } from 'vitest';
import { canaryStop, judgeCanary, type Leaf } from '../../src/deliver/canary.ts';

const delivered = (records: number, rejected?: number): Leaf => ({
  outcome: 'delivered',
  records,
  receipt: { batchId: 'b7', ...(rejected === undefined ? {} : { rejected }) },
});
const ended = (outcome: Leaf['outcome'], records: number, error = 'HTTP 422: no'): Leaf => ({
  outcome,
  records,
  error,
});

describe('the canary', () => {
  test.each<[string, readonly Leaf[], string]>([
    ['a batch that is delivered', [delivered(100, 0)], 'taken'],
    ['a batch with one record that is not rejected', [delivered(100, 99)], 'taken'],
    ['a receipt without a count of rejected', [delivered(100)], 'taken'],
    ['one part delivered among refused ones', [ended('refused', 1), delivered(1, 0)], 'taken'],
    ['a batch whose records are all rejected', [delivered(100, 100)], 'nothing'],
    ['a batch that is refused whole', [ended('refused', 100)], 'nothing'],
    ['parts that are refused or rejected to the last', [ended('refused', 1), delivered(1, 1)], 'nothing'],
    ['a batch that is unknown', [ended('unknown', 100)], 'untold'],
    ['a batch that is exhausted', [ended('exhausted', 100)], 'untold'],
    ['parts of which one is unknown', [ended('refused', 1), ended('unknown', 1)], 'untold'],
    ['a batch that was not settled', [], 'untold'],
  ])('%s', (_name, leaves, verdict) => {
    expect(judgeCanary(leaves)).toBe(verdict);
  });

  test('shows the answer of the service', () => {
    expect(canaryStop([delivered(100, 100)])).toEqual({
      code: 'canary',
      message:
        'The service took none of the 100 records of the first batch (its receipt b7 counts 100 rejected), so no more were sent.',
    });
    expect(canaryStop([ended('refused', 1)]).message).toBe(
      'The service did not take the only record of the first batch (its last answer was HTTP 422: no), so no more were sent.',
    );
  });
});
