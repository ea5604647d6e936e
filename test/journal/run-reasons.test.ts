import { describe, expect, it } from 'vitest';
import { RunReasons } from '../../src/journal/run-reasons.ts';
import { committed, follow, invalid, range, sealed, settled } from '../support/run-states.ts';

const missing = { code: 'missing', field: 'company_name', column: 'Company' } as const;

function listening() {
  const reasons = new RunReasons();
  return { reasons, on: follow((event, _runState, changes) => reasons.on(event, changes)) };
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

  it('merges answers beyond the first ten kinds', () => {
    const { reasons, on } = listening();
    for (let index = 0; index <= 30; index += 1) {
      on(sealed(String(index), 1, [range(0, 2, 2)]));
      on(settled(String(index), { outcome: 'refused', error: `request ${index % 30}` }));
    }
    expect(reasons.answers).toHaveLength(11);
    expect(reasons.answers[1]).toMatchObject({ error: 'request 0', batches: 2 });
    expect(reasons.answers[0]).toMatchObject({
      outcome: 'refused',
      error: 'other answers',
      batches: 20,
      records: 20,
      first: { batch: '10' },
    });
  });
});

it('merges the reasons of shards, with the first rows of each', () => {
  const answer = {
    outcome: 'refused',
    error: 'no',
    batches: 2,
    records: 3,
    first: { batch: '1', range: undefined },
  } as const;
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
    return { on: () => undefined, invalid: reasons.invalid, more: 1, answers: [answer] };
  });
  const merged = RunReasons.merge(shards);
  const examples = [5, 6, 7].map((line) => ({ source: 0, line }));
  expect(merged.invalid).toMatchObject([{ rows: 7, examples }]);
  expect([merged.more, merged.answers]).toEqual([3, [{ ...answer, batches: 6, records: 9 }]]);
});
