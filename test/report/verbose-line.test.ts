import { expect, test } from 'vitest';
import { narrate } from '../../src/report/verbose-line.ts';

const time = '2026-11-20T09:15:00.000Z';

test('tells of a failed attempt what happened and what comes next', () => {
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
    'batch 3, attempt 2: HTTP 503; it may have been processed; again in 0.4 s',
  );
  expect(narrate({ ...failed, maybeProcessed: false, next: 'stop' })).toBe(
    'batch 3, attempt 2: HTTP 503; the run stops',
  );
});

test('tells of a settled batch its outcome and the name that the service gave it', () => {
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

test('tells when sending waits, why, and when it goes on', () => {
  expect(
    narrate({ event: 'throttle.changed', time, state: 'paused', ms: 7000, why: 'the service asked to wait' }),
  ).toBe('sending waits 7.0 s: the service asked to wait');
  expect(narrate({ event: 'throttle.changed', time, state: 'open' })).toBe('sending goes on');
});

test('tells when the requests at once change', () => {
  const paced = { event: 'throttle.changed', time, state: 'paced' } as const;
  expect(narrate({ ...paced, concurrency: 1, why: 'the service is busy' })).toBe(
    'at most 1 request at once: the service is busy',
  );
  expect(narrate(paced)).toBe('as many requests at once as --concurrency allows');
});

test('tells into what a batch is split', () => {
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
  ).toBe('batch 12 is split into 12.1 (2 records) and 12.2 (1 record)');
});

test('is silent about what the progress tells', () => {
  expect(narrate({ event: 'attempt.started', time, batch: '1', attempt: 1, bytes: 10 })).toBeUndefined();
});
