/**
 * Proposals for required fields that no column contains. They are always questions, because only the user knows where a
 * list comes from. A title is a template of columns, never a constant: the service might take different signals of a
 * company for duplicates (interface.md documents deduplication, but not its key).
 */

import type { MappingDocument } from '../document-schema.ts';
import { columnsOf } from '../field-transforms.ts';
import { domainIn, share } from './column-facts.ts';
import { bag } from './header-words.ts';
import type { Proposal } from './proposal.ts';
import type { Column } from './score.ts';
import type { ListKind, TableTopic } from './table-topic.ts';

const NETWORK_HOSTS: Readonly<Record<string, string>> = {
  'linkedin.com': 'linkedin',
  'twitter.com': 'twitter',
  'x.com': 'twitter',
};

/** What tells one signal of a company from the next, by kind of list: the first column that is there is taken. */
const DISTINGUISHING_COLUMNS: Readonly<Record<ListKind, readonly string[]>> = {
  funding: [
    'last funding type',
    'funding type',
    'deal type',
    'recent funding round',
    'last round',
    'round',
    'vc round',
    'stage',
    'tour',
    'funding stage',
  ],
  job_posting: ['job type', 'department', 'seniority'],
  news: ['summary', 'opening text', 'topic'],
  review_site: ['overall rating', 'rating', 'stars', 'product'],
  tech_install: ['technology', 'technologies', 'tech', 'product'],
  web_visit: ['landing page', 'visits', 'pageviews', 'page title', 'page url'],
};

const WORDS: Readonly<Record<ListKind, string>> = {
  funding: 'funding',
  job_posting: 'hiring',
  news: 'in the news',
  review_site: 'review',
  tech_install: 'technology',
  web_visit: 'website visit',
};

const SUBJECTS: Readonly<Record<ListKind, string>> = {
  funding: 'funding',
  job_posting: 'jobs',
  news: 'news',
  review_site: 'reviews',
  tech_install: 'technology',
  web_visit: 'website visits',
};

export function proposeConstants(field: string, columns: readonly Column[], context: TableTopic): readonly Proposal[] {
  const fixed = (value: string, confidence: number, reason: string): Proposal => ({
    field,
    mapping: { value },
    columns: [],
    confidence,
    reason,
  });
  if (field === 'signal_source') {
    return context.kinds.map((kind, index) =>
      fixed(kind, index === 0 ? 0.6 : 0.5, `the columns suggest a list about ${SUBJECTS[kind]}`),
    );
  }
  if (field === 'platform') {
    const found = networks(columns);
    return found.length === 1 && found[0] !== undefined
      ? [fixed(found[0], 0.7, `all profile and post URLs are on ${found[0]}`)]
      : [];
  }
  if (field === 'engagement_type') {
    const comments = columns.some(({ name }) => /\bcomment/u.test(bag(name)));
    return comments ? [fixed('comment', 0.6, 'there is a comment column')] : [];
  }
  return [];
}

/** `{Company}: {what tells signals apart}, {date}`, of columns that are mapped or telling, and filled throughout. */
export function proposeTitle(
  columns: readonly Column[],
  document: MappingDocument,
  context: TableTopic,
): Proposal | undefined {
  const company = document.fields['company_name'];
  const name = company === undefined ? undefined : columnsOf(company)[0];
  if (name === undefined) return undefined;
  const usable = (column: string): boolean => {
    const profile = columns.find((each) => each.name === column)?.profile;
    // A template is absent where a part is empty, and the title is required.
    return profile !== undefined && !/[{}]/u.test(column) && profile.rows > 0 && profile.texts.length === profile.rows;
  };
  const parts: string[] = [];
  const kind = context.kinds[0];
  for (const phrase of kind === undefined ? [] : DISTINGUISHING_COLUMNS[kind]) {
    const column = columns.find((each) => bag(each.name) === bag(phrase) && usable(each.name));
    if (column !== undefined && parts.length === 0) parts.push(column.name);
  }
  for (const field of ['funding_amount', 'detected_at'] as const) {
    const mapping = document.fields[field];
    const column = mapping === undefined ? undefined : columnsOf(mapping)[0];
    if (column !== undefined && usable(column) && parts.length < 2 && !parts.includes(column)) parts.push(column);
  }
  if (parts.length === 0 || !usable(name)) return undefined;
  const word = kind === undefined ? '' : ` ${WORDS[kind]}:`;
  return {
    field: 'signal_title',
    mapping: {
      template: `{${name}}${kind === undefined ? ':' : word} ${parts.map((part) => `{${part}}`).join(', ')}`,
    },
    columns: [name, ...parts],
    confidence: 0.5,
    reason: 'no column contains a title; these columns distinguish the signals',
  };
}

function networks(columns: readonly Column[]): readonly string[] {
  const found = new Set<string>();
  for (const { profile } of columns) {
    for (const [host, network] of Object.entries(NETWORK_HOSTS)) {
      if (share(profile, (text) => domainIn(text) === host) > 0.5) found.add(network);
    }
  }
  return [...found];
}
