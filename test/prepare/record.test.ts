import { describe, expect, it } from 'vitest';
import { contracts } from '../../src/contract/index.ts';
import type { Candidate, RecordType, Variant } from '../../src/model/record.ts';
import type { Issue } from '../../src/model/row.ts';
import { createRecordReader, type RecordResult } from '../../src/prepare/record.ts';

const COLUMNS: Readonly<Record<string, string>> = {
  company_name: 'Company',
  platform: 'Network',
  signal_source: 'Kind',
  signal_title: '{Company} raised {Amount}',
};

function validate(
  type: RecordType,
  variant: Variant | undefined,
  candidate: Candidate,
  issues: readonly Issue[] = [],
  notes: readonly string[] = [],
): RecordResult {
  return createRecordReader(contracts[type], variant, (field) => COLUMNS[field])({ candidate, issues, notes });
}

const SIGNAL = { company_name: 'Acme', signal_title: 'Title', signal_source: 'news' };
const EVENT = { platform: 'linkedin', engagement_type: 'like' };

/** A signal with every field there is. */
const FULL = {
  company_name: 'Acme',
  company_domain: 'acme.com',
  signal_title: 'Acme raised $5M',
  signal_source: 'funding',
  description: 'Series "A"',
  notes: 'n',
  source_url: 'https://x.example/1',
  detected_at: '2026-11-20T09:15:00Z',
  signal_family: 'growth',
  industry: 'Software',
  funding_amount: 5000000,
  employee_count: '11-50',
  location: 'Köln',
  hotness_score: 87,
};

/** The JSON of a candidate of the variant's type; undefined if it is invalid. */
function jsonOf(variant: Variant | undefined, candidate: Candidate): string | undefined {
  const result = validate(variant === undefined ? 'social' : 'signals', variant, candidate);
  return 'json' in result ? result.json : undefined;
}

function recordOf(variant: Variant | undefined, candidate: Candidate): Record<string, unknown> {
  return JSON.parse(jsonOf(variant, candidate) ?? '{}');
}

describe('a record', () => {
  it('drops fields that the variant does not have', () => {
    expect(Object.keys(recordOf('a', FULL)).sort()).toEqual([
      'company_domain',
      'company_name',
      'description',
      'detected_at',
      'signal_name',
      'source',
      'source_url',
    ]);
  });
});

describe('the JSON of a record', () => {
  it('has both names of the two differing fields under both', () => {
    const { company_name, company_domain, signal_title, signal_source } = FULL;
    expect(recordOf('both', { company_name, company_domain, signal_title, signal_source })).toEqual({
      company_name: 'Acme',
      company_domain: 'acme.com',
      signal_name: 'Acme raised $5M',
      signal_title: 'Acme raised $5M',
      source: 'funding',
      signal_source: 'funding',
    });
  });
});

describe('a number that JSON parsing rounds', () => {
  it('is invalid, with a hint to quote it', () => {
    const { issues } = {
      issues: [],
      ...validate('signals', 'b', {
        ...SIGNAL,
        company_domain: 'acme.com',
        employee_count: 2 ** 64,
        hotness_score: 2 ** 64,
      }),
    };
    expect(issues).toMatchObject([
      { code: 'type', field: 'employee_count', hint: expect.stringContaining('put it in quotes') },
      { code: 'number', field: 'hotness_score' },
    ]);
    // Quotes would not make this a number.
    expect(issues[1]?.hint).toBeUndefined();
  });
});

describe('a valid candidate', () => {
  it('becomes a record with the names of its variant and valid values', () => {
    expect(
      validate('signals', 'a', { ...SIGNAL, signal_source: 'Job Posting', detected_at: '2026-11-20T09:15:00Z' }),
    ).toEqual({
      json: '{"company_name":"Acme","signal_name":"Title","source":"job_posting","detected_at":"2026-11-20T09:15:00Z"}',
      notes: [],
    });
  });

  it('has the notes of its mapping and of its values', () => {
    expect(
      validate(
        'signals',
        'b',
        { ...SIGNAL, company_domain: 'acme.com', detected_at: '2026-11-20', signal_family: 'Growth' },
        [],
        ['left_out:source_url'],
      ),
    ).toMatchObject({ notes: ['left_out:source_url', 'date_only:detected_at', 'open_value:signal_family=Growth'] });
    expect(validate('signals', 'a', { ...SIGNAL, detected_at: '2026-11-20T09:15:00' })).toMatchObject({
      notes: ['no_offset:detected_at'],
    });
  });

  it('has a note for a NUL, unless it has another one for the value', () => {
    const notes = (type: RecordType, candidate: Candidate) =>
      Object(validate(type, type === 'signals' ? 'a' : undefined, candidate)).notes;
    expect(notes('signals', { ...SIGNAL, description: 'a\0b' })).toEqual(['nul:description']);
    expect(notes('social', { ...EVENT, engagement_type: 'a\0b' })).toEqual(['open_value:engagement_type=a\0b']);
  });

  it('has its own note, also after many different values and when values repeat', () => {
    const judge = createRecordReader(contracts.social, undefined, (field) => field);
    for (const turn of [1, 2]) {
      for (let index = 0; index < 3000; index += 1) {
        const candidate = { ...EVENT, engagement_type: `kind ${index}` };
        expect([turn, judge({ candidate, issues: [], notes: [] })]).toMatchObject([
          turn,
          { notes: [`open_value:engagement_type=kind ${index}`] },
        ]);
      }
    }
  });

  it('has a note for an unknown value of an open list, cut at 40 characters', () => {
    expect(validate('social', undefined, { platform: 'LinkedIn', engagement_type: 'x'.repeat(50) })).toEqual({
      json: JSON.stringify({ platform: 'linkedin', engagement_type: 'x'.repeat(50) }),
      notes: [`open_value:engagement_type=${'x'.repeat(39)}…`],
    });
  });
});

