import { expect, test } from 'vitest';
import { type ExplainResult, explainText } from '../../src/report/runs-text.ts';

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
