import { describe, expect, test } from 'vitest';
import { applyEvent, cursorsOf, newRunState, noRows, settleLost } from '../../src/journal/apply-event.ts';
import type { BatchSealed, BatchSettled, BatchSplit, RunEvent, RunStarted } from '../../src/model/event.ts';
import { OTHER_NOTES } from '../../src/model/problem.ts';
import type { RunState } from '../../src/model/run-state.ts';
import { balance } from '../../src/report/run-summary.ts';
import { range } from '../support/run-states.ts';

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

function settled(batch: string, outcome: BatchSettled['outcome'], more: Partial<BatchSettled> = {}): BatchSettled {
  return { event: 'batch.settled', time, batch, outcome, attempts: 1, ms: 1, unaccounted: 0, ...more };
}

function fold(...events: readonly RunEvent[]): RunState {
  const runState = newRunState(started);
  for (const event of events) {
    applyEvent(runState, event);
    // A crash can come after any event.
    expect(balance(runState)).toEqual({ rows: true, batches: true });
  }
  return runState;
}

const part = (batch: string, records: number) => ({
  batch,
  digest: '00',
  records,
  bytes: records * 20,
  ranges: [range(0, 2, 1 + records)],
});

const split = (batch: string, parts: BatchSplit['parts']): BatchSplit => ({
  event: 'batch.split',
  time,
  batch,
  attempts: 1,
  status: 422,
  error: 'HTTP 422',
  parts,
});

describe('the runState', () => {
  test('counts the rows that were resent after a lost answer and then delivered, each once', () => {
    const attempt = (batch: string, number: number): RunEvent => ({
      event: 'attempt.started',
      time,
      batch,
      attempt: number,
      bytes: 20,
    });
    const failed = (batch: string, number: number, maybeProcessed: boolean): RunEvent => ({
      event: 'attempt.failed',
      time,
      batch,
      attempt: number,
      error: 'ECONNRESET',
      maybeProcessed,
      next: 'retry',
      ms: 1,
    });
    const twice = [attempt('1', 1), failed('1', 1, true), attempt('1', 2), failed('1', 2, true), attempt('1', 3)];
    const delivered = settled('1', 'delivered');
    expect(fold(sealed('1', 5, 5), ...twice, delivered)).toMatchObject({ resent: 5, retries: 2 });
    expect(fold(sealed('1', 5, 5), ...twice, settled('1', 'unknown'))).toMatchObject({ resent: 0 });
    // The service has not processed the first attempt.
    const refused = [attempt('1', 1), failed('1', 1, false), attempt('1', 2)];
    expect(fold(sealed('1', 5, 5), ...refused, delivered)).toMatchObject({ resent: 0, retries: 1 });
    // Parts of a batch that may have been processed.
    const parts = [
      { ...part('1.1', 2), maybeProcessed: true as const },
      { ...part('1.2', 3), maybeProcessed: true as const },
    ];
    const events = [attempt('1', 1), split('1', parts), attempt('1.1', 1), settled('1.1', 'delivered')];
    expect(fold(sealed('1', 5, 5), ...events)).toMatchObject({ resent: 2 });
  });

  test('counts the rows that each earlier run has sent, and many runs as one', () => {
    const sentBy = (run: string, rows: number) =>
      sealed('1', 0, 0, { sentBefore: [{ run, state: 'delivered', rows }] });
    const few = fold(sentBy('a', 2), sentBy('b', 1), sentBy('a', 3));
    expect(few.sentBefore).toEqual([
      { run: 'a', state: 'delivered', rows: 5 },
      { run: 'b', state: 'delivered', rows: 1 },
    ]);
    const many = fold(...Array.from({ length: 210 }, (_, run) => sentBy(`run-${run}`, 1)), sentBy('run-0', 1));
    expect(many.sentBefore[0]).toEqual({ run: 'run-0', state: 'delivered', rows: 2 });
    expect(many.sentBefore).toHaveLength(201);
    expect(many.sentBefore.at(-1)).toEqual({ run: 'other runs', state: 'delivered', rows: 10 });
  });

  test('moves the rows of a batch from pending to its outcome', () => {
    const receipt = { batchId: 'x', accepted: 7, deduplicated: 2, rejected: 1 };
    const runState = fold(
      sealed('1', 10, 10),
      sealed('2', 5, 15),
      settled('1', 'delivered', { receipt }),
      settled('2', 'unknown'),
    );
    expect(runState.rows).toMatchObject({ read: 15, delivered: 10, unknown: 5, pending: 0 });
    expect(runState.batches).toMatchObject({ sealed: 2, delivered: 1, unknown: 1, pending: 0 });
    expect(runState.service).toEqual({
      accepted: 7,
      deduplicated: 2,
      rejected: 1,
      promoted: 0,
      unaccounted: 0,
    });
    expect([...runState.undelivered.values()]).toMatchObject([{ batch: '2', state: 'unknown' }]);
  });

  test('does not cancel a deficit in one batch with a surplus in another', () => {
    const runState = fold(
      sealed('1', 10, 10),
      sealed('2', 10, 20),
      settled('1', 'delivered', { unaccounted: 3 }),
      settled('2', 'delivered', { unaccounted: -3 }),
    );
    expect(runState.service.unaccounted).toBe(6);
  });

  test('marks an input as ended only when its last rows are accounted for', () => {
    const end = {
      event: 'source.ended',
      time,
      source: 0,
      bytes: 100,
      digest: 'd',
      rows: 10,
      rejects: {},
    } as const;
    const open = fold(sealed('1', 5, 5), end);
    expect(open.sources[0]).toMatchObject({ ended: false, read: 50, size: 100 });
    expect(fold(sealed('1', 100, 100)).sources[0]).toMatchObject({ ended: false, read: 1000, size: 1000 });
    const ended = fold(sealed('1', 5, 5), end, sealed('2', 5, 10));
    expect(ended.sources[0]).toMatchObject({ ended: true, read: 100 });
  });
});

