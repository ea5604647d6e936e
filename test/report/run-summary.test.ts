import { describe, expect, it } from 'vitest';
import type { Stop, StopCode } from '../../src/model/outcome.ts';
import {
  balance,
  type ExitOptions,
  exitCodeOf,
  firstExitCode,
  summaryOf,
  unreadRows,
} from '../../src/report/run-summary.ts';
import { books, committed, contextWith, invalid, type Parts } from '../support/run-states.ts';

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
    for (const event of [invalid(14, [missing]), committed]) runState.reasons.on(event, []);
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
      contextWith({ rejects }),
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

describe('unread rows', () => {
  const source = { name: 'a.csv', size: 1000, read: 100, rows: 10, ended: false };
  it.each([
    ['of an input', { sources: [source] }, 90],
    ['of an input that was not begun', { sources: [source, { ...source, read: 0, rows: 0 }] }, 200],
    ['of a shard', { sources: [source], shard: { index: 1, of: 3 } }, 30],
    ['of an input that was read', { sources: [{ ...source, ended: true }] }, 0],
    ['of a pipe', { sources: [{ ...source, size: undefined }] }, undefined],
    ['before the first row', { sources: [{ ...source, read: 0, rows: 0 }] }, undefined],
    ['in one digit', { sources: [{ ...source, size: 12_345_678 }] }, 1_000_000],
    [
      'of which the first are shorter',
      { sources: [{ ...source, size: 23_000, read: 2600, rows: 2600 }], rows: { read: 2600 } },
      17_400,
    ],
    ['of an input that was mostly read', { sources: [{ ...source, read: 910, rows: 910 }], rows: { read: 910 } }, 90],
  ])('%s', (_name, parts, rows) => {
    expect(unreadRows(books(parts))).toBe(rows);
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

const stop = (code: StopCode): Stop => ({ code, message: 'It stopped.' });

describe('the exit code', () => {
  const unknownBefore: Parts = { rows: { skipped: 2 }, sentBefore: [{ run: 'a', state: 'unknown', rows: 2 }] };
  const cases: [string, number, Parts, ExitOptions?][] = [
    ['every row delivered', 0, { rows: { delivered: 10 } }],
    ['a header alone', 0, {}],
    ['skipped and duplicate rows only', 0, { rows: { skipped: 1, duplicate: 1 } }],
    ['counts that do not reconcile', 1, { rows: { read: 9, delivered: 10 } }],
    [
      'counts that do not reconcile in an interrupted run',
      1,
      { rows: { read: 9 }, state: 'interrupted', stop: stop('signal') },
      { signal: 'SIGINT' },
    ],
    ['a complete run with something pending', 1, { rows: { pending: 1 } }],
    ['Ctrl-C', 130, { state: 'interrupted', stop: stop('signal') }, { signal: 'SIGINT' }],
    ['an interruption by an unknown signal', 130, { state: 'interrupted', stop: stop('signal') }],
    ['SIGTERM', 143, { state: 'interrupted', stop: stop('signal') }, { signal: 'SIGTERM' }],
    ['SIGHUP', 143, { state: 'interrupted', stop: stop('signal') }, { signal: 'SIGHUP' }],
    ['a refused key', 5, { state: 'stopped', stop: stop('key'), rows: { pending: 9, unknown: 1 } }],
    ['an outage', 6, { state: 'stopped', stop: stop('outage'), rows: { unknown: 1 } }],
    ['an input that failed', 6, { state: 'stopped', stop: stop('input'), rows: { delivered: 1 } }],
    ['a run without its end', 6, { state: 'running', rows: { pending: 1 } }],
    ['exhausted rows', 4, { rows: { exhausted: 1, invalid: 1 } }],
    ['unknown rows', 4, { rows: { unknown: 1 } }],
    ['rows that an earlier run left unknown', 4, unknownBefore],
    ['a check of rows that an earlier run left unknown', 0, unknownBefore, { isCheck: true }],
    ['invalid rows', 3, { rows: { invalid: 1, delivered: 1 } }],
    ['refused rows', 3, { rows: { refused: 1 } }],
    ['records that the service rejected', 3, { rows: { delivered: 1 }, service: { rejected: 1 } }],
    ['records missing in the receipts', 3, { rows: { delivered: 1 }, service: { unaccounted: 1 } }],
    ['extra records in the receipts', 3, { rows: { delivered: 1 }, service: { unaccounted: -1 } }],
    ['invalid rows with --fail-on never', 0, { rows: { invalid: 1 } }, { failOn: 'never' }],
    ['as many invalid rows as allowed', 0, { rows: { invalid: 5, delivered: 95 } }, { failOn: 5 }],
    ['more invalid rows than allowed', 3, { rows: { invalid: 6, delivered: 94 } }, { failOn: 5 }],
    ['unknown rows with --fail-on never', 4, { rows: { unknown: 1 } }, { failOn: 'never' }],
    ['a check with valid rows', 0, { rows: { pending: 9 } }, { isCheck: true }],
    ['a check with invalid rows', 3, { rows: { pending: 9, invalid: 1 } }, { isCheck: true }],
  ];
  it.each(cases)('of %s is %i', (_name, code, parts, options) => {
    expect(exitCodeOf(books(parts), options)).toBe(code);
  });
});

it('is the most severe code of several runs', () => {
  expect(firstExitCode([0, 3, 6, 4])).toBe(6);
  expect(firstExitCode([])).toBe(0);
});
