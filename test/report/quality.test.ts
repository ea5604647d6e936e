import { describe, expect, it } from 'vitest';
import { contracts } from '../../src/contract/index.ts';
import type { Candidate, RecordType, Variant } from '../../src/model/record.ts';
import { createQuality, type QualityResult } from '../../src/report/quality.ts';
import { sheet } from '../../src/report/quality-text.ts';

interface Given {
  readonly line: number;
  readonly source?: number;
  readonly candidate: Candidate;
  readonly issues?: readonly { readonly field: string }[];
  readonly tooLarge?: true;
}

/** Judges by the contract's own schema, as the program does. */
function qualityOf(
  type: RecordType,
  variant: Variant | undefined,
  mapped: readonly string[],
  rows: readonly Given[],
): QualityResult {
  const contract = contracts[type];
  const schema = contract.schema(variant);
  const quality = createQuality(contract, variant, new Set(mapped));
  for (const { line, source = 0, candidate, issues = [], tooLarge } of rows) {
    const parsed = schema.safeParse(candidate);
    const verdict =
      tooLarge === true
        ? { issues: [{ code: 'size' as const }] }
        : parsed.success && issues.length === 0
          ? { record: parsed.data }
          : { issues: [{ code: 'type' as const }] };
    quality.add({ position: { source, line }, candidate, issues, verdict });
  }
  return quality.result();
}

const signal = { company_name: 'Acme', company_domain: 'acme.com', signal_title: 'T', signal_source: 'news' };
const names = Object.keys(signal);

