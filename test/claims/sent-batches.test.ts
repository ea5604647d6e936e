import { expect, test } from 'vitest';
import { SentBatches, type SentState } from '../../src/claims/sent-batches.ts';
import { applyEvent, newRunState } from '../../src/journal/apply-event.ts';
import type { AttemptFailed, BatchSettled, RunEvent } from '../../src/model/event.ts';
import { sealed as sealedEvent, started as startedRun } from '../support/run-states.ts';

const time = '2026-11-20T09:00:00.000Z';
const HERE = 'https://api.example.com';
const KEYS = ['AAAAAAAAAAAAAAAA', 'BBBBBBBBBBBBBBBB', 'CCCCCCCCCCCCCCCC'];

const sealed = (batch: string, keys: readonly string[]): RunEvent => ({
  ...sealedEvent(batch, keys.length, []),
  keys: keys.join(''),
});

const started = (batch: string): RunEvent => ({
  event: 'attempt.started',
  time,
  batch,
  attempt: 1,
  bytes: 1,
});

const failed = (batch: string): AttemptFailed => ({
  event: 'attempt.failed',
  time,
  batch,
  attempt: 1,
  ms: 1,
  error: 'x',
  maybeProcessed: false,
  next: 'settle',
});

const settled = (batch: string, more: Partial<BatchSettled> = {}): RunEvent => ({
  event: 'batch.settled',
  time,
  batch,
  outcome: 'delivered',
  attempts: 1,
  ms: 1,
  unaccounted: 0,
  ...more,
});

interface Entry {
  readonly state: SentState;
  readonly keys: string;
}

function entriesOf(events: readonly RunEvent[], includesUnknown = true): readonly Entry[] {
  const entries: Entry[] = [];
  const builder = new SentBatches({ baseUrl: HERE, begun: HERE }, includesUnknown, (state, keys) =>
    entries.push({ state, keys }),
  );
  const runState = newRunState(startedRun(['in.csv']));
  for (const event of events) builder.add(event, runState, applyEvent(runState, event));
  builder.addInFlight(runState);
  return entries;
}

test('a batch with a complete receipt gets an entry with the keys of all its records', () => {
  expect(entriesOf([sealed('1', KEYS), started('1'), settled('1')])).toEqual([
    { state: 'delivered', keys: KEYS.join('') },
  ]);
});

test.each([
  ['the service rejected a record of it', { receipt: { batchId: 'b', rejected: 1 } }],
  ['the counts of its receipt are too small', { unaccounted: 1 }],
  ['the counts of its receipt are too large', { unaccounted: -1 }],
  ['it was refused', { outcome: 'refused' }],
  ['it was exhausted', { outcome: 'exhausted' }],
] as const)('a batch gets no entry if %s', (_why, more) => {
  const result = 'outcome' in more ? [failed('1')] : [];
  expect(entriesOf([sealed('1', KEYS), started('1'), ...result, settled('1', more)])).toEqual([]);
});

test('a batch in flight at a kill gets one entry as unknown, and one as delivered if a receipt comes later', () => {
  const resumed: RunEvent = {
    event: 'run.resumed',
    baseUrl: HERE,
    time: '2026-11-20T10:00:00.000Z',
  };
  const events = [sealed('1', KEYS), started('1'), resumed, settled('1', { outcome: 'unknown' })];
  const unknown = { state: 'unknown', keys: KEYS.join('') };
  expect(entriesOf(events)).toEqual([unknown]);
  expect(entriesOf(events, false)).toEqual([]);
  expect(entriesOf([...events, resumed, started('1'), settled('1')])).toMatchObject([unknown, { state: 'delivered' }]);
});

test('batches sent to another base URL than that of the run get no entry', () => {
  const elsewhere: RunEvent = { event: 'run.resumed', time, baseUrl: 'https://other.example.com' };
  const back: RunEvent = { event: 'run.resumed', time, baseUrl: HERE };
  const [a = '', b = '', c = ''] = KEYS;
  expect(
    entriesOf([
      ...[sealed('1', [a]), settled('1')],
      ...[elsewhere, sealed('2', [b]), settled('2')],
      ...[back, sealed('3', [c]), settled('3')],
    ]).map(({ keys }) => keys),
  ).toEqual([a, c]);
});
