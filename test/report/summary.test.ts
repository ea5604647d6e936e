import { describe, expect, it } from 'vitest';
import { createReasons } from '../../src/report/failure-reasons.ts';
import { balance, countRun, summarise } from '../../src/report/summary.ts';
import { books, committed, follow, invalid, type Parts } from '../support/run-states.ts';

const rejects = [{ source: 0, path: 'signals-runs/x/rejects/in.csv', rows: 50 }];
const extra = { exitCode: 3, folder: 'signals-runs/x', seconds: 0.41, warnings: [], rejects };

describe('summarise', () => {
  it('has the keys of cli.md in the same order', () => {
    const runState = books({
      rows: { invalid: 50, delivered: 608 },
      batches: { delivered: 7 },
      service: { accepted: 600, deduplicated: 8 },
    });
    const reasons = createReasons();
    const missing = { code: 'missing', field: 'company_name' } as const;
    [invalid(14, [missing]), committed].forEach(follow(reasons.on));
    const about = { toolVersion: '0.1.0', baseUrl: 'https://api.example.com', next: 'signals upload x', reasons };
    const summary = summarise(countRun(runState, extra), runState, about);
    expect(JSON.stringify(summary)).toBe(
      `{"schemaVersion":1,"toolVersion":"0.1.0","run":"20261120T091502Z-in-3f9a","type":"signals","variant":"b","baseUrl":"https://api.example.com",` +
        `"startedAt":"${runState.startedAt}","endedAt":${JSON.stringify(runState.endedAt ?? null)},"state":"complete","exitCode":3,"balanced":true,"stop":null,` +
        '"rows":{"read":658,"invalid":50,"skipped":0,"duplicate":0,"delivered":608,"refused":0,"exhausted":0,"unknown":0,"pending":0},' +
        '"service":{"accepted":600,"deduplicated":8,"rejected":0,"promoted":0,"unaccounted":0},' +
        '"batches":{"sealed":7,"delivered":7,"refused":0,"exhausted":0,"unknown":0,"pending":0,"split":0},' +
        '"inputs":[{"source":"in.csv","bytes":191851,"bytesUnread":0,"rejects":"rejects/in.csv"}],' +
        '"invalidReasons":[{"reason":"company_name is missing","rows":1,"first":"in.csv:14"}],' +
        '"requests":7,"retries":0,"bytesSent":160000,"seconds":0.41,"folder":"signals-runs/x","next":"signals upload x",' +
        '"warnings":[],"errors":[]}',
    );
  });

  it('has no variant for social events', () => {
    const { variant: _variant, ...runState } = books({ type: 'social' });
    expect(countRun(runState, extra).variant).toBeUndefined();
  });

  it('has the unread bytes of each input, and null for a pipe', () => {
    const { inputs } = countRun(
      books({
        sources: [
          { name: 'a.csv', size: 1000, read: 400, rows: 3, ended: false },
          { name: 'stdin', read: 700, rows: 3, ended: false },
          { name: 'b.csv', read: 300, rows: 3, ended: true },
        ],
      }),
      extra,
    );
    expect(inputs).toEqual([
      { source: 'a.csv', bytes: 1000, bytesUnread: 600, rejects: 'rejects/in.csv' },
      { source: 'stdin', bytes: 700, bytesUnread: null, rejects: null },
      { source: 'b.csv', bytes: 300, bytesUnread: 0, rejects: null },
    ]);
  });

  it('calls a run without an end interrupted', () => {
    expect(countRun(books({ state: 'running' }), extra).state).toBe('interrupted');
  });
});

describe('balance', () => {
  it.each([
    ['invalid', { rows: { invalid: 1 } }],
    ['skipped', { rows: { skipped: 2 } }],
    ['duplicate', { rows: { duplicate: 3 } }],
    ['delivered', { rows: { delivered: 4 }, batches: { delivered: 1 } }],
    ['refused', { rows: { refused: 5 }, batches: { refused: 1 } }],
    ['exhausted', { rows: { exhausted: 6 }, batches: { exhausted: 1 } }],
    ['unknown', { rows: { unknown: 7 }, batches: { unknown: 1 } }],
    ['pending', { rows: { pending: 8 }, batches: { pending: 1 } }],
    ['split', { batches: { split: 1, delivered: 2 } }],
  ] satisfies [string, Parts][])('holds for %s', (_name, parts) => {
    expect(balance(books(parts))).toEqual({ rows: true, batches: true });
  });

  it('detects a lost row and an extra row', () => {
    expect(balance(books({ rows: { read: 3, delivered: 2 } })).rows).toBe(false);
    expect(balance(books({ rows: { read: 1, delivered: 2 } })).rows).toBe(false);
  });

  it('detects a lost batch', () => {
    expect(balance(books({ batches: { sealed: 3, delivered: 2 } })).batches).toBe(false);
  });

  it('does not hold for NaN', () => {
    expect(balance(books({ rows: { read: Number.NaN } })).rows).toBe(false);
  });
});
