import { describe, expect, it } from 'vitest';
import { RunReasons } from '../../src/journal/run-reasons.ts';
import type { CheckSummary } from '../../src/model/summary.ts';
import { type CheckContext, type CheckResult, checkText } from '../../src/report/check-text.ts';
import { books } from '../support/run-states.ts';
import { suggest } from '../support/suggest.ts';

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
  warnings: [],
  invalid: [],
  notes: {},
};

/** The text of a check with this summary. */
function textOf(summary: CheckSummary, about = context, details: Partial<CheckResult> = {}): string {
  return checkText(
    { summary, brief: ['in.csv  CSV'], runState: books(), reasons: new RunReasons(), ...details },
    about,
  );
}

const context: CheckContext = {
  suggest,
  upload: ['upload', 'in.csv', '--sandbox'],
  isPiped: false,
  isDetailed: false,
};

describe('the text of a check', () => {
  it('is short if there are no problems, and ends with the command to upload', () => {
    expect(textOf(good)).toBe(
      [
        'in.csv  CSV',
        '5,000 of 5,000 rows would be sent in 50 requests (1.2 MB).',
        'Upload   npx signals upload in.csv --sandbox',
      ].join('\n'),
    );
  });

  const reasons = new RunReasons();
  reasons.add({ source: 0, line: 12 }, [{ code: 'missing', field: 'company_name', column: 'Company' }]);
  reasons.add({ source: 0, line: 14 }, [{ code: 'enum', field: 'signal_source', column: 'Kind', found: 'Job\x1b[2J' }]);
  const bad: CheckSummary = {
    ...good,
    description: ['Market signals, variant b.'],
    rows: { read: 5000, valid: 4998, invalid: 2, skipped: 0, duplicate: 0 },
    atLeastSeconds: 9.8,
    sample: { company_name: 'Acme \u202e', hotness_score: 3 },
    warnings: [{ code: 'x', message: 'A warning.' }],
  };
  const details = {
    reasons,
    runState: books({
      notes: new Map([
        ['date_only:detected_at', 1],
        // The first lines name the fields that the variant does not have.
        ['left_out:notes', 1],
      ]),
    }),
  };

  it('shows the invalid lines, the time at a rate, and the remarks', () => {
    expect(textOf(bad, context, details).split('\n')).toStrictEqual([
      'in.csv  CSV',
      '4,998 of 5,000 rows would be sent in 50 requests (1.2 MB), which takes at least 9.8 s; 2 invalid.',
      '  1  company_name (Company)  missing               :12',
      '  1  signal_source (Kind)    not an allowed value  :14 "Job\\x1b[2J"',
      'Notes',
      '  - detected_at: 1 date without a time was set to midnight UTC.',
      'Warnings',
      '  - A warning.',
      'Upload   npx signals upload in.csv --sandbox',
    ]);
  });

  it('has at most 25 lines', () => {
    const many = new RunReasons();
    for (let n = 0; n < 60; n += 1) many.add({ source: 0, line: n }, [{ code: 'type', field: `field_${n}` }]);
    const warnings = Array.from({ length: 30 }, (_, n) => ({ code: 'x', message: `Warning ${n}.`, hint: 'Do it.' }));
    const notes = new Map(Array.from({ length: 30 }, (_, n) => [`date_only:field_${n}`, 1] as const));
    const text = textOf({ ...bad, warnings }, context, { reasons: many, runState: books({ notes }) });
    expect(text.split('\n').length).toBeLessThanOrEqual(25);
    expect(text).toContain('57 more reasons: npx signals check -v in.csv --sandbox');
  });

  it('has every remark and a record in the details', () => {
    const text = textOf(bad, { ...context, isDetailed: true }, details);
    expect(text).toContain('  - notes: omitted from 1 row; variant b has no such field.\n');
    expect(text).toContain('"company_name": "Acme \\u202e",\n');
    expect(text).toContain('in.csv: CSV, comma, 7 columns\nMarket signals, variant b.\n');
  });

  it('says that there is nothing to upload', () => {
    const rows = { read: 0, valid: 0, invalid: 0, skipped: 0, duplicate: 0 };
    const text = textOf({ ...good, rows, requests: 0, bytes: 0 });
    expect(text).toMatch(/Nothing to upload\.$/);
  });

  it('suggests no upload if no row is valid', () => {
    const rows = { read: 3, valid: 0, invalid: 3, skipped: 0, duplicate: 0 };
    const text = textOf({ ...good, rows, requests: 0, bytes: 0 });
    expect(text).toMatch(/Fix the input or the mapping\.$/);
    expect(text).not.toContain('npx signals upload');
  });

  it('asks for the data of a pipe again', () => {
    const piped = { ...context, upload: ['upload', '--sandbox'], isPiped: true };
    expect(textOf(good, piped)).toMatch(/Pipe the same data into:\n +npx signals upload --sandbox$/);
  });
});
