/**
 * The contracts against interface.md, written here by hand: names, required fields and bytes on the wire are not
 * taken from the code that they judge.
 */
import { describe, expect, it } from 'vitest';
import { contracts, recordTypes } from '../../src/contract/index.ts';
import type { Variant } from '../../src/model/record.ts';

const { signals, social } = contracts;

it('describes a record of each variant in one JSON Schema', () => {
  expect(signals.jsonSchema()).toMatchObject({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    anyOf: [
      { title: 'signals, variant a', type: 'object', required: ['company_name', 'signal_name', 'source'] },
      {
        title: 'signals, variant b',
        properties: { company_name: { type: 'string', examples: ['Northwind Robotics'] } },
      },
      { title: 'signals, variant both' },
    ],
  });
  expect(social.jsonSchema()).toMatchObject({ title: 'social', required: ['platform', 'engagement_type'] });
});

const A = 'company_name company_domain signal_name source description source_url detected_at'.split(' ');
const B = [
  ...'company_name company_domain signal_title signal_source description notes detected_at signal_family'.split(' '),
  ...'industry funding_amount employee_count location hotness_score'.split(' '),
];
const EVENT = [
  ...'platform engagement_type engager_profile_url company_domain warmth_hint engager_name engager_title'.split(' '),
  ...'engager_company engagement_content post_content post_url engagement_date'.split(' '),
];

const wireNames = (variant?: Variant): readonly string[] =>
  (variant === undefined ? social : signals).fieldsOf(variant).flatMap(({ names }) => names);
const required = (variant?: Variant): readonly string[] =>
  (variant === undefined ? social : signals).fieldsOf(variant).flatMap(({ names, required: is }) => (is ? names : []));

it('has both operations of the API', () => {
  const told = recordTypes.map((type) => contracts[type]);
  expect(
    told.map(({ type, path, envelope, limit, deduplicates }) => [type, path, envelope, limit, deduplicates]),
  ).toEqual([
    ['signals', '/v1/signals/ingest', 'signals', 100, true],
    ['social', '/v1/social/ingest', 'events', 100, false],
  ]);
});

describe('the fields of a variant', () => {
  it('have the names of the API', () => {
    expect([...wireNames('a')].sort()).toEqual([...A].sort());
    expect([...wireNames('b')].sort()).toEqual([...B].sort());
    expect([...wireNames('both')].sort()).toEqual([...new Set([...A, ...B])].sort());
    expect([...wireNames()].sort()).toEqual([...EVENT].sort());
  });

  it('are required as in the API; under both, if either variant requires them', () => {
    expect([...required('a')].sort()).toEqual(['company_name', 'signal_name', 'source']);
    expect([...required('b')].sort()).toEqual(['company_domain', 'company_name', 'signal_source', 'signal_title']);
    expect(new Set(required('both'))).toEqual(new Set([...required('a'), ...required('b')]));
    expect(required()).toEqual(['platform', 'engagement_type']);
  });
});