test('the state of a run after each kind of event', () => {
  const at = (second: number): string => `2026-11-20T09:15:${String(second).padStart(2, '0')}.000Z`;
  const invalid: RunEvent = {
    event: 'row.invalid',
    source: 1,
    row: 1,
    line: 2,
    nextLine: 3,
    start: 0,
    end: 9,
    issues: [{ code: 'missing', field: 'x' }],
  };
  const attempt = { event: 'attempt.started', attempt: 1, bytes: 20 } as const;
  const taken = { source: 0, firstRow: 3, lastRow: 5, firstLine: 4, lastLine: 6 };
  const reduced = { event: 'batch.reduced', digest: 'e', bytes: 5, ranges: [], keys: '' } as const;
  const lastRows = {
    cursors: [
      { source: 1, rows: 5, line: 6, byte: 500 },
      { source: 7, rows: 9, line: 9, byte: 9 },
    ],
    dropped: { invalid: 2, skipped: 1, duplicate: 1 },
    notes: { cut: 2 },
    firstNotes: { cut: { source: 1, line: 3 } },
    excluded: { batches: 2, rows: 1, invalid: 1, skipped: 0 },
  };
  const runState = fold(
    invalid,
    sealed('1', 10, 10, { notes: { cut: 1 }, firstNotes: { cut: { source: 0, line: 2 } }, rejects: { 1: 30 } }),
    sealed('2', 4, 14),
    { ...attempt, time: at(1), batch: '1' },
    { event: 'throttle.changed', time: at(2), state: 'limited', concurrency: 3 },
    { event: 'throttle.changed', time: at(3), state: 'paused', ms: 5, why: 'busy' },
    { ...reduced, time: at(3), batch: '1', records: 7, skipped: [{ ...taken, why: 'delivered', by: 'old' }] },
    { ...reduced, time: at(3), batch: '2', records: 0, skipped: [{ ...taken, lastRow: 6, why: 'unknown', by: 'old' }] },
    { ...reduced, time: at(3), batch: '9', records: 0, skipped: [{ ...taken, lastRow: 2, why: 'limit', by: 'old' }] },
    { ...reduced, time: at(3), batch: '9', records: 0, skipped: [{ ...taken, lastRow: 2, why: 'unknown' }] },
    settled('1', 'delivered', { time: at(4), receipt: { batchId: 'b', promoted: 2 } }),
    settled('1', 'delivered', { time: at(4), receipt: { batchId: 'b', promoted: 2 } }),
    { event: 'source.spooled', time: at(4), source: 0, bytes: 2000 },
    { event: 'source.spooled', time: at(4), source: 7, bytes: 480 },
    invalid,
    invalid,
    {
      event: 'source.ended',
      time: at(5),
      source: 1,
      bytes: 500,
      digest: 'x',
      rows: 5,
      rejects: { 1: 60 },
      commit: lastRows,
    },
    invalid,
  );
  expect(cursorsOf(newRunState(started))).toEqual(new Map());
  expect(cursorsOf(runState)).toEqual(
    new Map([
      [0, expect.objectContaining({ rows: 14 })],
      [1, lastRows.cursors[0]],
    ]),
  );
  expect(runState.reasons.invalid).toMatchObject([{ code: 'missing', rows: 3 }]);
  expect({ ...runState, undelivered: [], reasons: [] }).toEqual({
    run: 'r',
    startedAt: time,
    type: 'signals',
    variant: 'a',
    state: 'running',
    rows: { ...noRows(), read: 18, invalid: 2, skipped: 8, duplicate: 1, delivered: 7 },
    batches: { sealed: 2, delivered: 1, refused: 0, exhausted: 0, unknown: 0, pending: 0, split: 1 },
    service: { accepted: 0, deduplicated: 0, rejected: 0, promoted: 2, unaccounted: 0 },
    sources: [
      {
        name: 'a.csv',
        size: 2000,
        read: 140,
        rows: 14,
        ended: false,
        cursor: { source: 0, rows: 14, line: 16, byte: 140 },
      },
      { name: 'b.csv', size: 500, read: 500, rows: 5, ended: true, digest: 'x', cursor: lastRows.cursors[0] },
    ],
    undelivered: [],
    reasons: [],
    batchesCut: 4,
    rejects: { bytes: { 1: 60 }, rows: { 1: 3 }, uncommitted: { 1: 1 } },
    workedMs: 5000,
    lastTime: at(5),
    requests: 1,
    retries: 0,
    resent: 0,
    bytesSent: 20,
    throttle: { concurrency: 3, paused: true, outage: false, since: at(3), ms: 5, why: 'busy' },
    notes: new Map([['cut', 3]]),
    firstNotes: new Map([['cut', { source: 0, line: 2 }]]),
    sentBefore: [
      { state: 'delivered', run: 'old', rows: 3 },
      { state: 'unknown', run: 'old', rows: 4 },
    ],
    excluded: { batches: 2, rows: 1, invalid: 1, skipped: 0 },
  });
  const stop = { code: 'key', message: 'refused' } as const;
  applyEvent(runState, { event: 'run.ended', time: at(7), state: 'stopped', stop, putBack: [], rejects: { 1: 70 } });
  applyEvent(runState, { event: 'run.handed_over', time: at(8), to: 'x.tar.gz' });
  const ended = { endedAt: at(7), workedMs: 7000, rejects: { uncommitted: {}, listed: { 1: 70 } } };
  expect(runState).toMatchObject({ ...ended, state: 'stopped', stop, handedOver: { time: at(8), to: 'x.tar.gz' } });
  expect(runState.rejects.uncommitted).toEqual({});
  applyEvent(runState, invalid);
  applyEvent(runState, { event: 'run.resumed', time: at(9), baseUrl: 'https://other.example' });
  const resumed = { state: 'running', baseUrl: 'https://other.example', workedMs: 7000, lastTime: at(9) };
  expect(runState).toMatchObject({ ...resumed, rejects: { uncommitted: {}, listed: undefined }, stop: undefined });
  expect([runState.handedOver, runState.rejects.uncommitted]).toEqual([undefined, {}]);
  // Killed, and resumed a minute later.
  applyEvent(runState, { event: 'run.resumed', time: at(59), baseUrl: 'https://other.example' });
  applyEvent(runState, sealed('3', 1, 15));
  applyEvent(runState, { ...attempt, time: 'no time', batch: '3' });
  settleLost(runState);
  expect(runState).toMatchObject({ workedMs: 7000, lastTime: 'no time', rows: { unknown: 1, pending: 0 } });
  expect(runState.undelivered.get('3')).toMatchObject({ isLost: true, state: 'unknown', attempts: 1 });
});

