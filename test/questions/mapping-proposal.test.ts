import { describe, expect, test } from 'vitest';
import { tryMapping, withAnswers } from '../../src/questions/mapping-proposal.ts';
import { proposalOf } from '../support/proposals.ts';

const LAYOFFS = [
  ['Company Name', 'total_laid_off', 'Website'],
  ['Northwind', '500', 'northwind.example'],
  ['Brightleaf', 'NULL', 'brightleaf.example'],
] as const;
const TITLE = { template: '{Company Name} laid off {TOTAL_LAID_OFF} people' };
const SOURCE = { value: 'news' };

describe('words for no value, such as NULL', () => {
  test('count as empty in a text made of columns that an option gives', () => {
    const proposal = proposalOf('signals', LAYOFFS, { fields: { signal_title: TITLE, signal_source: SOURCE } });
    expect(proposal.document.empty).toEqual(['NULL']);
    expect(tryMapping(proposal)).toMatchObject({ rows: 2, valid: 1 });
  });

  test('count as empty in a text made of columns that the user types', () => {
    const { document, sample } = withAnswers(proposalOf('signals', LAYOFFS), new Map([['signal_title', TITLE]]));
    expect([document.empty, sample.empty]).toEqual([['NULL'], ['NULL']]);
  });

  test('count as empty where a question tells what becomes of the values', () => {
    const table = [
      ['Announced', 'Company Name'],
      ['3/4/2026', 'Northwind'],
      ['-', 'Brightleaf'],
    ];
    const { discovered } = proposalOf('signals', table);
    expect(discovered.questions.map(({ field }) => field)).toContain('detected_at');
    expect([discovered.document.empty, discovered.emptyIfAnswered]).toEqual([undefined, ['-']]);
  });

  test('count as empty in the first of several columns', () => {
    const first = { first: ['total_laid_off', 'Company Name'] };
    expect(proposalOf('signals', LAYOFFS, { fields: { signal_title: first } }).document.empty).toEqual(['NULL']);
  });

  test('stay keys of a table of values', () => {
    const values = { column: 'total_laid_off', values: { NULL: 'unknown' }, otherwise: 'known' };
    expect(proposalOf('signals', LAYOFFS, { fields: { signal_title: values } }).document.empty).toBeUndefined();
  });
});

test('a sampled row with the error of a sheet in a mapped column is not valid', () => {
  const proposal = proposalOf('signals', LAYOFFS, { fields: { signal_title: TITLE, signal_source: SOURCE } });
  const issue = { column: 'Company Name', text: '#N/A', found: 'the error #N/A', expected: 'a value' };
  const sampled = [{ content: ['#N/A', '500', 'northwind.example'], cellIssues: [issue] }];
  expect(tryMapping({ ...proposal, sample: { ...proposal.sample, sampled } })).toMatchObject({ rows: 1, valid: 0 });
});

test('a bare name beside the company of a job is its title', () => {
  const { discovered } = proposalOf('signals', [
    ['name', 'salary', 'companyName', 'url'],
    ['Data Engineer', '7K-14K', 'Northwind', 'https://jobs.example/1.htm'],
    ['Account Manager', '4K-6K', 'Brightleaf', 'https://jobs.example/2.htm'],
  ]);
  const asked = discovered.questions.flatMap(({ options }) => options.slice(0, 1));
  const title = [...discovered.used, ...asked].find(({ field }) => field === 'signal_title');
  expect(title?.mapping).toEqual({ column: 'name' });
});
