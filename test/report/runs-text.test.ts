import { expect, test } from 'vitest';
import { noRows } from '../../src/journal/apply-event.ts';
import { type ExplainResult, explainText, listText, type RunLine } from '../../src/report/runs-text.ts';

const result: ExplainResult = {
  run: 'r',
  rejected: 3,
  named: 0,
  requests: 4,
  left: 1,
  failure: 'HTTP 422: {"error":"no"}',
  unaccounted: [],
  contradictions: [],
  stop: undefined,
  rejects: [],
};

const commands = {
  upload: '',
  suggest: (...words: readonly string[]) => ['signals', ...words].join(' '),
};

test('batches that are left have the command that continues, but not where it could store records twice', () => {
  expect(explainText(result, commands)).toContain('To continue:\n    signals runs explain r');
  const accepted = explainText({ ...result, stop: 'accepted' }, commands);
  expect(accepted).toContain('1 batch is not examined to the end: HTTP 422: no.');
  expect(accepted).not.toContain('signals runs explain');
});

test('the list has the rows that are left, an estimate of them, or a question mark', () => {
  const line = {
    run: 'r',
    folder: 'r',
    startedAt: '',
    type: 'signals',
    sandbox: false,
    inputs: ['in.csv'],
    next: null,
  };
  const rest = { ...line, state: 'stopped', rows: noRows(), delivered: 7 } as const;
  const leftOf = (left: number, isEstimate: boolean): string | undefined =>
    / 7 *(\S*)$/.exec(listText([{ ...rest, left, isEstimate } as RunLine], 0).trimEnd())?.[1];
  expect([leftOf(0, false), leftOf(3, false), leftOf(3, true), leftOf(0, true)]).toEqual(['', '3', '~3', '?']);
});
