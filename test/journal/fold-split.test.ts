import { describe, expect, test } from 'vitest';
import { apply, emptyLedger } from '../../src/journal/reducer.ts';
import type { BatchSplit } from '../../src/model/event.ts';
import { balance } from '../../src/report/summary.ts';
import { range, sealed, settled, started } from '../support/ledgers.ts';

const part = (batch: string, records: number) => ({
  batch,
  digest: '00',
  records,
  bytes: records * 20,
  ranges: [range(0, 2, 1 + records)],
});

const split = (batch: string, parts: BatchSplit['parts']): BatchSplit => ({
  event: 'batch.split',
  time: '2026-11-20T09:15:03Z',
  batch,
  attempts: 1,
  status: 422,
  error: 'HTTP 422',
  parts,
});

describe('the books of a split batch', () => {
  test('balance before the split, behind it, and when its parts are settled; rows count at the leaves alone', () => {
    const ledger = emptyLedger(started(['in.csv']));
    const events = [
      { ...sealed('1', 4, [range(0, 2, 5)]), cursors: [{ source: 0, rows: 4, line: 6, byte: 80 }] },
      split('1', [part('1.1', 2), part('1.2', 2)]),
      settled('1.1', { receipt: { batchId: 'b', accepted: 2, deduplicated: 0, rejected: 0 } }),
      split('1.2', [part('1.2.1', 1), part('1.2.2', 1)]),
      settled('1.2.1', { outcome: 'refused' }),
      settled('1.2.2', { outcome: 'unknown' }),
    ] as const;
    for (const event of events) {
      apply(ledger, event);
      expect(balance(ledger)).toEqual({ rows: true, batches: true });
    }
    expect(ledger.rows).toMatchObject({ read: 4, delivered: 2, refused: 1, unknown: 1, pending: 0 });
    expect(ledger.batches).toMatchObject({
      sealed: 5,
      split: 2,
      delivered: 1,
      refused: 1,
      unknown: 1,
      pending: 0,
    });
    expect(ledger.open.size).toBe(0);
  });

  test('do not balance where the parts hold fewer rows than the batch', () => {
    const ledger = emptyLedger(started(['in.csv']));
    apply(ledger, { ...sealed('1', 4, []), cursors: [{ source: 0, rows: 4, line: 6, byte: 80 }] });
    apply(ledger, split('1', [part('1.1', 2), part('1.2', 1)]));
    expect(balance(ledger).rows).toBe(false);
  });
});

test('a pace that changes leaves a pause as it is', () => {
  const ledger = emptyLedger(started(['in.csv']));
  const time = '2026-11-20T09:15:03Z';
  apply(ledger, { event: 'throttle.changed', time, state: 'paused', ms: 5000, why: 'busy' });
  apply(ledger, { event: 'throttle.changed', time, state: 'paced', concurrency: 4 });
  expect(ledger.throttle).toMatchObject({ paused: true, concurrency: 4 });
  apply(ledger, { event: 'throttle.changed', time, state: 'open' });
  expect(ledger.throttle).toMatchObject({ paused: false, concurrency: 4 });
  apply(ledger, { event: 'throttle.changed', time, state: 'paced' });
  expect(ledger.throttle.concurrency).toBeUndefined();
});
