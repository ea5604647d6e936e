import { describe, expect, it } from 'vitest';
import type { Stop, StopCode } from '../../src/model/outcome.ts';
import { type ExitOptions, exitCodeOf, firstExitCode } from '../../src/report/exit-code.ts';
import { books, type Parts } from '../support/run-states.ts';

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
