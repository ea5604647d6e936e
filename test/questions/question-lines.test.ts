import { expect, it } from 'vitest';
import { questionLines } from '../../src/questions/continue-commands.ts';
import { openQuestions } from '../../src/questions/mapping-proposal.ts';
import { proposalOf } from '../support/proposals.ts';

it('a value that is proposed for every row is not offered a second time', () => {
  const posts = [1, 2, 3].map((n) => ['like', `Person ${n}`, `https://www.linkedin.com/posts/${n}`] as const);
  const proposal = proposalOf('social', [['Type', 'Person', 'Post'], ...posts]);
  const questions = openQuestions(proposal, new Map()).filter(({ field }) => field === 'platform');
  const lines = questionLines(proposal, questions);
  expect(lines.filter((line) => line.includes('linkedin'))).toEqual([
    '    linkedin in every row',
    '      --set platform=linkedin',
  ]);
  expect(lines.at(-1)).toMatch(/^ {4}--set platform=VALUE: twitter, .* or another value$/);
});

it('two readings of a date are shown with a date that they read differently', () => {
  const rows = ['1/1/2026', '3/4/2026', '25/4/2026'].map((date) => ['Northwind', 'Opens a plant', date]);
  const proposal = proposalOf('signals', [['Company Name', 'Signal Title', 'When'], ...rows]);
  const options = ['M/d/yyyy', 'd/M/yyyy'].map((format) => ({
    ...{ field: 'detected_at', mapping: { column: 'When', as: 'date', format } as const, columns: ['When'] },
    ...{ confidence: 0.9, reason: '' },
  }));
  const lines = questionLines(proposal, [{ field: 'detected_at', why: '', options }]);
  expect(lines.filter((line) => line.includes('3/4/2026 -> '))).toHaveLength(2);
});
