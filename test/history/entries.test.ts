import { expect, test } from 'vitest';
import { createClaims } from '../../src/history/entries.ts';
import type { BatchSettled, RunEvent, SealedPart } from '../../src/model/event.ts';

const time = '2026-11-20T09:00:00.000Z';
const at = Date.parse(time);
const KEYS = ['AAAAAAAAAAAAAAAA', 'BBBBBBBBBBBBBBBB', 'CCCCCCCCCCCCCCCC'];

const sealed = (batch: string, keys: readonly string[]): RunEvent => ({
  event: 'batch.sealed',
  batch,
  digest: 'd',
  records: keys.length,
  bytes: 1,
  ranges: [],
  rejects: {},
  keys: keys.join(''),
  cursors: [],
  dropped: { invalid: 0, skipped: 0, duplicate: 0 },
  notes: {},
});

const started = (batch: string): RunEvent => ({
  event: 'attempt.started',
  time,
  batch,
  attempt: 1,
  bytes: 1,
});

const settled = (batch: string, more: Partial<BatchSettled>): RunEvent => ({
  event: 'batch.settled',
  time,
  batch,
  outcome: 'delivered',
  attempts: 1,
  ms: 1,
  unaccounted: 0,
  ...more,
});

function claimsOf(events: readonly RunEvent[], social = true) {
  const claims = createClaims(social);
  return [...events.flatMap((event) => claims.on(event)), ...claims.lost()];
}

test('a batch with a clean receipt is claimed with all its records', () => {
  expect(claimsOf([sealed('1', KEYS), started('1'), settled('1', {})])).toEqual([
    { state: 'delivered', time: at, keys: KEYS.join('') },
  ]);
});

test.each([
  ['something of it was rejected', { receipt: { batchId: 'b', rejected: 1 } }],
  ['the counts of its receipt are too small', { unaccounted: 1 }],
  ['the counts of its receipt are too large', { unaccounted: -1 }],
  ['it was refused', { outcome: 'refused' }],
  ['it was exhausted', { outcome: 'exhausted' }],
] as const)('a batch is not claimed where %s', (_why, more) => {
  const failed: RunEvent = {
    event: 'attempt.failed',
    time,
    batch: '1',
    attempt: 1,
    ms: 1,
    error: 'x',
    maybeProcessed: false,
    next: 'settle',
  };
  const outcome = 'outcome' in more ? [failed] : [];
  expect(claimsOf([sealed('1', KEYS), started('1'), ...outcome, settled('1', more)])).toEqual([]);
});

test('of a split batch each part is claimed for itself', () => {
  const part = (batch: string, records: number): SealedPart => ({
    batch,
    digest: 'd',
    records,
    bytes: 1,
    ranges: [],
  });
  const split: RunEvent = {
    event: 'batch.split',
    time,
    batch: '1',
    attempts: 1,
    error: 'HTTP 422',
    parts: [part('1.1', 2), part('1.2', 1)],
  };
  expect(
    claimsOf([sealed('1', KEYS), split, settled('1.2', {}), settled('1.1', { outcome: 'refused' })]),
  ).toEqual([{ state: 'delivered', time: at, keys: KEYS[2] }]);
});

test('what was under way at a kill is unknown once, and delivered when a receipt comes later', () => {
  const resumed: RunEvent = { event: 'run.resumed', time: '2026-11-20T10:00:00.000Z', reopened: [] };
  const events = [sealed('1', KEYS), started('1'), resumed, settled('1', { outcome: 'unknown' })];
  const unknown = { state: 'unknown', time: at, keys: KEYS.join('') };
  expect(claimsOf(events)).toEqual([unknown]);
  expect(claimsOf(events, false)).toEqual([]);
  expect(claimsOf([...events, resumed, started('1'), settled('1', {})])).toMatchObject([
    unknown,
    { state: 'delivered' },
  ]);
});

test('what is sent to another base URL than that of the run is not claimed', () => {
  const elsewhere: RunEvent = { event: 'run.resumed', time, reopened: [], elsewhere: true };
  const back: RunEvent = { event: 'run.resumed', time, reopened: [] };
  const [a = '', b = '', c = ''] = KEYS;
  expect(
    claimsOf([
      ...[sealed('1', [a]), settled('1', {})],
      ...[elsewhere, sealed('2', [b]), settled('2', {})],
      ...[back, sealed('3', [c]), settled('3', {})],
    ]).map(({ keys }) => keys),
  ).toEqual([a, c]);
});
