/** Facts for the tests of the report: a run with an outage, invalid rows and hostile texts. */
import type { RunEvent } from '../../src/model/event.ts';
import type { ReportFacts } from '../../src/report/page.ts';
import { BatchLog } from '../../src/report/page-batches.ts';
import { Timeline } from '../../src/report/timeline.ts';
import { follow, range, sealed, settled, started } from './run-states.ts';

const HOSTILE = '</script><!--"><img src=x onerror=alert(1)>\u202e&amp;\n';

const FILLED = {
  source: HOSTILE,
  rows: 1000,
  fields: [
    { field: 'company_name', required: true, rows: 997 },
    { field: 'description', required: false, rows: 12 },
  ],
};

const START = Date.parse('2026-11-20T09:15:02Z');

export function timeAt(ms: number): string {
  return new Date(START + ms).toISOString();
}

/** The events of one request. `ms`: since the start of the run. */
export function request(batch: string, ms: number, took: number, parts: Parameters<typeof settled>[1]): RunEvent[] {
  return [
    { event: 'attempt.started', time: timeAt(ms), batch, attempt: 1, bytes: 2000 },
    settled(batch, { time: timeAt(ms + took), ms: took, ...parts }),
  ];
}

export function failure(batch: string, ms: number, next: 'retry' | 'wait' = 'retry', error = 'HTTP 503'): RunEvent {
  return { event: 'attempt.failed', time: timeAt(ms), batch, attempt: 1, ms: 20, error, maybeProcessed: false, next };
}

export function pause(ms: number, why = 'the service is unavailable'): RunEvent {
  return { event: 'throttle.changed', time: timeAt(ms), state: 'paused', ms: 1000, why };
}

export function open(ms: number): RunEvent {
  return { event: 'throttle.changed', time: timeAt(ms), state: 'open' };
}

/** A run of so many batches, of which the fourth is refused and the fifth has rejected records. */
export function eventsOf(batches: number): readonly RunEvent[] {
  const events: RunEvent[] = [started([HOSTILE])];
  for (let n = 1; n <= batches; n += 1) {
    const id = String(n);
    events.push(sealed(id, 100, [range(0, n * 100 - 98, n * 100 + 1)]));
    if (n === 3) events.push(pause(n * 50, HOSTILE), failure(id, n * 50, 'retry', HOSTILE), open(n * 50 + 400));
    const receipt = { batchId: HOSTILE, accepted: 100, deduplicated: 0, rejected: n === 5 ? 7 : 0 };
    const outcome = n === 4 ? { outcome: 'refused' as const, status: 422, error: HOSTILE } : { status: 200, receipt };
    events.push(...request(id, n * 50, 40 + (n % 7) * 10, outcome));
  }
  return events;
}

export function factsOf(events: readonly RunEvent[], parts: Partial<ReportFacts> = {}): ReportFacts {
  const timeline = new Timeline();
  const batches = new BatchLog();
  events.forEach(follow(timeline.on));
  events.forEach(follow(batches.on));
  return {
    run: '20261120T091502Z-in-3f9a',
    state: 'complete',
    exitCode: 3,
    headline: ['Delivered 900 of 1,000 rows of in.csv.', HOSTILE],
    read: 1000,
    states: [
      { rows: 850, state: 'delivered', about: 'acknowledged by the service' },
      { rows: 50, state: 'invalid', about: 'failed validation; not sent' },
      { rows: 100, state: 'refused', about: 'sent, but refused by the service' },
    ],
    step: { label: 'Fix the 50 rows in the rejects file, then:', command: `signals upload ${HOSTILE}` },
    timeline: timeline.facts(),
    batches: batches.facts(),
    answers: [
      { outcome: 'refused', error: HOSTILE, batches: 1, records: 100, first: { batch: '1', range: undefined } },
    ],
    unsettled: 2,
    names: [HOSTILE],
    reasons: [
      {
        code: 'enum',
        field: 'signal_source',
        column: HOSTILE,
        rows: 50,
        examples: [
          { source: 0, line: 12, reason: HOSTILE },
          { source: 0, line: 13, reason: undefined },
        ],
      },
    ],
    moreReasons: 0,
    notes: [HOSTILE],
    mapping: {
      text: `fields:\n  company_name: ${HOSTILE}`,
      sample: HOSTILE,
      filled: FILLED,
      check: `signals check ${HOSTILE}`,
    },
    command: `signals upload ${HOSTILE}`,
    settings: [['Sent to', HOSTILE]],
    made: timeAt(60_000),
    version: '1.0.0',
    ...parts,
  };
}
