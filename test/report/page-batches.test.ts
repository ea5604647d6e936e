import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/model/event.ts';
import { type BatchFacts, BatchLog } from '../../src/report/page-batches.ts';
import { failure, timeAt } from '../support/report-facts.ts';
import { follow, range, sealed, settled, started } from '../support/run-states.ts';

function facts(...events: readonly RunEvent[]): BatchFacts {
  const log = new BatchLog();
  [started(['in.csv']), ...events].forEach(follow(log.on));
  return log.facts();
}

const batch = (id: number): RunEvent => sealed(String(id), 100, [range(0, id * 100, id * 100 + 99)]);
const receipt = { batchId: 'b', accepted: 100, deduplicated: 0, rejected: 0 };

describe('the log of batches', () => {
  test('has failures first, then rejected records, then the rest, each in the order of the rows', () => {
    const { failed, partly, whole, more } = facts(
      ...[1, 2, 3, 4, 5].map(batch),
      settled('2', { receipt }),
      settled('1', { receipt }),
      settled('3', { receipt: { ...receipt, rejected: 4 } }),
      settled('5', { outcome: 'refused' }),
      settled('4', { outcome: 'exhausted' }),
    );
    const ids = [failed, partly, whole].map((entries) => entries.map((entry) => entry.batch));
    expect(ids).toStrictEqual([['4', '5'], ['3'], ['1', '2']]);
    expect(more).toBe(0);
  });

  test('a batch that a resume delivers is no failure any more', () => {
    const { failed, whole } = facts(
      batch(1),
      settled('1', { outcome: 'exhausted' }),
      { event: 'batch.reopened', time: timeAt(0), batch: '1', from: 'exhausted', why: 'resume' },
      settled('1', { receipt }),
    );
    expect([failed.length, whole.length]).toStrictEqual([0, 1]);
  });

  test('an exhausted batch that a stop put back is not listed', () => {
    const ended: RunEvent = { event: 'run.ended', time: timeAt(0), state: 'stopped', putBack: ['1'] };
    expect(facts(batch(1), settled('1', { outcome: 'exhausted' }), ended).failed).toStrictEqual([]);
  });

  test('has the first failed attempts of a batch', () => {
    const failures = Array.from({ length: 9 }, (_, n) => failure('1', n * 100));
    const [entry] = facts(batch(1), ...failures, settled('1', { receipt })).whole;
    expect(entry?.failures).toHaveLength(5);
  });

  test('lists 100 delivered batches and 300 in all, and counts the rest', () => {
    const ids = Array.from({ length: 1000 }, (_, n) => n + 1);
    const all = ids.flatMap((id) => [batch(id), settled(String(id), { receipt })]);
    expect(facts(...all)).toMatchObject({ whole: { length: 100 }, more: 900 });
    const bad = ids.flatMap((id) => [batch(id), settled(String(id), { outcome: 'refused' })]);
    expect(facts(...bad)).toMatchObject({ failed: { length: 300 }, more: 700 });
  });
});
