import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/model/event.ts';
import { mergeSteps, Timeline, type TimelineFacts } from '../../src/report/timeline.ts';
import { failure, open, outage, pause, request, timeAt } from '../support/report-facts.ts';
import { follow, range, sealed, started } from '../support/run-states.ts';

function facts(...events: readonly RunEvent[]): TimelineFacts {
  const timeline = new Timeline();
  [started(['in.csv']), ...events].forEach(follow(timeline.on));
  return timeline.facts();
}

const delivered = { receipt: { batchId: 'b' } };
const one = (batch: string): RunEvent => sealed(batch, 100, [range(0, 2, 101)]);
const resumed = (ms: number): RunEvent => {
  return { event: 'run.resumed', baseUrl: 'https://api.example.com', time: timeAt(ms) };
};

describe('the timeline', () => {
  test('counts rows at the time of the answer, and requests while they are in flight', () => {
    const { steps, stepMs, totalMs } = facts(one('1'), ...request('1', 100, 310, delivered));
    expect([stepMs, totalMs]).toStrictEqual([20, 410]);
    expect(steps.map(({ rows }) => rows)).toStrictEqual([...Array.from({ length: 20 }, () => 0), 100]);
    expect(steps.reduce((sum, { inFlightMs }) => sum + inFlightMs, 0)).toBe(310);
    expect(steps[4]?.inFlightMs).toBe(0);
  });

  test('has the median and the 95th percentile of the latency, to 5%', () => {
    const requests = Array.from({ length: 100 }, (_, n) => [
      one(String(n)),
      ...request(String(n), 0, (n + 1) * 10, delivered),
    ]).flat();
    const { latency } = facts(...requests);
    expect(Math.abs((latency?.median ?? 0) - 500) / 500).toBeLessThan(0.05);
    expect(Math.abs((latency?.p95 ?? 0) - 950) / 950).toBeLessThan(0.05);
  });

  test('a batch that failed at once has no latency, because nothing answered', () => {
    expect(facts(failure('1', 100)).latency).toBeUndefined();
  });

  test('tells a pause that the service asked for from an outage, which lasts until the next delivery', () => {
    const { waits, steps } = facts(
      one('1'),
      pause(100, 'asked to wait'),
      open(1100),
      outage(2000, 'HTTP 503'),
      open(2500),
      ...request('1', 2600, 400, delivered),
      failure('2', 4000),
    );
    expect(waits).toStrictEqual([
      ['asked to wait', 1000],
      ['the service was unavailable (HTTP 503)', 1000],
    ]);
    const [whole] = mergeSteps(steps, steps.length);
    expect(whole).toMatchObject({ askedMs: 1000, outageMs: 1000, rows: 100 });
  });

  test('leaves out the days before a resume, and says when it was', () => {
    const day = 86_400_000;
    const { resumedAt, totalMs } = facts(
      ...request('1', 100, 100, delivered),
      resumed(day),
      ...request('2', day + 400, 100, delivered),
    );
    expect(resumedAt).toStrictEqual([200]);
    expect(totalMs).toBe(700);
  });

  test('a pause that the end of the process cut off ends there', () => {
    expect(facts(pause(100, 'busy'), failure('1', 400), resumed(9000)).waits).toStrictEqual([['busy', 300]]);
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
