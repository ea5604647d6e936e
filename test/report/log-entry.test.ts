import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/model/event.ts';
import { createLogReader } from '../../src/report/log-entry.ts';
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
