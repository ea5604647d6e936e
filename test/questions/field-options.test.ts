import { describe, expect, it } from 'vitest';
import { type FieldMapping, withOverrides } from '../../src/map/index.ts';
import { questionLines } from '../../src/questions/continue-commands.ts';
import { fieldOption } from '../../src/questions/field-question.ts';
import { openQuestions } from '../../src/questions/mapping-proposal.ts';
import { problemsOf } from '../support/problems.ts';
import { proposalOf } from '../support/proposals.ts';

describe('the option for an answer', () => {
  it.each<[string, FieldMapping]>([
    ['signal_source', { value: 'news' }],
    ['company_name', { column: 'Organization Name' }],
    ['company_name', { column: 'a=b' }],
    ['company_name', { column: 'Name {legal}' }],
    ['company_domain', { column: 'Website', as: 'domain' }],
    ['company_domain', { column: 'Web: "site"', as: 'domain' }],
    ['signal_title', { template: '{Company} raised {Amount}: "now"' }],
    ['detected_at', { column: 'Announced (M/D/Y)', as: 'date', format: 'M/d/yyyy' }],
    ['funding_amount', { column: 'Raised', as: 'number', scale: 1_000_000 }],
    ['signal_source', { column: 'Kind', values: { 'Series B': 'funding', Jobs: 'job_posting' } }],
    ['industry', { first: ['Industry', 'Sector'] }],
  ])('%s %j is read back', (field, mapping) => {
    const [option, value] = fieldOption(field, mapping);
    const given = { columns: option === '-c' ? [value] : [], constants: option === '-c' ? [] : [value] };
    expect(withOverrides({ fields: {} }, given)).toEqual({ fields: { [field]: mapping } });
  });

  it('with an invalid mapping in braces is refused with its problem', () => {
    const given = { columns: ['detected_at={ column: On, as: dat }'], constants: [] };
    expect(problemsOf(() => withOverrides({ fields: {} }, given))).toMatchObject([
      { code: 'mapping.value', where: '--column detected_at:1' },
    ]);
  });
});

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
