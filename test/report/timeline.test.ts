import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/model/event.ts';
import { Timeline, type TimelineFacts } from '../../src/report/timeline.ts';
import { failure, open, pause, request, timeAt } from '../support/report-facts.ts';
import { follow, range, sealed, started } from '../support/run-states.ts';

function facts(...events: readonly RunEvent[]): TimelineFacts {
  const timeline = new Timeline();
  [started(['in.csv']), ...events].forEach(follow(timeline.on));
  return timeline.facts();
}

const delivered = { receipt: { batchId: 'b' } };
const one = (batch: string): RunEvent => sealed(batch, 100, [range(0, 2, 101)]);

describe('the timeline', () => {
  test('counts requests and rows at the time of the answer', () => {
    const { buckets, widthMs } = facts(one('1'), ...request('1', 100, 300, delivered), failure('2', 900, 'wait'));
    expect(widthMs).toBe(250);
    expect(buckets.map(({ delivered, throttled, rows }) => [delivered, throttled, rows])).toStrictEqual([
      [0, 0, 0],
      [1, 0, 100],
      [0, 0, 0],
      [0, 1, 0],
    ]);
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

  test('tells a pause that the service asked for from an outage', () => {
    const { marks } = facts(
      pause(100),
      failure('1', 100, 'wait'),
      open(1100),
      pause(2000),
      failure('1', 2000),
      open(2500),
    );
    expect(marks.map(({ kind, at, end }) => [kind, at, end])).toStrictEqual([
      ['throttled', 100, 1100],
      ['outage', 2000, 2500],
    ]);
  });

  test('marks each time the concurrency falls, and not when it rises', () => {
    const limited = (ms: number, concurrency?: number): RunEvent => {
      return { event: 'throttle.changed', time: timeAt(ms), state: 'limited', concurrency };
    };
    const { marks } = facts(limited(100, 4), limited(200, 2), limited(300, 3), limited(400), limited(500, 7));
    expect(marks.map(({ kind, at }) => [kind, at])).toStrictEqual([
      ['slower', 100],
      ['slower', 200],
      ['slower', 500],
    ]);
  });

  test('leaves out the days before a resume, and marks it', () => {
    const day = 86_400_000;
    const { marks, buckets } = facts(
      ...request('1', 100, 100, delivered),
      { event: 'run.resumed', baseUrl: 'https://api.example.com', time: timeAt(day) },
      ...request('2', day + 400, 100, delivered),
    );
    expect(marks).toMatchObject([{ kind: 'resumed', at: 200, time: timeAt(day) }]);
    expect(buckets).toHaveLength(3);
    expect(buckets[2]?.time).toBe(timeAt(day + 500));
  });

  test('a pause that the end of the process cut off ends there', () => {
    const { marks } = facts(pause(100), failure('1', 400), {
      event: 'run.resumed',
      baseUrl: 'https://api.example.com',
      time: timeAt(9000),
    });
    expect(marks[0]).toMatchObject({ kind: 'outage', at: 100, end: 400 });
  });

  test('has at most 200 steps, whatever the length of the run', () => {
    const requests = Array.from({ length: 5000 }, (_, n) => request(String(n), n * 3000, 100, delivered)).flat();
    const { buckets, widthMs } = facts(...requests);
    expect(buckets.length).toBeLessThanOrEqual(200);
    expect(buckets.length * widthMs).toBeGreaterThanOrEqual(5000 * 3000);
    expect(buckets.reduce((sum, bucket) => sum + bucket.delivered, 0)).toBe(5000);
  });
});
