import { expect, test } from 'vitest';
import type { RunEvent } from '../../src/model/event.ts';
import { RunMetrics, readLastSuccess } from '../../src/report/metrics.ts';
import { follow, sealed } from '../support/run-states.ts';

const at = (ms: number): string => new Date(ms).toISOString();
const started = (batch: string, ms: number): RunEvent => ({
  event: 'attempt.started',
  time: at(ms),
  batch,
  attempt: 1,
  bytes: 10,
});
const settled = (batch: string, ms: number): RunEvent => ({
  event: 'batch.settled',
  time: at(ms),
  batch,
  outcome: 'delivered',
  attempts: 1,
  ms: 900,
  status: 200,
  unaccounted: 0,
});
const failed = (batch: string, ms: number, status?: number): RunEvent => ({
  event: 'attempt.failed',
  time: at(9),
  batch,
  attempt: 1,
  ms,
  status,
  error: 'x',
  maybeProcessed: false,
  next: 'retry',
});

function textOf(events: readonly RunEvent[], lastSuccess?: number): readonly string[] {
  const metrics = new RunMetrics('a "b"');
  const batch = (id: string): RunEvent => sealed(id, 1, []);
  [batch('1'), batch('2'), ...events].forEach(follow(metrics.on));
  return (metrics.text(lastSuccess, undefined) ?? '').split('\n');
}

test('requests count by status, and the histogram has those that were answered, each by its own time', () => {
  const lines = textOf([
    started('1', 0),
    failed('1', 30),
    started('1', 1000),
    settled('1', 1200),
    failed('2', 400, 503),
  ]);
  const label = 'upload="a \\"b\\""';
  expect(lines).toContain(`signals_upload_requests_total{${label},status="none"} 1`);
  expect(lines).toContain(`signals_upload_requests_total{${label},status="200"} 1`);
  expect(lines).toContain(`signals_upload_requests_total{${label},status="503"} 1`);
  expect(lines).toContain(`signals_upload_request_duration_seconds_bucket{${label},le="0.1"} 0`);
  expect(lines).toContain(`signals_upload_request_duration_seconds_bucket{${label},le="0.25"} 1`);
  expect(lines).toContain(`signals_upload_request_duration_seconds_bucket{${label},le="+Inf"} 2`);
  expect(lines).toContain(`signals_upload_request_duration_seconds_sum{${label}} 0.6`);
});

test('the time of the last success is read back from the text', () => {
  expect(readLastSuccess(textOf([started('1', 0)], 1_763_000_000.25).join('\n'))).toBe(1_763_000_000.25);
  expect(readLastSuccess(textOf([started('1', 0)]).join('\n'))).toBeUndefined();
});

test('there is no text before the first event', () => {
  expect(new RunMetrics('x').text(undefined, undefined)).toBeUndefined();
});
