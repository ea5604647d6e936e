import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/model/event.ts';
import { createLogReader, narrate } from '../../src/report/log-entry.ts';
import { follow } from '../support/run-states.ts';

const time = '2026-11-20T09:15:02.000Z';
const paused: RunEvent = { event: 'throttle.changed', time, state: 'paused', ms: 500, giveUpMs: 9000, why: 'down' };
const settled: RunEvent = {
  event: 'batch.settled',
  time,
  batch: '1',
  outcome: 'delivered',
  attempts: 2,
  ms: 12,
  unaccounted: 0,
};
const failed: RunEvent = {
  event: 'attempt.failed',
  time,
  batch: '1',
  attempt: 1,
  ms: 5,
  error: 'HTTP 503',
  maybeProcessed: false,
  next: 'retry',
};

function namesOf(events: readonly RunEvent[], verbose = false, checking = false): readonly string[] {
  const reader = createLogReader(verbose, checking);
  return events.flatMap(follow(reader)).map(({ event }) => event);
}

describe('the log of a run', () => {
  test('has one entry for the start of an outage, and one for the delivery that ends it', () => {
    expect(namesOf([paused, paused, settled, settled])).toEqual([
      'outage.started',
      'throttle.changed',
      'throttle.changed',
      'outage.ended',
    ]);
  });

  test('has no outage when the service only asks to wait', () => {
    const { giveUpMs: _giveUpMs, ...wait } = paused;
    expect(namesOf([wait, settled])).toEqual(['throttle.changed']);
  });

  test('has batches and failed attempts with --verbose only', () => {
    expect(namesOf([failed, settled])).toEqual([]);
    expect(namesOf([failed, settled], true)).toEqual(['attempt.failed', 'batch.settled']);
  });

  test('of a check has its start and no events of sending', () => {
    const started: RunEvent = { event: 'run.started', v: 1, time, run: 'r', type: 'social', inputs: [] };
    expect(namesOf([started, settled], true, true)).toEqual(['check.started']);
  });
});

test('describes a failed attempt and what follows', () => {
  const failed = {
    event: 'attempt.failed',
    time,
    batch: '3',
    attempt: 2,
    ms: 12,
    error: 'HTTP 503',
    maybeProcessed: true,
  } as const;
  expect(narrate({ ...failed, next: 'retry', afterMs: 400 })).toBe(
    'batch 3, attempt 2: HTTP 503 (may have been processed); retrying in 0.4 s',
  );
  expect(narrate({ ...failed, maybeProcessed: false, next: 'stop' })).toBe(
    'batch 3, attempt 2: HTTP 503; stopping the run',
  );
});

test('describes a settled batch with its outcome and its id at the service', () => {
  const settled = {
    event: 'batch.settled',
    time,
    batch: '3',
    attempts: 1,
    ms: 1200,
    unaccounted: 0,
  } as const;
  expect(narrate({ ...settled, outcome: 'delivered', receipt: { batchId: 'b-\u001b[2J' } })).toBe(
    'batch 3: delivered as b-\\x1b[2J after 1.2 s',
  );
  expect(narrate({ ...settled, outcome: 'unknown' })).toBe('batch 3: unknown after 1.2 s');
});

test('describes pauses and their ends', () => {
  expect(
    narrate({ event: 'throttle.changed', time, state: 'paused', ms: 7000, why: 'the service asked to wait' }),
  ).toBe('sending paused for 7.0 s: the service asked to wait');
  expect(narrate({ event: 'throttle.changed', time, state: 'open' })).toBe('sending resumed');
});

test('describes changes of the concurrency', () => {
  const limited = { event: 'throttle.changed', time, state: 'limited' } as const;
  expect(narrate({ ...limited, concurrency: 1, why: 'the service is busy' })).toBe(
    'concurrency limited to 1: the service is busy',
  );
  expect(narrate(limited)).toBe('concurrency restored to --concurrency');
});

test('lists the parts of a split batch', () => {
  const part = { digest: '00', bytes: 10, ranges: [] };
  expect(
    narrate({
      event: 'batch.split',
      time,
      batch: '12',
      attempts: 1,
      error: 'HTTP 422',
      parts: [
        { ...part, batch: '12.1', records: 2 },
        { ...part, batch: '12.2', records: 1 },
      ],
    }),
  ).toBe('batch 12 split into 12.1 (2 records) and 12.2 (1 record)');
});

test('has no line for events that the progress display shows', () => {
  expect(narrate({ event: 'attempt.started', time, batch: '1', attempt: 1, bytes: 10 })).toBeUndefined();
});
