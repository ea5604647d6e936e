/**
 * Market signals: interface.md, "Market signal", "POST /v1/signals/ingest", "Batch result".
 *
 * The API has two sets of field names and does not specify which one the service accepts. Variant b's names are
 * canonical here; variant a's are aliases. A field without a type in the API accepts any text or number.
 */
import { z } from 'zod';
import { count } from '../lib/units.ts';
import { defineContract, optionalText } from './define-contract.ts';
import { dateTime, number, oneOf, open, textKind, untyped } from './value-kinds.ts';

const SOURCES = [
  'funding',
  'job_posting',
  'linkedin',
  'news',
  'review_site',
  'tech_install',
  'twitter',
  'web_visit',
  'other',
] as const;

/** Names that partners write where the API has a kind of source. */
const SOURCE_NAMES = {
  g2: 'review_site',
  capterra: 'review_site',
  trustpilot: 'review_site',
  indeed: 'job_posting',
  techcrunch: 'news',
  website: 'web_visit',
  x: 'twitter',
};

const natural = z.int().min(0);

export const signals = defineContract({
  type: 'signals',
  title: 'market signals',
  about: 'news of companies, such as funding, jobs or technology',
  unit: 'row',
  path: '/v1/signals/ingest',
  envelope: 'signals',
  limit: 100,
  documentsLimit: true,
  deduplicates: true,
  fields: [
    {
      name: 'company_name',
      kind: textKind,
      wire: { a: { name: 'company_name', required: true }, b: { name: 'company_name', required: true } },
      about: 'The company that the signal is about.',
      example: 'Northwind Robotics',
    },
    {
      name: 'company_domain',
      kind: textKind,
      wire: { a: { name: 'company_domain' }, b: { name: 'company_domain', required: true } },
      recommended: 'used for account matching',
      about: "The company's domain, such as acme.com.",
      example: 'northwindrobotics.example',
    },
    {
      name: 'signal_title',
      aliases: ['signal_name'],
      kind: textKind,
      wire: { a: { name: 'signal_name', required: true }, b: { name: 'signal_title', required: true } },
      about: 'What happened, in a few words.',
      example: 'Raised $24M Series B',
    },
    {
      name: 'signal_source',
      aliases: ['source'],
      kind: oneOf(SOURCES, SOURCE_NAMES),
      wire: { a: { name: 'source', required: true }, b: { name: 'signal_source', required: true } },
      about: 'The kind of source that the signal comes from.',
      example: 'funding',
    },
    optionalText(
      ['a', 'b'],
      'description',
      'What happened, in detail.',
      'Led by Harbor Lane Capital, to double the field team.',
    ),
    optionalText(['b'], 'notes', "Variant b's alternative to description.", 'Ask about the new plant.'),
    optionalText(['a'], 'source_url', 'URL of the source.', 'https://news.example/northwind-series-b'),
    {
      name: 'detected_at',
      kind: dateTime,
      wire: { a: { name: 'detected_at' }, b: { name: 'detected_at' } },
      about: 'When it was detected.',
      example: '2026-11-20T09:15:00Z',
    },
    {
      name: 'signal_family',
      kind: open([]),
      wire: { b: { name: 'signal_family' } },
      recommended: 'improves classification accuracy',
      about: 'The group of signals that it belongs to.',
      example: 'growth',
    },
    optionalText(['b'], 'industry', "The company's industry.", 'Industrial automation'),
    {
      name: 'funding_amount',
      kind: untyped({ numericCells: true }),
      wire: { b: { name: 'funding_amount' } },
      about: 'How much the company raised.',
      example: 24_000_000,
    },
    {
      name: 'employee_count',
      kind: untyped({ numericCells: true }),
      wire: { b: { name: 'employee_count' } },
      about: 'Number of employees.',
      example: 180,
    },
    {
      name: 'location',
      kind: untyped({ numericCells: false }),
      wire: { b: { name: 'location' } },
      about: 'Location of the company.',
      example: 'Hamburg, Germany',
    },
    {
      name: 'hotness_score',
      kind: number,
      wire: { b: { name: 'hotness_score' } },
      about: 'How hot the signal is; the API specifies no scale.',
      example: 82,
    },
  ],
  receipt: z
    .object({
      success: z.literal(true),
      batchId: z.string(),
      stats: z.object({ accepted: natural, deduplicated: natural, rejected: natural }),
    })
    .transform(({ batchId, stats }) => ({ batchId, ...stats })),
  counts: ['accepted', 'deduplicated', 'rejected'],
  describeCounts: ({ accepted, deduplicated, rejected }) =>
    `${count(accepted)} accepted, ${count(deduplicated)} deduplicated, ${count(rejected)} rejected.`,
});
