import { describe, expect, it } from 'vitest';
import type { Issue } from '../../src/model/row.ts';
import { describeIssue, describeIssues, describeProblem, describeStop } from '../../src/report/problem-text.ts';
import { suggest } from '../support/suggest.ts';

const missing: Issue = { code: 'missing', field: 'company_name', column: 'Company', expected: 'a text' };

describe('describeIssue', () => {
  const table: [Issue, string][] = [
    [missing, 'company_name is missing (column Company has no value)'],
    [{ code: 'missing', field: 'company_name', expected: 'a text' }, 'company_name is missing'],
    [
      { code: 'missing', field: 'signal_title', column: '{Company} raised {Amount}', expected: 'a text' },
      'signal_title is missing (a part of template {Company} raised {Amount} has no value)',
    ],
    [
      {
        code: 'missing',
        field: 'signal_source',
        column: 'Kind',
        expected: 'one of funding, news',
        hint: 'add it',
      },
      'signal_source is missing (column Kind has no value), expected one of funding, news; add it',
    ],
    [
      {
        code: 'enum',
        field: 'signal_source',
        column: 'Kind',
        found: 'Job Postin',
        expected: 'one of funding, job_posting',
        hint: 'did you mean job_posting?',
      },
      'signal_source (column Kind): found "Job Postin", expected one of funding, job_posting; did you mean job_posting?',
    ],
    [
      {
        code: 'range',
        field: 'warmth_hint',
        column: 'warmth_hint',
        found: '120',
        expected: 'an integer from 0 to 100',
      },
      'warmth_hint: found "120", expected an integer from 0 to 100',
    ],
    [
      {
        code: 'type',
        field: 'description',
        column: 'about.text',
        found: 'an array of 3',
        expected: 'a text',
      },
      'description (column about.text): found an array of 3, expected a text',
    ],
    [{ code: 'columns', found: '5 cells', expected: '7 cells' }, 'found 5 cells, expected 7 cells'],
    [{ code: 'size', expected: 'a row of at most 1 MiB' }, 'expected a row of at most 1 MiB'],
    [
      { code: 'date', field: 'detected_at', column: 'At\x1b[2J', found: '1\n2\u202e', expected: 'a date' },
      'detected_at (column At\\x1b[2J): found "1\\n2\\u202e", expected a date',
    ],
  ];
  it.each(table)('describes %j', (issue, sentence) => {
    expect(describeIssue(issue)).toBe(sentence);
  });

  it('cuts an excerpt that is too long', () => {
    const sentence = describeIssue({
      code: 'number',
      field: 'x',
      found: '9'.repeat(5000),
      expected: 'a number',
    });
    expect(sentence).toBe(`x: found "${'9'.repeat(79)}…", expected a number`);
  });

  it('joins all issues of a row in one line', () => {
    expect(describeIssues([missing, { code: 'columns', found: '5 cells', expected: '7 cells' }])).toBe(
      'company_name is missing (column Company has no value); found 5 cells, expected 7 cells',
    );
  });
});

describe('describeProblem', () => {
  it('puts what to do on a line of its own', () => {
    expect(
      describeProblem({
        code: 'input.missing',
        message: 'No such file.',
        where: 'in.csv:12',
        hint: 'Check the name.\nOr pipe it in.',
      }),
    ).toBe('in.csv:12: No such file.\n  Check the name.\n  Or pipe it in.');
  });

  it('needs neither a place nor a hint', () => {
    expect(describeProblem({ code: 'x', message: 'It failed.' })).toBe('It failed.');
  });

  it('lets no text of a file act on the terminal or begin a line', () => {
    const text = describeProblem({
      code: 'x',
      message: 'found \x1b[2Ja\nDone.',
      where: 'a\rb.csv',
      hint: '\x9b1m',
    });
    expect(text).toBe('a\\rb.csv: found \\x1b[2Ja\n  Done.\n  \\x9b1m');
  });
});

describe('describeStop', () => {
  it("uses the stop's own message and hint", () => {
    expect(
      describeStop({ code: 'wait', message: 'HTTP 429: wait until 12:00.', hint: 'Begin at 12:00.' }, suggest),
    ).toBe('HTTP 429: wait until 12:00.\n  Begin at 12:00.');
  });

  it.each([
    ['key', 'npx signals config set api_key'],
    ['address', 'npx signals config get base_url'],
    ['wait', 'max_wait'],
    ['outage', 'service is up'],
    ['answers', 'base URL'],
    ['refusals', 'operator of the service'],
    ['canary', 'start a new run'],
    ['invalid', 'start a new run'],
    ['rows', 'upload the complete one'],
    ['storage', '--out'],
    ['input', 'read to the end'],
    ['changed', 'has finished'],
  ] as const)('has a hint for %s', (code, words) => {
    const [, hint] = describeStop({ code, message: 'It stopped.' }, suggest).split('\n  ');
    expect(hint).toContain(words);
  });

  it('has no hint for an interruption', () => {
    expect(describeStop({ code: 'signal', message: 'Interrupted.' }, suggest)).toBe('Interrupted.');
  });
});
