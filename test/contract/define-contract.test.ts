/**
 * The contracts against interface.md, written here by hand: names, required fields and bytes on the wire are not
 * taken from the code that they judge.
 */
import { describe, expect, it } from 'vitest';
import { contracts, recordTypes } from '../../src/contract/index.ts';
import type { Variant } from '../../src/model/record.ts';

const { signals, social } = contracts;

const A = ['company_name', 'company_domain', 'signal_name', 'source', 'description', 'source_url', 'detected_at'];
const B = [
  'company_name',
  'company_domain',
  'signal_title',
  'signal_source',
  'description',
  'notes',
  'detected_at',
  'signal_family',
  'industry',
  'funding_amount',
  'employee_count',
  'location',
  'hotness_score',
];
const EVENT = [
  'platform',
  'engagement_type',
  'engager_profile_url',
  'company_domain',
  'warmth_hint',
  'engager_name',
  'engager_title',
  'engager_company',
  'engagement_content',
  'post_content',
  'post_url',
  'engagement_date',
];

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

const wireNames = (variant?: Variant): readonly string[] =>
  (variant === undefined ? social : signals).fieldsOf(variant).flatMap(({ names }) => names);
const required = (variant?: Variant): readonly string[] =>
  (variant === undefined ? social : signals).fieldsOf(variant).flatMap(({ names, required: is }) => (is ? names : []));

describe('the table of contracts', () => {
  it('has both operations of the interface', () => {
    expect(recordTypes).toEqual(['signals', 'social']);
    expect([signals.path, signals.envelope, signals.limit, signals.deduplicates]).toEqual([
      '/v1/signals/ingest',
      'signals',
      100,
      true,
    ]);
    expect([social.path, social.envelope, social.limit, social.deduplicates]).toEqual([
      '/v1/social/ingest',
      'events',
      100,
      false,
    ]);
  });

  it('uses each field name and alias once', () => {
    for (const { fields } of [signals, social]) {
      const names = fields.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
      expect(new Set(names).size).toBe(names.length);
    }
  });
});

describe('the fields of a variant', () => {
  it('have the names of the interface', () => {
    expect([...wireNames('a')].sort()).toEqual([...A].sort());
    expect([...wireNames('b')].sort()).toEqual([...B].sort());
    expect([...wireNames('both')].sort()).toEqual([...new Set([...A, ...B])].sort());
    expect([...wireNames()].sort()).toEqual([...EVENT].sort());
  });

  it('are required as in the interface; under both, if either variant requires them', () => {
    expect([...required('a')].sort()).toEqual(['company_name', 'signal_name', 'source']);
    expect([...required('b')].sort()).toEqual(['company_domain', 'company_name', 'signal_source', 'signal_title']);
    expect([...required('both')].sort()).toEqual([
      'company_domain',
      'company_name',
      'signal_name',
      'signal_source',
      'signal_title',
      'source',
    ]);
    expect(required()).toEqual(['platform', 'engagement_type']);
  });

  it('are empty for a variant that does not apply', () => {
    expect(social.fieldsOf('a')).toEqual([]);
    expect(signals.fieldsOf()).toEqual([]);
  });
});

describe('a field', () => {
  it('is found by its name and its alias', () => {
    expect(signals.field('source')).toBe(signals.field('signal_source'));
    expect(signals.field('signal_name')).toBe(signals.field('signal_title'));
    expect(signals.field('signal_name')?.name).toBe('signal_title');
    expect(signals.field('platform')).toBeUndefined();
    expect(signals.field('constructor')).toBeUndefined();
  });
});

describe('the schema of a record', () => {
  it('requires the required fields of its variant', () => {
    const { company_domain: _, ...noDomain } = FULL;
    expect(signals.schema('a').safeParse(noDomain).success).toBe(true);
    expect(signals.schema('b').safeParse(noDomain).success).toBe(false);
    expect(signals.schema('both').safeParse(noDomain).success).toBe(false);
    expect(social.schema().safeParse({ platform: 'linkedin' }).success).toBe(false);
  });

  it('drops fields that the variant does not have', () => {
    const record = signals.schema('a').parse(FULL);
    expect(Object.keys(record).sort()).toEqual([
      'company_domain',
      'company_name',
      'description',
      'detected_at',
      'signal_source',
      'signal_title',
      'source_url',
    ]);
  });

  it('has no keys for absent fields', () => {
    const record = social.schema().parse({ platform: 'linkedin', engagement_type: 'like' });
    expect(Object.keys(record)).toEqual(['platform', 'engagement_type']);
  });

  it('limits warmth_hint to 0 to 100', () => {
    const event = (warmth_hint: unknown) =>
      social.schema().safeParse({ platform: 'x', engagement_type: 'like', warmth_hint }).success;
    expect([0, 100, '50', -1, 101, 0.5, 'hot'].map(event)).toEqual([true, true, true, false, false, false, false]);
  });

  it.each([
    'funding',
    'job_posting',
    'linkedin',
    'news',
    'review_site',
    'tech_install',
    'twitter',
    'web_visit',
    'other',
  ])('takes the source %s', (signal_source) => {
    expect(signals.schema('b').parse({ ...FULL, signal_source })['signal_source']).toBe(signal_source);
  });
});

