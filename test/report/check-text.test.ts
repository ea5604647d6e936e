import { describe, expect, it } from 'vitest';
import type { CheckSummary, QualityResult } from '../../src/model/summary.ts';
import { type CheckContext, type CheckResult, checkText } from '../../src/report/check-text.ts';
import { createReasons } from '../../src/report/failure-reasons.ts';

import { books } from '../support/run-states.ts';
import { suggest } from '../support/suggest.ts';

const noQuality: QualityResult = {
  rows: 0,
  fields: [],
  variants: [],
};

const good: CheckSummary = {
  schemaVersion: 1,
  toolVersion: '0.1.0',
  dryRun: true,
  state: 'complete',
  exitCode: 0,
  balanced: true,
  type: 'signals',
  variant: 'b',
  inputs: [{ name: 'in.csv', description: ['CSV', 'comma', '7 columns'] }],
  description: [],
  rows: { read: 5000, valid: 5000, invalid: 0, skipped: 0, duplicate: 0 },
  requests: 50,
  bytes: 1_234_567,
  quality: noQuality,
  suggestions: { empty: [], omitInvalid: [], zone: {} },
  warnings: [],
  invalid: [],
  notes: {},
};

/** The text of a check with this summary. */
function textOf(summary: CheckSummary, about = context, details: Partial<CheckResult> = {}): string {
  return checkText({ summary, runState: books(), reasons: createReasons(), ...details }, about);
}

const context: CheckContext = {
  suggest,
  upload: ['upload', 'in.csv', '--sandbox'],
  isPiped: false,
};

describe('the text of a check', () => {
  it('is short if there are no problems, and ends with the command to upload', () => {
    expect(textOf(good)).toBe(
      [
        'Checked in.csv. Nothing was sent.',
        '  in.csv: CSV, comma, 7 columns',
        '',
        '  5,000  rows   read, of these:',
        '  5,000  valid  would be sent',
        '',
        'An upload would send 50 requests (1.2 MB in total), as fast as the service answers (see --rate).',
        '',
        'No problems found. To upload:',
        '  npx signals upload in.csv --sandbox',
      ].join('\n'),
    );
  });

  it('shows the invalid lines, the time at a rate, the quality of the data and one record', () => {
    const reasons = createReasons();
    reasons.add({ source: 0, line: 12 }, [{ code: 'missing', field: 'company_name', column: 'Company' }]);
    reasons.add({ source: 0, line: 14 }, [
      { code: 'enum', field: 'signal_source', column: 'Kind', found: 'Job\x1b[2J' },
    ]);
    const text = textOf(
      {
        ...good,
        description: ['Market signals, variant b.'],
        rows: { read: 5000, valid: 4998, invalid: 2, skipped: 0, duplicate: 0 },
        quality: {
          ...noQuality,
          rows: 4999,
          variants: [
            {
              variant: 'a',
              chosen: false,
              valid: 5000,
              leavesOut: [{ field: 'industry', rows: 1 }],
              lacks: [],
            },
            { variant: 'b', chosen: true, valid: 1, leavesOut: [], lacks: ['company_domain'] },
          ],
        },
        atLeastSeconds: 9.8,
        sample: { company_name: 'Acme \u202e', hotness_score: 3 },
        warnings: [{ code: 'x', message: 'A warning.' }],
      },
      context,
      { reasons, runState: books({ notes: new Map([['left_out:notes', 1]]) }) },
    );
    expect(text).toBe(
      [
        'Checked in.csv. Nothing was sent.',
        '  in.csv: CSV, comma, 7 columns',
        '  Market signals, variant b.',
        '',
        '  5,000  rows     read, of these:',
        '  4,998  valid    would be sent',
        '      2  invalid  would not be sent',
        '',
        'An upload would send 50 requests (1.2 MB in total) in at least 9.8 s at the given rate.',
        '',
        'Why rows are invalid',
        '  1  company_name (from Company) is missing',
        '      in.csv:12',
        '  1  signal_source (from Kind) is not one of the allowed values',
        '      in.csv:14: found Job\\x1b[2J',
        '',
        'Valid rows per variant',
        '  a               5,000  valid rows  omits industry (1 row)',
        '  b (this check)      1  valid row   requires company_domain, which is not mapped; omits nothing',
        '',
        'Notes',
        '  - notes: omitted from 1 row; variant b has no such field.',
        '',
        'Warnings',
        '  - A warning.',
        '',
        'One record, as it would be sent',
        '  {',
        '    "company_name": "Acme \\u202e",',
        '    "hotness_score": 3',
        '  }',
        '',
        'To upload the valid rows (the invalid ones go to a rejects file for you to fix):',
        '  npx signals upload in.csv --sandbox',
      ].join('\n'),
    );
  });

  it('does not end well if values are not sent, and names the variant that sends them', () => {
    const variants = (lacks: readonly string[]) => [
      { variant: 'a' as const, chosen: true, valid: 5000, leavesOut: [{ field: 'industry', rows: 4000 }], lacks: [] },
      { variant: 'b' as const, chosen: false, valid: 0, leavesOut: [], lacks },
    ];
    const ending = (lacks: readonly string[]) =>
      textOf({ ...good, quality: { ...noQuality, variants: variants(lacks) } })
        .split('\n')
        .slice(-3);
    expect(ending(['company_domain'])).toEqual([
      'Not sent, because variant a does not have it: industry (4,000 rows). To send it in variant b, map company_domain with `-c company_domain=COLUMN`.',
      'No row is invalid. To upload:',
      '  npx signals upload in.csv --sandbox',
    ]);
    expect(ending([])[0]).toMatch(/To send it in variant b, pass `--variant b`\.$/);
  });

  it('says that there is nothing to upload', () => {
    const rows = { read: 0, valid: 0, invalid: 0, skipped: 0, duplicate: 0 };
    const text = textOf({ ...good, rows, requests: 0, bytes: 0 });
    expect(text).toContain('An upload would send nothing.');
    expect(text).toMatch(/Nothing to upload\.$/);
  });

  it('suggests no upload if no row is valid', () => {
    const rows = { read: 3, valid: 0, invalid: 3, skipped: 0, duplicate: 0 };
    const text = textOf({ ...good, rows, requests: 0, bytes: 0 });
    expect(text).toMatch(/Fix the input or the mapping: no row would be sent\.$/);
    expect(text).not.toContain('npx signals upload');
  });

  it('asks for the data of a pipe again', () => {
    const piped = { ...context, upload: ['upload', '--sandbox'], isPiped: true };
    expect(textOf(good, piped)).toMatch(/pipe the same data into:\n {2}npx signals upload --sandbox$/);
  });
});
