/**
 * Social engagement events: interface.md, "Social engagement event", "POST /v1/social/ingest", "Batch result".
 *
 * It does not specify the lists of platforms and engagement types (the values here are from its examples and its text), the
 * maximum batch size (100 is our limit), or whether the service detects duplicates.
 */
import { z } from 'zod';
import { plural } from '../lib/units.ts';
import { defineContract, type Field, optionalText } from './define-contract.ts';
import { integer, open, untyped } from './value-kinds.ts';

const optional = (name: string, about: string, example: string, recommended?: string): Field => ({
  ...optionalText(['only'], name, about, example),
  recommended,
});

export const social = defineContract({
  type: 'social',
  title: 'social events',
  about: 'what people did with posts, such as likes and comments',
  unit: 'event',
  path: '/v1/social/ingest',
  envelope: 'events',
  limit: 100,
  documentsLimit: false,
  deduplicates: false,
  fields: [
    {
      name: 'platform',
      kind: open(['linkedin', 'twitter'], ['youtube', 'reddit', 'facebook', 'instagram', 'tiktok']),
      wire: { only: { name: 'platform', required: true } },
      about: 'The social network.',
      example: 'linkedin',
    },
    {
      name: 'engagement_type',
      kind: open(
        ['like', 'comment', 'repost', 'mention'],
        ['celebrate', 'praise', 'support', 'love', 'insightful', 'funny', 'curious'],
      ),
      wire: { only: { name: 'engagement_type', required: true } },
      about: 'What the person did.',
      example: 'comment',
    },
    optional(
      'engager_profile_url',
      "The person's profile.",
      'https://linkedin.example/in/ana-duarte',
      'crucial for contact resolution',
    ),
    optional(
      'company_domain',
      "The domain of the person's company.",
      'kestrel-analytics.example',
      'crucial for account matching',
    ),
    {
      name: 'warmth_hint',
      kind: integer(0, 100),
      wire: { only: { name: 'warmth_hint' } },
      about: 'Overrides the baseline warmth score of this engagement type.',
      example: 70,
    },
    optional('engager_name', "The person's name.", 'Ana Duarte'),
    optional('engager_title', "The person's job title.", 'Head of Sales'),
    optional('engager_company', 'The company that the person works for.', 'Kestrel Analytics'),
    optional('engagement_content', 'What the person wrote.', 'We had the same problem with lead routing.'),
    optional('post_content', 'The text of the post.', 'Why we rebuilt lead routing from scratch'),
    optional('post_url', 'URL of the post.', 'https://linkedin.example/posts/4100'),
    {
      name: 'engagement_date',
      kind: untyped({ numericCells: false }),
      wire: { only: { name: 'engagement_date' } },
      about: 'When it happened; the API specifies no format.',
      example: '2026-11-20T09:15:00Z',
    },
  ],
  receipt: z
    .object({ success: z.literal(true), batchId: z.string(), promotedToPipeline: z.int().min(0) })
    .transform(({ batchId, promotedToPipeline }) => ({ batchId, promoted: promotedToPipeline })),
  counts: ['promoted'],
  describeCounts: ({ promoted }) => `${plural(promoted, 'lead')} promoted to the pipeline.`,
});
