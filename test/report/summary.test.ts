import { describe, expect, it } from 'vitest';
import type { Stop, StopCode } from '../../src/model/outcome.ts';
import { balance, type ExitOptions, exitCodeOf, summarise } from '../../src/report/summary.ts';
import { books, type Parts } from '../support/ledgers.ts';

const extra = { exitCode: 3, folder: 'signals-runs/x', seconds: 0.41, warnings: [] };
const stop = (code: StopCode): Stop => ({ code, message: 'It stopped.' });

describe('summarise', () => {
  it('is the object of cli.md, key for key', () => {
    const ledger = books({
      rows: { invalid: 50, delivered: 608 },
      batches: { delivered: 7 },
      service: { accepted: 600, deduplicated: 8 },
    });
    expect(JSON.stringify(summarise(ledger, extra))).toBe(
      '{"run":"20261120T091502Z-in-3f9a","type":"signals","variant":"b","state":"complete","exitCode":3,"balanced":true,' +
        '"rows":{"read":658,"invalid":50,"skipped":0,"duplicate":0,"delivered":608,"refused":0,"exhausted":0,"unknown":0,"pending":0},' +
        '"service":{"accepted":600,"deduplicated":8,"rejected":0,"promoted":0,"unaccounted":0},' +
        '"batches":{"sealed":7,"delivered":7,"refused":0,"exhausted":0,"unknown":0,"pending":0,"split":0},' +
        '"inputs":[{"source":"in.csv","bytes":191851,"bytesUnread":0}],' +
        '"requests":7,"retries":0,"bytesSent":160000,"seconds":0.41,"folder":"signals-runs/x","warnings":[]}',
    );
  });

  it('has no variant for social events', () => {
    const { variant: _variant, ...ledger } = books({ type: 'social' });
    expect(summarise(ledger, extra)).not.toHaveProperty('variant');
  });

  it('tells the bytes that were not read, and null where nobody knows them', () => {
    const { inputs } = summarise(
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
      { source: 'a.csv', bytes: 1000, bytesUnread: 600 },
      { source: 'stdin', bytes: 700, bytesUnread: null },
      { source: 'b.csv', bytes: 300, bytesUnread: 0 },
    ]);
  });

  it('calls a run whose end was never written interrupted', () => {
    expect(summarise(books({ state: 'running' }), extra).state).toBe('interrupted');
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
  ] satisfies [string, Parts][])('holds with %s counted', (_name, parts) => {
    expect(balance(books(parts))).toEqual({ rows: true, batches: true });
  });

  it('sees a lost row and a row too many', () => {
    expect(balance(books({ rows: { read: 3, delivered: 2 } })).rows).toBe(false);
    expect(balance(books({ rows: { read: 1, delivered: 2 } })).rows).toBe(false);
  });

  it('sees a lost batch', () => {
    expect(balance(books({ batches: { sealed: 3, delivered: 2 } })).batches).toBe(false);
  });

  it('does not take a number that is none for balanced', () => {
    expect(balance(books({ rows: { read: Number.NaN } })).rows).toBe(false);
  });
});

describe('exitCodeOf', () => {
  const cases: [string, number, Parts, ExitOptions?][] = [
    ['every row delivered', 0, { rows: { delivered: 10 } }],
    ['a header alone', 0, {}],
    ['skipped and duplicate rows only', 0, { rows: { skipped: 1, duplicate: 1 } }],
    ['books that do not balance', 1, { rows: { read: 9, delivered: 10 } }],
    [
      'unbalanced books before all else',
      1,
      { rows: { read: 9 }, state: 'interrupted', stop: stop('signal') },
      { signal: 'SIGINT' },
    ],
    ['a complete run with something pending', 1, { rows: { pending: 1 } }],
    ['Ctrl-C', 130, { state: 'interrupted', stop: stop('signal') }, { signal: 'SIGINT' }],
    ['an interruption of which nobody knows the signal', 130, { state: 'interrupted', stop: stop('signal') }],
    ['SIGTERM', 143, { state: 'interrupted', stop: stop('signal') }, { signal: 'SIGTERM' }],
    ['SIGHUP', 143, { state: 'interrupted', stop: stop('signal') }, { signal: 'SIGHUP' }],
    ['a refused key', 5, { state: 'stopped', stop: stop('key'), rows: { pending: 9, unknown: 1 } }],
    ['an outage', 6, { state: 'stopped', stop: stop('outage'), rows: { unknown: 1 } }],
    ['an input that failed', 6, { state: 'stopped', stop: stop('input'), rows: { delivered: 1 } }],
    ['a run without its end', 6, { state: 'running', rows: { pending: 1 } }],
    ['exhausted rows', 4, { rows: { exhausted: 1, invalid: 1 } }],
    ['unknown rows', 4, { rows: { unknown: 1 } }],
    ['invalid rows', 3, { rows: { invalid: 1, delivered: 1 } }],
    ['refused rows', 3, { rows: { refused: 1 } }],
    ['records that the service rejected', 3, { rows: { delivered: 1 }, service: { rejected: 1 } }],
    ['records that the service left out', 3, { rows: { delivered: 1 }, service: { unaccounted: 1 } }],
    ['records that the service invented', 3, { rows: { delivered: 1 }, service: { unaccounted: -1 } }],
    ['invalid rows that are never a failure', 0, { rows: { invalid: 1 } }, { failOn: 'never' }],
    ['as many invalid rows as allowed', 0, { rows: { invalid: 5, delivered: 95 } }, { failOn: 5 }],
    ['more invalid rows than allowed', 3, { rows: { invalid: 6, delivered: 94 } }, { failOn: 5 }],
    ['unknown rows whatever is allowed', 4, { rows: { unknown: 1 } }, { failOn: 'never' }],
  ];
  it.each(cases)('is for %s: %i', (_name, code, parts, options) => {
    expect(exitCodeOf(books(parts), options)).toBe(code);
  });
});