describe('the data-quality sheet', () => {
  it('counts values that are there, and different ones, in valid and invalid rows', () => {
    const { rows, fields } = qualityOf(
      'signals',
      'b',
      [...names, 'hotness_score'],
      [
        { line: 2, candidate: { ...signal, signal_source: 'Job Posting', hotness_score: '7' } },
        { line: 3, candidate: { ...signal, signal_source: 'job_posting', company_name: 'Beta' } },
        // Invalid: no title, and a source of another spelling that is the same one.
        {
          line: 4,
          candidate: { company_name: 'Acme', company_domain: 'acme.com', signal_source: 'JOB-POSTING' },
        },
        // A transform could make nothing of what is in the column.
        { line: 5, candidate: signal, issues: [{ field: 'hotness_score' }] },
      ],
    );
    expect(rows).toBe(4);
    expect(
      fields.map(({ field, filled, distinct }) => [field, filled, distinct.count, distinct.exact]),
    ).toEqual([
      ['company_name', 4, 2, true],
      ['company_domain', 4, 1, true],
      ['signal_title', 3, 1, true],
      ['signal_source', 4, 2, true],
      ['signal_family', 0, 0, true],
      ['hotness_score', 2, 1, true],
    ]);
    expect(fields.find(({ field }) => field === 'signal_family')).toMatchObject({
      mapped: false,
      sent: true,
      required: false,
      recommended: 'improves classification accuracy',
    });
  });

  it('judges every row under every variant, transforms included', () => {
    const { company_domain: _, ...noDomain } = signal;
    const { variants } = qualityOf(
      'signals',
      'a',
      [...names, 'hotness_score', 'source_url'],
      [
        { line: 2, candidate: { ...signal, hotness_score: 'high', source_url: 'https://a.example' } },
        { line: 3, candidate: noDomain },
        { line: 4, candidate: { ...signal, hotness_score: 3 } },
        { line: 5, candidate: { ...signal, company_name: undefined } },
        { line: 6, candidate: signal, tooLarge: true },
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
      [{ line: 2, candidate: signal, issues: [{ field: 'hotness_score' }] }],
    );
    expect(failed.variants.map(({ valid }) => valid)).toEqual([1, 0, 0]);
  });

  it('says which required fields of another variant nothing is mapped to', () => {
    const { company_domain: _, ...noDomain } = signal;
    const { variants } = qualityOf('signals', 'a', Object.keys(noDomain), [{ line: 2, candidate: noDomain }]);
    expect(variants.map(({ variant, valid, lacks }) => [variant, valid, lacks])).toEqual([
      ['a', 1, []],
      ['b', 0, ['company_domain']],
      ['both', 0, ['company_domain']],
    ]);
  });

  it('takes signals of the same company, title, source and day for duplicates', () => {
    const at = (detected_at: string) => ({ ...signal, detected_at });
    const { duplicates } = qualityOf(
      'signals',
      'b',
      [...names, 'detected_at'],
      [
        { line: 2, candidate: at('2026-11-20T09:15:00Z') },
        { line: 3, source: 1, candidate: { ...at('2026-11-20'), company_name: 'ACME', description: 'x' } },
        { line: 4, candidate: at('2026-11-21') },
        { line: 5, candidate: { ...at('2026-11-20'), signal_title: 'T 2' } },
        // Invalid rows are not sent, and so no duplicates.
        { line: 6, candidate: { ...at('2026-11-20'), company_domain: undefined } },
      ],
    );
    expect(duplicates).toEqual({
      rows: 1,
      atLeast: false,
      by: ['company_name', 'signal_title', 'signal_source', 'detected_at'],
      examples: [{ source: 1, line: 3, first: { source: 0, line: 2 } }],
    });
  });

  it('takes only events that agree in every field for duplicates, and shows three', () => {
    const event = { platform: 'linkedin', engagement_type: 'like', engager_name: 'Ann' };
    const { duplicates, variants } = qualityOf(
      'social',
      undefined,
      Object.keys(event),
      [event, { ...event, engager_name: 'ann' }, event, event, event, event].map((candidate, index) => ({
        line: index + 2,
        candidate,
      })),
    );
    expect(duplicates).toMatchObject({ rows: 4, by: [] });
    expect(duplicates.examples.map(({ line, first }) => [line, first.line])).toEqual([
      [4, 2],
      [5, 2],
      [6, 2],
    ]);
    expect(variants).toEqual([]);
  });
});

describe('the sheet in words', () => {
  it('has a section for each question', () => {
    const { company_domain: _, ...noDomain } = signal;
    const quality = qualityOf(
      'signals',
      'a',
      [...names, 'industry'],
      [
        { line: 2, candidate: { ...signal, industry: 'Software' } },
        { line: 3, candidate: noDomain },
        { line: 4, candidate: { ...signal, company_name: 'Beta' } },
      ],
    );
    expect(sheet(quality, { names: ['in.csv'], type: 'signals', variant: 'a' })).toEqual([
      [
        'What the fields hold, in the 3 rows that could be read',
        '  company_name     100%  2 different values  required',
        '  company_domain  66.7%  1 different value',
        '  signal_title     100%  1 different value   required',
        '  signal_source    100%  1 different value   required',
        '  industry        33.3%  1 different value   left out: variant a has no such field',
      ].join('\n'),
      [
        'Recommended, and empty',
        '  - company_domain: empty in 1 of 3 rows. The interface says of it: used for account matching.',
      ].join('\n'),
      [
        'Likely duplicates',
        '  1 valid row agrees with an earlier one in company_name, signal_title, signal_source.',
        '  The service recognises duplicates by rules of its own and counts them as deduplicated.',
        '      in.csv:3 is like in.csv:2',
      ].join('\n'),
      [
        'Under each variant',
        '  a (this check)  3  valid rows  leaves out industry (1 row)',
        '  b               2  valid rows  leaves nothing out',
        '  both            2  valid rows  leaves nothing out',
      ].join('\n'),
    ]);
  });

  it('never says all or none of what is only nearly so, and shows an estimate as one', () => {
    const field = { mapped: true, sent: true, required: false, distinct: { count: 123_456, exact: false } };
    const [fields] = sheet(
      {
        rows: 1_000_000,
        fields: [
          { ...field, field: 'engager_name', filled: 999_999 },
          { ...field, field: 'engager_title', filled: 1 },
          { ...field, field: 'post_url', filled: 0 },
        ],
        duplicates: { rows: 7, atLeast: true, by: [], examples: [] },
        variants: [],
      },
      { names: ['in.csv'], type: 'social', variant: undefined },
    );
    expect(fields?.split('\n').slice(1)).toEqual([
      '  engager_name   99.9%  about 123,000 different values',
      '  engager_title   0.1%  about 123,000 different values',
      '  post_url        0.0%  about 123,000 different values',
    ]);
  });

  it('says that there may be more duplicates than it could remember', () => {
    const text = sheet(
      {
        rows: 2,
        fields: [],
        duplicates: { rows: 7, atLeast: true, by: [], examples: [] },
        variants: [],
      },
      { names: [], type: 'social', variant: undefined },
    ).join('\n');
    expect(text).toContain('At least 7 valid rows agree with an earlier one in every field.');
    expect(text).toContain('the service may count them twice');
  });

  it('is empty where no row could be read', () => {
    expect(
      sheet(qualityOf('social', undefined, [], []), { names: [], type: 'social', variant: undefined }),
    ).toEqual([]);
  });
});
