import { describe, expect, it } from 'vitest';
import { contracts } from '../../src/contract/index.ts';
import { RunReasons } from '../../src/journal/run-reasons.ts';
import type { Candidate, RecordType, Variant } from '../../src/model/record.ts';
import type { CheckSummary, QualityResult } from '../../src/model/summary.ts';
import { createRecordReader } from '../../src/prepare/record.ts';
import { Quality, SuggestionCollector } from '../../src/report/check-quality.ts';
import {
  type CheckContext,
  type CheckResult,
  checkText,
  suggestedOptions,
  suggestionLines,
} from '../../src/report/check-text.ts';
import { books } from '../support/run-states.ts';
import { suggest } from '../support/suggest.ts';

const noQuality: QualityResult = {
  rows: 0,
  fields: [],
  variants: [],
};

const signal = { company_name: 'Acme', company_domain: 'acme.com', signal_title: 'T', signal_source: 'news' };
const names = Object.keys(signal);

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
    quality: qualityOf('signals', 'b', [...names, 'industry'], [{ candidate: signal }]),
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

  it('shows the invalid lines, the time at a rate, the remarks and the fields that are not full', () => {
    expect(textOf(bad, context, details).split('\n')).toStrictEqual([
      'in.csv  CSV',
      '4,998 of 5,000 rows would be sent in 50 requests (1.2 MB), which takes at least 9.8 s; 2 invalid.',
      '  1  company_name (Company)  missing               :12',
      '  1  signal_source (Kind)    not an allowed value  :14 "Job\\x1b[2J"',
      'Notes',
      '  - detected_at: 1 date without a time was set to midnight UTC.',
      'Warnings',
      '  - A warning.',
      'Fields',
      '  partly filled: industry 0%',
      '  not mapped, but recommended: signal_family (improves classification accuracy)',
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

  it('has every field, variant and a record in the details', () => {
    const text = textOf(bad, { ...context, isDetailed: true }, details);
    expect(text).toContain('  company_name     100%  required\n');
    expect(text).toContain('Valid rows per variant\n  a               1  valid row  omits industry (0 rows)\n');
    expect(text).toContain('"company_name": "Acme \\u202e",\n');
    expect(text).toContain('in.csv: CSV, comma, 7 columns\nMarket signals, variant b.\n');
  });

  it('names the variant that would send more rows, and what it does not send', () => {
    const variants = [
      { variant: 'b' as const, chosen: true, valid: 3, leavesOut: [], lacks: [] },
      { variant: 'a' as const, chosen: false, valid: 4, leavesOut: [{ field: 'industry', rows: 2 }], lacks: [] },
    ];
    const text = textOf({ ...good, quality: { ...noQuality, variants } });
    expect(text).toContain('  - Variant a would send 1 more row, but leave out industry: `--variant a`.\n');
    const [one, other] = variants;
    const equal = [one, { ...other, valid: 3 }] as typeof variants;
    expect(textOf({ ...good, quality: { ...noQuality, variants: equal } })).not.toContain('would send 1');
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

describe('the suggestions of a check', () => {
  const collector = new SuggestionCollector((field) => field !== 'signal_source');
  collector.addCandidate({ source: 0, line: 2 }, { industry: 'N/A', location: 'Hamburg', notes: '-' }, (field) =>
    field === 'notes' ? undefined : field,
  );
  const issue = { code: 'number', expected: 'a number' } as const;
  collector.addIssues({ source: 0, line: 3 }, [
    { ...issue, field: 'hotness_score', found: 'NULL' },
    { ...issue, field: 'detected_at', found: '30+ days ago' },
    { ...issue, field: 'signal_source', found: 'newspaper' },
  ]);
  const suggestions = collector.result({});

  it('are words that mean no value, and optional fields with invalid values', () => {
    expect(suggestionLines(suggestions, ['in.csv'])).toEqual([
      'industry, hotness_score: "N/A", "NULL" look like "no value" (first at in.csv:2). To treat them as empty: `--empty N/A --empty NULL`.',
      'detected_at is optional and has 1 invalid value (at in.csv:3). To send these rows without it: `--setting omit_invalid=detected_at`.',
    ]);
  });

  it('are options that need no editor', () => {
    expect(suggestedOptions(suggestions)).toEqual([
      '--empty',
      'N/A',
      '--empty',
      'NULL',
      '--setting',
      'omit_invalid=detected_at',
    ]);
  });
});

interface Given {
  readonly candidate: Candidate;
  readonly issues?: readonly { readonly field: string }[];
  readonly tooLarge?: true;
}

/** Validates as the program does. */
function qualityOf(
  type: RecordType,
  variant: Variant | undefined,
  mapped: readonly string[],
  rows: readonly Given[],
): QualityResult {
  const contract = contracts[type];
  const readRecord = createRecordReader(contract, variant, (field) => field);
  const quality = new Quality(contract, variant, new Set(mapped));
  for (const { candidate, issues = [], tooLarge } of rows) {
    const failed = issues.map(({ field }) => ({ code: 'type' as const, field, expected: 'something else' }));
    const verdict =
      tooLarge === true
        ? { issues: [{ code: 'size' as const }] }
        : readRecord({ candidate, issues: failed, notes: [] });
    quality.add({ candidate, issues, verdict });
  }
  return quality.result();
}

describe('Quality', () => {
  it('counts the values of valid and invalid rows', () => {
    const { rows, fields } = qualityOf(
      'signals',
      'b',
      [...names, 'hotness_score'],
      [
        { candidate: { ...signal, signal_source: 'Job Posting', hotness_score: '7' } },
        { candidate: { ...signal, signal_source: 'job_posting', company_name: 'Beta' } },
        // Invalid: no title.
        {
          candidate: { company_name: 'Acme', company_domain: 'acme.com', signal_source: 'JOB-POSTING' },
        },
        // A transform rejected the value.
        { candidate: signal, issues: [{ field: 'hotness_score' }] },
      ],
    );
    expect(rows).toBe(4);
    expect(fields.map(({ field, filled }) => [field, filled])).toEqual([
      ['company_name', 4],
      ['company_domain', 4],
      ['signal_title', 3],
      ['signal_source', 4],
      ['signal_family', 0],
      ['hotness_score', 2],
    ]);
    expect(fields.find(({ field }) => field === 'signal_family')).toMatchObject({
      mapped: false,
      sent: true,
      required: false,
      recommended: 'improves classification accuracy',
    });
  });

  it('validates every row under every variant, including transforms', () => {
    const { company_domain: _, ...noDomain } = signal;
    const { variants } = qualityOf(
      'signals',
      'a',
      [...names, 'hotness_score', 'source_url'],
      [
        { candidate: { ...signal, hotness_score: 'high', source_url: 'https://a.example' } },
        { candidate: noDomain },
        { candidate: { ...signal, hotness_score: 3 } },
        { candidate: { ...signal, company_name: undefined } },
        { candidate: signal, tooLarge: true },
      ],
    );
    expect(variants).toEqual([
      { variant: 'a', chosen: true, valid: 3, leavesOut: [{ field: 'hotness_score', rows: 2 }], lacks: [] },
      { variant: 'b', chosen: false, valid: 1, leavesOut: [{ field: 'source_url', rows: 1 }], lacks: [] },
      { variant: 'both', chosen: false, valid: 1, leavesOut: [], lacks: [] },
    ]);
    const failed = qualityOf(
      'signals',
      'b',
      [...names, 'hotness_score'],
      [{ candidate: signal, issues: [{ field: 'hotness_score' }] }],
    );
    expect(failed.variants.map(({ valid }) => valid)).toEqual([1, 0, 0]);
  });

  it('lists the required fields of a variant that are not mapped', () => {
    const { company_domain: _, ...noDomain } = signal;
    const { variants } = qualityOf('signals', 'a', Object.keys(noDomain), [{ candidate: noDomain }]);
    expect(variants.map(({ variant, valid, lacks }) => [variant, valid, lacks])).toEqual([
      ['a', 1, []],
      ['b', 0, ['company_domain']],
      ['both', 0, ['company_domain']],
    ]);
  });

  it('has no variants for social events', () => {
    expect(qualityOf('social', undefined, ['platform'], []).variants).toEqual([]);
  });
});