test('many notes of a hostile file are counted together', () => {
  const noted = (from: number) => Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`note-${from + n}`, 1]));
  const { notes } = fold(sealed('1', 1, 1, { notes: noted(0) }), sealed('2', 1, 2, { notes: noted(199) }));
  expect([notes.size, notes.get('note-199'), notes.get(OTHER_NOTES)]).toEqual([201, 2, 199]);
});

describe('the runState after a split', () => {
  const full = sealed('1', 4, 4, { ranges: [range(0, 2, 5)] });

  test('does not balance if the parts have fewer rows than the batch', () => {
    const runState = newRunState(started);
    applyEvent(runState, full);
    applyEvent(runState, split('1', [part('1.1', 2), part('1.2', 1)]));
    expect(balance(runState).rows).toBe(false);
  });

  test('an outage lasts until the next delivery, and neither it nor a pause outlives the process', () => {
    const runState = newRunState(started);
    expect(runState.throttle).toEqual({ paused: false, outage: false });
    const paused = { event: 'throttle.changed', time, state: 'paused', ms: 5000, why: 'down' } as const;
    applyEvent(runState, paused);
    expect(runState.throttle.outage).toBe(false);
    applyEvent(runState, { ...paused, giveUpMs: 60_000 });
    applyEvent(runState, { event: 'throttle.changed', time, state: 'open' });
    expect(runState.throttle).toMatchObject({ paused: false, outage: true });
    const settled = { event: 'batch.settled', time, batch: '1', attempts: 1, ms: 1, unaccounted: 0 } as const;
    applyEvent(runState, { ...settled, outcome: 'exhausted' });
    expect(runState.throttle.outage).toBe(true);
    applyEvent(runState, { ...paused, giveUpMs: 60_000 });
    applyEvent(runState, { ...settled, outcome: 'delivered' });
    expect(runState.throttle).toMatchObject({ paused: false, outage: false });
    applyEvent(runState, { ...paused, giveUpMs: 60_000 });
    applyEvent(runState, { event: 'run.resumed', baseUrl: 'https://api.example.com', time });
    expect(runState.throttle).toEqual({ paused: false, outage: false });
  });
});
