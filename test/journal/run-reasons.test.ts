import { describe, expect, it } from 'vitest';
import { RunReasons } from '../../src/journal/run-reasons.ts';
import { committed, follow, invalid } from '../support/run-states.ts';

const missing = { code: 'missing', field: 'company_name', column: 'Company' } as const;

function listening() {
  const reasons = new RunReasons();
  return { reasons, on: follow((event) => reasons.on(event)) };
}

describe('reasons', () => {
  it('limits the number of groups and counts the rest', () => {
    const { reasons, on } = listening();
    for (let index = 0; index < 60; index += 1) {
      on(invalid(index + 2, [{ code: 'type', field: `field_${index}` }]));
    }
    for (let commits = 0; commits < 2; commits += 1) on(committed);
    expect(reasons.invalid).toHaveLength(50);
    expect(reasons.more).toBe(10);
  });
});

it('merges the reasons of shards, with the first rows of each', () => {
  const shards = [
    [
      [0, 5],
      [0, 9],
      [1, 1],
    ],
    [
      [1, 3],
      [1, 2],
    ],
    [
      [0, 7],
      [0, 6],
    ],
  ].map((rows) => {
    const reasons = new RunReasons();
    for (const [source = 0, line = 0] of rows) reasons.add({ source, line }, [missing]);
    return { on: () => undefined, invalid: reasons.invalid, more: 1 };
  });
  const merged = RunReasons.merge(shards);
  const examples = [5, 6, 7].map((line) => ({ source: 0, line }));
  expect(merged.invalid).toMatchObject([{ rows: 7, examples }]);
  expect(merged.more).toBe(3);
});
