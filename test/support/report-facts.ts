/** Facts for the tests of the report: a run with an outage, invalid rows and hostile texts. */
import type { RunEvent } from '../../src/model/event.ts';
import { noteKey } from '../../src/model/problem.ts';
import type { ReportFacts } from '../../src/report/page.ts';
import { RunTimes } from '../../src/report/run-times.ts';
import { books, contextWith, follow, type Parts, range, sealed, settled, started } from './run-states.ts';

const HOSTILE = '</script><!--"><img src=x onerror=alert(1)>\u202e&amp;\n';

const START = Date.parse('2026-11-20T09:15:02Z');

function timeAt(ms: number): string {
  return new Date(START + ms).toISOString();
}

/** The events of one request. `ms`: since the start of the run. */
function request(batch: string, ms: number, took: number, parts: Parameters<typeof settled>[1]): RunEvent[] {
  return [
    { event: 'attempt.started', time: timeAt(ms), batch, attempt: 1, bytes: 2000 },
    settled(batch, { time: timeAt(ms + took), ms: took, ...parts }),
  ];
}

function failure(batch: string, ms: number, next: 'retry' | 'wait' = 'retry', error = 'HTTP 503'): RunEvent {
  return { event: 'attempt.failed', time: timeAt(ms), batch, attempt: 1, ms: 20, error, maybeProcessed: false, next };
}

function outage(ms: number, why: string): RunEvent {
  return { event: 'throttle.changed', time: timeAt(ms), state: 'paused', ms: 1000, giveUpMs: 60_000, why };
}

function open(ms: number): RunEvent {
  return { event: 'throttle.changed', time: timeAt(ms), state: 'open' };
}

/** A run of so many batches, of which the fourth is refused and the fifth has rejected records. */
export function eventsOf(batches: number): readonly RunEvent[] {
  const events: RunEvent[] = [started([HOSTILE])];
  for (let n = 1; n <= batches; n += 1) {
    const id = String(n);
    events.push(sealed(id, 100, [range(0, n * 100 - 98, n * 100 + 1)]));
    if (n === 3) events.push(outage(n * 50, HOSTILE), failure(id, n * 50, 'retry', HOSTILE), open(n * 50 + 400));
    const receipt = { batchId: HOSTILE, accepted: 100, deduplicated: 0, rejected: n === 5 ? 7 : 0 };
    const outcome = n === 4 ? { outcome: 'refused' as const, status: 422, error: HOSTILE } : { status: 200, receipt };
    events.push(...request(id, n * 50, 40 + (n % 7) * 10, outcome));
  }
  return events;
}

/** @param parts of the run state */
export function factsOf(events: readonly RunEvent[], parts: Parts = {}): ReportFacts {
  const times = new RunTimes();
  events.forEach(follow(times.on));
  const requests = events.filter(({ event }) => event === 'attempt.started').length;
  const note = noteKey({ code: 'omitted', field: HOSTILE });
  const rows = { delivered: 850, invalid: 50, refused: 100 };
  const runState = books({
    startedAt: timeAt(0),
    workedMs: 1500,
    requests,
    notes: new Map([[note, 3]]),
    rows,
    ...parts,
  });
  const [source] = runState.sources;
  return {
    runState: { ...runState, sources: source === undefined ? [] : [{ ...source, name: HOSTILE }] },
    context: contextWith({ baseUrl: HOSTILE, name: [HOSTILE], rejects: [{ source: 0, path: HOSTILE, rows: 50 }] }),
    times: times.facts(),
    reasons: [
      { rows: 100, what: `refused: ${HOSTILE}`, examples: [] },
      {
        rows: 50,
        what: 'signal_source is not an allowed value',
        examples: [
          { place: 'line 12', found: HOSTILE },
          { place: 'line 13', found: '' },
        ],
      },
    ],
    mapping: `fields:\n  company_name: ${HOSTILE}`,
    settings: [['Sent to', HOSTILE]],
    made: timeAt(60_000),
  };
}
