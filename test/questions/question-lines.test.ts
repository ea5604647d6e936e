import { expect, it } from 'vitest';
import { mappingFileFor, questionLines } from '../../src/questions/continue-commands.ts';
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

it.each([
  ['pipeline.xlsx:Q4 Hiring', 'pipeline.xlsx-Q4 Hiring.mapping.yaml'],
  ['C:\\data\\in.zip:inner/a.csv', 'C:\\data\\in.zip-inner-a.csv.mapping.yaml'],
  ['exports/', 'exports.mapping.yaml'],
])('the mapping of %s is saved under a name that Windows allows, next to it', (input, name) => {
  expect(mappingFileFor(input)).toBe(name);
});
