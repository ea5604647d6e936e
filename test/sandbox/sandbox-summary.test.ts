import { expect, test } from 'vitest';
import { summarizeRequests } from '../../src/sandbox/sandbox-summary.ts';
import type { LoggedRequest } from '../../src/sandbox/state-file.ts';

const START = Date.parse('2026-11-20T09:15:02.400Z');

function request(n: number, seconds: number, processed = true): LoggedRequest {
  const time = new Date(START + seconds * 1000).toISOString();
  const facts = { method: 'POST', path: '/v1/signals/ingest', type: 'signals', status: processed ? 200 : 503 } as const;
  return { n, time, at: seconds * 1000, records: 1, bytes: 10, processed, ...facts };
}

test('the timeline counts requests in steps of a second, with the empty ones between', () => {
  const { timeline } = summarizeRequests([request(1, 0), request(2, 0.2, false), request(3, 2)]);
  expect(timeline).toStrictEqual({
    stepSeconds: 1,
    steps: [
      { time: '2026-11-20T09:15:02.000Z', processed: 1, failed: 1 },
      { time: '2026-11-20T09:15:03.000Z', processed: 0, failed: 0 },
      { time: '2026-11-20T09:15:04.000Z', processed: 1, failed: 0 },
    ],
  });
});

test.each([
  [50, 1],
  [90, 2],
  [3000, 60],
  [86_400 * 40, 86_400],
  [86_400 * 1000, 86_400 * 17],
])('%i seconds of requests make at most 61 steps, of %i seconds', (seconds, stepSeconds) => {
  const { timeline } = summarizeRequests([request(1, 0), request(2, seconds)]);
  expect(timeline.stepSeconds).toBe(stepSeconds);
  expect(timeline.steps.length).toBeLessThanOrEqual(61);
  expect(timeline.steps.at(-1)?.processed).toBe(1);
});

test('a clock that was set back loses no request', () => {
  const { timeline } = summarizeRequests([request(1, 10), request(2, 0), request(3, 12)]);
  expect(timeline.steps.reduce((sum, { processed }) => sum + processed, 0)).toBe(3);
});

test('the last batches and failures are the newest first, and limited', () => {
  const requests = Array.from({ length: 80 }, (_, n) => request(n + 1, n, n % 2 === 0));
  const { lastBatches, lastFailures } = summarizeRequests(requests);
  expect([lastBatches.length, lastBatches[0]?.n]).toStrictEqual([25, 79]);
  expect([lastFailures.length, lastFailures[0]?.n]).toStrictEqual([25, 80]);
});

test('nothing has arrived', () => {
  expect(summarizeRequests([])).toMatchObject({ requests: 0, timeline: { steps: [] }, lastBatches: [] });
});
