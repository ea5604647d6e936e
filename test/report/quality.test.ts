import { describe, expect, it } from 'vitest';
import { contracts } from '../../src/contract/index.ts';
import type { Candidate, RecordType, Variant } from '../../src/model/record.ts';
import type { QualityResult } from '../../src/model/summary.ts';
import { createRecordReader } from '../../src/record/index.ts';
import { qualitySections } from '../../src/report/check-text.ts';
import { Quality } from '../../src/report/quality.ts';

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

const signal = { company_name: 'Acme', company_domain: 'acme.com', signal_title: 'T', signal_source: 'news' };
const names = Object.keys(signal);

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

describe('qualitySections', () => {
  it('shows fill rates, empty recommended fields and variants', () => {
    const { company_domain: _, ...noDomain } = signal;
    const quality = qualityOf(
      'signals',
      'a',
      [...names, 'industry'],
      [
        { candidate: { ...signal, industry: 'Software' } },
        { candidate: noDomain },
        { candidate: { ...signal, company_name: 'Beta' } },
      ],
    );
    expect(qualitySections(quality, 'a')).toEqual([
      [
        'Fields with a value, in 3 readable rows',
        '  company_name     100%  required',
        '  company_domain  66.7%',
        '  signal_title     100%  required',
        '  signal_source    100%  required',
        '  industry        33.3%  omitted: variant a has no such field',
      ].join('\n'),
      [
        'Recommended fields without a value',
        '  - company_domain: empty in 1 of 3 rows. The API recommends it: used for account matching.',
      ].join('\n'),
      [
        'Valid rows per variant',
        '  a (this check)  3  valid rows  omits industry (1 row)',
        '  b               2  valid rows  omits nothing',
        '  both            2  valid rows  omits nothing',
      ].join('\n'),
    ]);
  });

  it('shows 0% and 100% only for none and all', () => {
    const field = { mapped: true, sent: true, required: false };
    const [fields] = qualitySections(
      {
        rows: 1_000_000,
        fields: [
          { ...field, field: 'engager_name', filled: 999_999 },
          { ...field, field: 'engager_title', filled: 1 },
          { ...field, field: 'post_url', filled: 0 },
        ],
        variants: [],
      },
      undefined,
    );
    expect(fields?.split('\n').slice(1)).toEqual([
      '  engager_name   > 99.9%',
      '  engager_title  < 0.1%',
      '  post_url          0%',
    ]);
  });

  it('is empty without readable rows', () => {
    expect(qualitySections(qualityOf('social', undefined, [], []), undefined)).toEqual([]);
  });
});
