import { describe, expect, it } from 'vitest';
import { answersOf, balance, summaryOf } from '../../src/report/run-summary.ts';
import { books, committed, contextWith, follow, invalid, range, sealed, settled } from '../support/run-states.ts';

const rejects = [{ source: 0, path: 'signals-runs/x/rejects/in.csv', rows: 50 }];

describe('summaryOf', () => {
  it('has the keys of cli.md in the same order', () => {
    const runState = books({
      rows: { invalid: 50, delivered: 608 },
      batches: { delivered: 7 },
      service: { accepted: 600, deduplicated: 8 },
      workedMs: 410,
    });
    const missing = { code: 'missing', field: 'company_name' } as const;
    for (const event of [invalid(14, [missing]), committed]) runState.reasons.on(event);
    const summary = summaryOf(runState, contextWith({ folder: 'signals-runs/x', rejects }));
    expect(JSON.stringify({ ...summary, toolVersion: '0.1.0' })).toBe(
      `{"schemaVersion":1,"toolVersion":"0.1.0","run":"20261120T091502Z-in-3f9a","type":"signals","variant":"b","baseUrl":"https://api.example.com","sandbox":false,` +
        `"startedAt":"${runState.startedAt}","endedAt":${JSON.stringify(runState.endedAt ?? null)},"state":"complete","exitCode":3,"balanced":true,"stop":null,` +
        '"rows":{"read":658,"invalid":50,"skipped":0,"duplicate":0,"delivered":608,"refused":0,"exhausted":0,"unknown":0,"pending":0},' +
        '"service":{"accepted":600,"deduplicated":8,"rejected":0,"promoted":0,"unaccounted":0},' +
        '"batches":{"sealed":7,"delivered":7,"refused":0,"exhausted":0,"unknown":0,"pending":0,"split":0},' +
        '"inputs":[{"source":"in.csv","bytes":191851,"bytesUnread":0,"rejects":"rejects/in.csv"}],' +
        '"invalidReasons":[{"reason":"company_name is missing","rows":1,"first":"in.csv:14"}],' +
        '"requests":7,"retries":0,"bytesSent":160000,"seconds":0.41,"folder":"signals-runs/x","next":"npx signals fix x",' +
        '"warnings":[],"errors":[]}',
    );
  });

  it('has the unread bytes of each input, and null for a pipe', () => {
    const { inputs } = summaryOf(
      books({
        sources: [
          { name: 'a.csv', size: 1000, read: 400, rows: 3, ended: false },
          { name: 'stdin', read: 700, rows: 3, ended: false },
          { name: 'b.csv', read: 300, rows: 3, ended: true },
        ],
      }),
      contextWith({ folder: 'signals-runs/x', rejects }),
    );
    expect(inputs).toEqual([
      { source: 'a.csv', bytes: 1000, bytesUnread: 600, rejects: 'rejects/in.csv' },
      { source: 'stdin', bytes: 700, bytesUnread: null, rejects: null },
      { source: 'b.csv', bytes: 300, bytesUnread: 0, rejects: null },
    ]);
  });

  it('calls a run without an end interrupted', () => {
    expect(summaryOf(books({ state: 'running' }), contextWith()).state).toBe('interrupted');
  });
});

it('no balance holds for NaN', () => {
  expect(balance(books({ rows: { read: Number.NaN } })).rows).toBe(false);
});

it('combines answers beyond the first ten kinds', () => {
  const on = follow((_event, runState) => answersOf(runState));
  let answers = on(committed);
  for (let index = 0; index <= 30; index += 1) {
    on(sealed(String(index), 1, [range(0, index + 2, index + 2)]));
    answers = on(settled(String(index), { outcome: 'refused', error: `request ${index % 30}` }));
  }
  expect(answers).toHaveLength(11);
  expect(answers[1]).toMatchObject({ error: 'request 0', batches: 2 });
  const others = { outcome: 'refused', error: 'other answers', batches: 20, records: 20, range: { firstLine: 12 } };
  expect(answers[0]).toMatchObject(others);
});