describe('an encoded record', () => {
  it('has the names of variant a', () => {
    expect(signals.encoder('a')(FULL)).toBe(
      '{"company_name":"Acme","company_domain":"acme.com","signal_name":"Acme raised $5M","source":"funding","description":"Series \\"A\\"","source_url":"https://x.example/1","detected_at":"2026-11-20T09:15:00Z"}',
    );
  });

  it('has the names of variant b', () => {
    expect(signals.encoder('b')(FULL)).toBe(
      '{"company_name":"Acme","company_domain":"acme.com","signal_title":"Acme raised $5M","signal_source":"funding","description":"Series \\"A\\"","notes":"n","detected_at":"2026-11-20T09:15:00Z","signal_family":"growth","industry":"Software","funding_amount":5000000,"employee_count":"11-50","location":"Köln","hotness_score":87}',
    );
  });

  it('has both names of the two differing fields under both', () => {
    const { company_name, company_domain, signal_title, signal_source } = FULL;
    expect(JSON.parse(signals.encoder('both')({ company_name, company_domain, signal_title, signal_source }))).toEqual({
      company_name: 'Acme',
      company_domain: 'acme.com',
      signal_name: 'Acme raised $5M',
      signal_title: 'Acme raised $5M',
      source: 'funding',
      signal_source: 'funding',
    });
  });

  it('has the names of a social engagement event', () => {
    expect(social.encoder()({ engagement_type: 'like', platform: 'linkedin', warmth_hint: 0 })).toBe(
      '{"platform":"linkedin","engagement_type":"like","warmth_hint":0}',
    );
  });

  it("does not depend on the order of the record's keys", () => {
    const turned = Object.fromEntries(Object.entries(FULL).reverse());
    for (const variant of ['a', 'b', 'both'] as const)
      expect(signals.encoder(variant)(turned)).toBe(signals.encoder(variant)(FULL));
  });

  it('is valid for the wire schema', () => {
    for (const variant of ['a', 'b', 'both'] as const) {
      const element: unknown = JSON.parse(signals.encoder(variant)(FULL));
      expect(signals.wire(variant).safeParse(element).success).toBe(true);
    }
    expect(signals.wire('b').safeParse(JSON.parse(signals.encoder('a')(FULL))).success).toBe(false);
  });
});

describe('the wire schema', () => {
  it('allows unknown keys', () => {
    expect(social.wire().safeParse({ platform: 'x', engagement_type: 'y', extra: {} }).success).toBe(true);
  });

  it('refuses numbers as text and other spellings', () => {
    expect(social.wire().safeParse({ platform: 'x', engagement_type: 'y', warmth_hint: '50' }).success).toBe(false);
    const element = { company_name: 'A', signal_name: 'T', source: 'Job Posting' };
    expect(signals.wire('a').safeParse(element).success).toBe(false);
    expect(signals.wire('a').safeParse({ ...element, source: 'job_posting' }).success).toBe(true);
  });
});

describe('a receipt', () => {
  it('of the signals operation has three counts', () => {
    const body = {
      success: true,
      batchId: 'b1',
      stats: { accepted: 90, deduplicated: 8, rejected: 2 },
      more: 1,
    };
    expect(signals.receipt.parse(body)).toEqual({
      batchId: 'b1',
      accepted: 90,
      deduplicated: 8,
      rejected: 2,
    });
  });

  it('of the social operation has the promoted leads', () => {
    expect(social.receipt.parse({ success: true, batchId: 'b1', promotedToPipeline: 3 })).toEqual({
      batchId: 'b1',
      promoted: 3,
    });
  });

  it.each([
    { success: false, batchId: 'b', stats: { accepted: 1, deduplicated: 0, rejected: 0 } },
    { success: true, stats: { accepted: 1, deduplicated: 0, rejected: 0 } },
    { success: true, batchId: 'b', stats: { accepted: 1, deduplicated: 0 } },
    { success: true, batchId: 'b', stats: { accepted: '1', deduplicated: 0, rejected: 0 } },
    { success: true, batchId: 'b', stats: { accepted: -1, deduplicated: 0, rejected: 0 } },
    { success: true, batchId: 'b', promotedToPipeline: 1 },
    'OK',
    null,
  ])('of the market operation is not %j', (body) => {
    expect(signals.receipt.safeParse(body).success).toBe(false);
  });

  it.each([
    { success: false, batchId: 'b', promotedToPipeline: 0 },
    { success: true, batchId: 'b' },
    { success: true, batchId: 'b', promotedToPipeline: 1.5 },
    { success: true, batchId: 7, promotedToPipeline: 1 },
  ])('of the social operation is not %j', (body) => {
    expect(social.receipt.safeParse(body).success).toBe(false);
  });
});
