import { describe, expect, it } from 'vitest';
import type { Issue } from '../../src/model/row.ts';
import {
  describeIssue,
  describeIssues,
  describeNotes,
  describeProblem,
  describeSentBefore,
  describeStop,
} from '../../src/report/problem-text.ts';
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
    ['wait', 'max_wait'],
    ['answers', 'base URL'],
    ['refusals', 'operator of the service'],
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

const firstNotes = new Map([
  ['omitted:warmth_hint', { source: 0, line: 14 }],
  ['omitted:detected_at', { source: 0, line: 3 }],
]);

describe('describeNotes', () => {
  it.each([
    ['date_only:detected_at', 12, 'detected_at: 12 dates without a time were set to midnight UTC.'],
    ['date_only:detected_at', 1, 'detected_at: 1 date without a time was set to midnight UTC.'],
    ['no_offset:detected_at', 3, 'detected_at: 3 date-times without a time zone were left as written.'],
    ['no_offset:detected_at', 1, 'detected_at: 1 date-time without a time zone was left as written.'],
    ['no_seconds:detected_at', 3, 'detected_at: 3 date-times without seconds were completed with :00.'],
    [
      'omitted:warmth_hint',
      2,
      'warmth_hint: 2 invalid values were omitted, first at in.csv:14 (`invalid: omit` in the mapping).',
    ],
    [
      'omitted:detected_at',
      1,
      'detected_at: 1 invalid value was omitted, at in.csv:3 (`invalid: omit` in the mapping).',
    ],
    [
      'free_mail:company_domain',
      40,
      'company_domain: 40 addresses at a free e-mail provider such as gmail.com identify no company; the field was omitted.',
    ],
    [
      'free_mail:company_domain',
      1,
      'company_domain: 1 address at a free e-mail provider such as gmail.com identifies no company; the field was omitted.',
    ],
    ['left_out:industry', 1200, 'industry: omitted from 1,200 rows; variant a has no such field.'],
    [
      'nul:description',
      2,
      "description: 2 values with the character U+0000 (NUL) were left unchanged; many databases refuse it. To find it: `grep -naP '\\x00|\\\\u0000' FILE`.",
    ],
    ['something_new:x', 4, 'something_new:x: 4 rows.'],
    ['other:', 4, 'Other notes: 4 rows.'],
  ])('describes %s for %i rows', (note, rows, sentence) => {
    expect(describeNotes({ notes: new Map([[note, rows]]), firstNotes, variant: 'a' }, ['in.csv'])).toEqual([sentence]);
  });

  it('lists at most ten open values of a field, the most frequent first', () => {
    const notes = new Map<string, number>([
      ['open_value:platform=mastodon', 2],
      ['open_value:platform=blue=sky', 30],
      ['open_value:engagement_type=\x1b[2J', 1],
    ]);
    for (let index = 0; index < 12; index += 1) notes.set(`open_value:signal_family=f${index}`, 100 - index);
    expect(describeNotes({ notes, firstNotes }, ['in.csv'])).toEqual([
      'platform: values that the API does not name: blue=sky (30) and mastodon (2).',
      'engagement_type: values that the API does not name: \\x1b[2J (1).',
      'signal_family: values that the API does not name: f0 (100), f1 (99), f2 (98), f3 (97), f4 (96), f5 (95), f6 (94), f7 (93), f8 (92), f9 (91) and 2 more.',
    ]);
  });

  it('returns no sentences without notes', () => {
    expect(describeNotes({ notes: new Map(), firstNotes }, [])).toEqual([]);
  });
});

it('names the earlier run that has sent rows', () => {
  expect(
    describeSentBefore([
      { run: 'monday', state: 'delivered', rows: 2 },
      { run: 'monday', state: 'unknown', rows: 1 },
    ]),
  ).toEqual([
    '2 rows were already delivered by monday and not sent again (--again resends them).',
    '1 row was already sent by monday, may have arrived, and was not sent again.',
  ]);
});
