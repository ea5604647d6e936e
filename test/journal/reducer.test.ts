import { describe, expect, test } from 'vitest';
import { apply, emptyLedger } from '../../src/journal/reducer.ts';
import type { BatchSealed, BatchSettled, RunEvent, RunStarted } from '../../src/model/event.ts';
import type { Ledger } from '../../src/model/ledger.ts';
import { balance } from '../../src/report/summary.ts';

const time = '2026-11-20T09:15:00.000Z';
const started: RunStarted = {
  event: 'run.started',
  v: 1,
  time,
  run: 'r',
  type: 'signals',
  variant: 'a',
  inputs: [
    { name: 'a.csv', size: 1000 },
    { name: 'b.csv', size: 500 },
  ],
};

const none = { invalid: 0, skipped: 0, duplicate: 0 };

function sealed(batch: string, records: number, rows: number, more: Partial<BatchSealed> = {}): BatchSealed {
  return {
    event: 'batch.sealed',
    batch,
    digest: 'd',
    records,
    bytes: records * 10,
    ranges: [],
    rejects: {},
    cursors: [{ source: 0, rows, line: rows + 2, byte: rows * 10 }],
    dropped: none,
    notes: {},
    ...more,
  };
}

function settled(
  batch: string,
  outcome: BatchSettled['outcome'],
  more: Partial<BatchSettled> = {},
): BatchSettled {
  return { event: 'batch.settled', time, batch, outcome, attempts: 1, ms: 1, unaccounted: 0, ...more };
}

function fold(...events: readonly RunEvent[]): Ledger {
  const ledger = emptyLedger(started);
  for (const event of events) {
    apply(ledger, event);
    // Not only at the end: a crash may come at any time.
    expect(balance(ledger)).toEqual({ rows: true, batches: true });
  }
  return ledger;
}

describe('the books', () => {
  test('count rows when a commit accounts for them, and not before', () => {
    const position = { source: 0, line: 2, nextLine: 3, row: 1, start: 0, end: 10 };
    const before = fold({ event: 'row.invalid', ...position, issues: [] });
    expect(before.rows).toMatchObject({ read: 0, invalid: 0 });
    const behind = fold(sealed('1', 2, 3, { dropped: { ...none, invalid: 1 } }));
    expect(behind.rows).toMatchObject({ read: 3, invalid: 1, pending: 2 });
  });

  test('count the rows that each earlier run has sent, and many runs as one', () => {
    const sentBy = (run: string, rows: number) =>
      sealed('1', 0, 0, { sentBefore: [{ run, state: 'delivered', rows }] });
    const few = fold(sentBy('a', 2), sentBy('b', 1), sentBy('a', 3));
    expect(few.sentBefore).toEqual([
      { run: 'a', state: 'delivered', rows: 5 },
      { run: 'b', state: 'delivered', rows: 1 },
    ]);
    const many = fold(...Array.from({ length: 210 }, (_, run) => sentBy(`run-${run}`, 1)));
    expect(many.sentBefore).toHaveLength(201);
    expect(many.sentBefore.at(-1)).toEqual({ run: 'other runs', state: 'delivered', rows: 10 });
  });

  test('move a batch from pending to what became of it', () => {
    const receipt = { batchId: 'x', accepted: 7, deduplicated: 2, rejected: 1 };
    const ledger = fold(
      sealed('1', 10, 10),
      sealed('2', 5, 15),
      settled('1', 'delivered', { receipt }),
      settled('2', 'unknown'),
    );
    expect(ledger.rows).toMatchObject({ read: 15, delivered: 10, unknown: 5, pending: 0 });
    expect(ledger.batches).toMatchObject({ sealed: 2, delivered: 1, unknown: 1, pending: 0 });
    expect(ledger.service).toEqual({
      accepted: 7,
      deduplicated: 2,
      rejected: 1,
      promoted: 0,
      unaccounted: 0,
    });
    expect(ledger.open.size).toBe(0);
  });

  test('do not let one batch that has too many make up for one that has too few', () => {
    const ledger = fold(
      sealed('1', 10, 10),
      sealed('2', 10, 20),
      settled('1', 'delivered', { unaccounted: 3 }),
      settled('2', 'delivered', { unaccounted: -3 }),
    );
    expect(ledger.service.unaccounted).toBe(6);
  });

  test('count requests, retries and bytes by attempt', () => {
    const attempt = { event: 'attempt.started', time, batch: '1', bytes: 100 } as const;
    const ledger = fold(sealed('1', 10, 10), { ...attempt, attempt: 1 }, { ...attempt, attempt: 2 });
    expect(ledger).toMatchObject({ requests: 2, retries: 1, bytesSent: 200 });
    expect(ledger.open.get('1')).toMatchObject({ attempts: 2 });
  });

  test('take an attempt whose result is missing as one that may have been processed', () => {
    const attempt = { event: 'attempt.started', time, batch: '1', attempt: 1, bytes: 100 } as const;
    const failed = {
      event: 'attempt.failed',
      time,
      batch: '1',
      attempt: 1,
      ms: 1,
      error: 'HTTP 429',
      next: 'wait',
    } as const;
    expect(fold(sealed('1', 10, 10), attempt).open.get('1')?.maybeProcessed).toBe(true);
    const refused = fold(sealed('1', 10, 10), attempt, { ...failed, maybeProcessed: false });
    expect(refused.open.get('1')?.maybeProcessed).toBe(false);
  });

  test('remember that an attempt may have been processed', () => {
    const ledger = fold(sealed('1', 10, 10), {
      event: 'attempt.failed',
      time,
      batch: '1',
      attempt: 1,
      ms: 1,
      error: 'HTTP 500',
      maybeProcessed: true,
      next: 'retry',
    });
    expect(ledger.open.get('1')?.maybeProcessed).toBe(true);
  });

  test('put exhausted batches back to pending where an outage stopped the run', () => {
    const ledger = fold(sealed('1', 10, 10), settled('1', 'exhausted'), {
      event: 'run.ended',
      time,
      state: 'stopped',
      stop: { code: 'outage', message: 'No answer.' },
      putBack: ['1', 'never heard of'],
    });
    expect(ledger.rows).toMatchObject({ exhausted: 0, pending: 10 });
    expect(ledger).toMatchObject({ state: 'stopped', stop: { code: 'outage' } });
  });

  test('do not call an input ended while a batch holds its last rows back', () => {
    const end = {
      event: 'source.ended',
      time,
      source: 0,
      bytes: 100,
      digest: 'd',
      rows: 10,
      rejects: {},
    } as const;
    const held = fold(sealed('1', 5, 5), end);
    expect(held.sources[0]).toMatchObject({ ended: false, read: 50, size: 100 });
    const freed = fold(sealed('1', 5, 5), end, sealed('2', 5, 10));
    expect(freed.sources[0]).toMatchObject({ ended: true, read: 100 });
  });

  test('keep so many kinds of notes apart, and count the rest together', () => {
    const notes = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`open_value:platform=${n}`, 2]));
    const ledger = fold(sealed('1', 1, 1, { notes }));
    expect(ledger.notes.size).toBe(201);
    expect([...ledger.notes.values()].reduce((sum, times) => sum + times, 0)).toBe(1000);
  });
});
