/** Facts for the tests of the report: a run with invalid rows and hostile texts. */
import { noteKey } from '../../src/model/problem.ts';
import type { ReportFacts } from '../../src/report/page.ts';
import { books, contextWith, type Parts } from './run-states.ts';

const HOSTILE = '</script><!--"><img src=x onerror=alert(1)>\u202e&amp;\n';

const START = Date.parse('2026-11-20T09:15:02Z');

function timeAt(ms: number): string {
  return new Date(START + ms).toISOString();
}

/** @param parts of the run state */
export function factsOf(parts: Parts = {}): ReportFacts {
  const note = noteKey({ code: 'omitted', field: HOSTILE });
  const rows = { delivered: 850, invalid: 50, refused: 100 };
  const runState = books({ startedAt: timeAt(0), workedMs: 1500, notes: new Map([[note, 3]]), rows, ...parts });
  const [source] = runState.sources;
  return {
    runState: { ...runState, sources: source === undefined ? [] : [{ ...source, name: HOSTILE }] },
    context: contextWith({ baseUrl: HOSTILE, name: [HOSTILE], rejects: [{ source: 0, path: HOSTILE, rows: 50 }] }),
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