describe('an invalid candidate', () => {
  it('has one issue for each invalid field, in the order of the API', () => {
    const result = validate('signals', 'b', {
      signal_source: 'fundin',
      detected_at: '11/20/2026',
      industry: ['Software'],
      location: { city: 'Berlin' },
      hotness_score: 'high',
      funding_amount: true,
    });
    expect(result).toEqual({
      issues: [
        { code: 'missing', field: 'company_name', column: 'Company', expected: 'a text' },
        { code: 'missing', field: 'company_domain', expected: 'a text' },
        { code: 'missing', field: 'signal_title', column: '{Company} raised {Amount}', expected: 'a text' },
        {
          code: 'enum',
          field: 'signal_source',
          column: 'Kind',
          found: 'fundin',
          expected: 'one of funding, job_posting, linkedin, news, review_site, tech_install, twitter, web_visit, other',
          hint: 'did you mean funding?',
        },
        {
          code: 'date',
          field: 'detected_at',
          found: '11/20/2026',
          expected: 'an ISO 8601 date-time such as 2026-11-20T09:15:00Z, or a date such as 2026-11-20',
        },
        { code: 'type', field: 'industry', found: 'an array of 1', expected: 'a text' },
        { code: 'type', field: 'funding_amount', found: 'true', expected: 'a text or a number' },
        { code: 'type', field: 'location', found: 'an object', expected: 'a text or a number' },
        { code: 'number', field: 'hotness_score', found: 'high', expected: 'a number such as 87 or 0.5' },
      ],
    });
  });

  it('has no missing-field issue for a field whose transform failed', () => {
    const failed: Issue = { code: 'domain', field: 'company_domain', column: 'Site', found: 'x', expected: 'a domain' };
    const { company_name, ...rest } = SIGNAL;
    expect(validate('signals', 'b', rest, [failed])).toEqual({
      issues: [expect.objectContaining({ code: 'missing', field: 'company_name' }), failed],
    });
    expect(validate('signals', 'a', { company_name, ...rest }, [failed])).toEqual({ issues: [failed] });
  });

  it('has the type as its issue where no kind of value is right', () => {
    const given = { ...SIGNAL, company_domain: 'x.com', signal_source: 12, hotness_score: [1], detected_at: {} };
    const codes = Object(validate('signals', 'b', given)).issues.map(({ code, hint }: Issue) => [code, hint]);
    expect(codes).toEqual([
      ['enum', undefined],
      ['type', undefined],
      ['type', undefined],
    ]);
  });

  it('cuts a long value at the limit, and has no hint if no value is near', () => {
    const result = validate('signals', 'a', { ...SIGNAL, signal_source: `acquisition ${'y'.repeat(200)}` });
    expect(result).toMatchObject({ issues: [{ found: `acquisition ${'y'.repeat(67)}…` }] });
    expect('issues' in result && result.issues[0]?.hint).toBeUndefined();
  });
});

describe('a candidate of constants only', () => {
  const columnOf = (field: string): string | undefined => (field === 'engager_name' ? 'Who' : undefined);
  const check = (candidate: Candidate, filled?: readonly string[]): RecordResult =>
    createRecordReader(contracts.social, undefined, columnOf)({ candidate, filled, issues: [], notes: [] });

  it('is invalid', () => {
    expect(check(EVENT)).toMatchObject({ issues: [{ code: 'constants' }] });
    expect(check({ ...EVENT, engager_name: 'Ana' })).toHaveProperty('json');
    expect(check({ ...EVENT, engager_name: 'Ana' }, ['engager_name'])).toMatchObject({
      issues: [{ code: 'constants' }],
    });
    expect(check({ ...EVENT, engager_name: 'Ana' }, ['platform'])).toHaveProperty('json');
  });
});
