/** Long runs; fixtures/examples/timelines.ndjson has short ones, whole. */
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/model/event.ts';
import { Timeline, type TimelineFacts } from '../../src/report/timeline.ts';
import { request } from '../support/report-facts.ts';
import { follow, range, sealed, started } from '../support/run-states.ts';

function facts(...events: readonly RunEvent[]): TimelineFacts {
  const timeline = new Timeline();
  [started(['in.csv']), ...events].forEach(follow(timeline.on));
  return timeline.facts();
}

const delivered = { receipt: { batchId: 'b' } };
const one = (batch: string): RunEvent => sealed(batch, 100, [range(0, 2, 101)]);

describe('the timeline', () => {
  test('has the median and the 95th percentile of the latency, to 5%', () => {
    const requests = Array.from({ length: 100 }, (_, n) => [
      one(String(n)),
      ...request(String(n), 0, (n + 1) * 10, delivered),
    ]).flat();
    const { latency } = facts(...requests);
    expect(Math.abs((latency?.median ?? 0) - 500) / 500).toBeLessThan(0.05);
    expect(Math.abs((latency?.p95 ?? 0) - 950) / 950).toBeLessThan(0.05);
  });

  test('has at most 200 steps, whatever the length of the run', () => {
    const requests = Array.from({ length: 5000 }, (_, n) => [
      one(String(n)),
      ...request(String(n), n * 3000, 100, delivered),
    ]).flat();
    const { steps, stepMs, totalMs } = facts(...requests);
    expect(steps.length).toBeLessThanOrEqual(200);
    expect(steps.length * stepMs).toBeGreaterThanOrEqual(totalMs);
    expect(steps.reduce((sum, { rows }) => sum + rows, 0)).toBe(500_000);
    expect(steps.reduce((sum, { inFlightMs }) => sum + inFlightMs, 0)).toBe(500_000);
  });
});
