/**
 * Proposals for required fields that no column contains. They are always questions, because only the user knows where a
 * list comes from. A title is a template of columns, never a constant: the service might take different signals of a
 * company for duplicates (interface.md documents deduplication, but not its key).
 */

import type { MappingDocument } from '../document-schema.ts';
import { columnsOf } from '../field-transforms.ts';
import type { Column } from './column.ts';
import { domainIn, share } from './column-facts.ts';
import { bag } from './header-words.ts';
import type { Proposal } from './proposal.ts';
import type { ListKind, TableTopic } from './table-topic.ts';

const NETWORK_HOSTS: Readonly<Record<string, string>> = {
  'linkedin.com': 'linkedin',
  'twitter.com': 'twitter',
  'x.com': 'twitter',
};

/** Columns that distinguish the signals of a company, by kind of list. The first one that exists is used. */
const DISTINGUISHING_COLUMNS: Readonly<Record<ListKind, string>> = {
  funding:
    'last funding type,funding type,deal type,recent funding round,last round,round,vc round,stage,tour,funding stage',
  job_posting: 'job type,department,seniority',
  news: 'summary,opening text,topic',
  review_site: 'overall rating,rating,stars,product',
  tech_install: 'technology,technologies,tech,product',
  web_visit: 'landing page,visits,pageviews,page title,page url',
};

/** In a proposed title, and in the reason for a proposed source. */
const WORDS: Readonly<Record<ListKind, { readonly title: string; readonly subject: string }>> = {
  funding: { title: 'funding', subject: 'funding' },
  job_posting: { title: 'hiring', subject: 'jobs' },
  news: { title: 'in the news', subject: 'news' },
  review_site: { title: 'review', subject: 'reviews' },
  tech_install: { title: 'technology', subject: 'technology' },
  web_visit: { title: 'website visit', subject: 'website visits' },
};

/** Constants for the field, or a title made of columns; the best first. */
export function proposeRequired(
  field: string,
  columns: readonly Column[],
  document: MappingDocument,
  topic: TableTopic,
): readonly Proposal[] {
  const constant = (value: string, confidence: number, reason: string): Proposal => ({
    field,
    mapping: { value },
    columns: [],
    confidence,
    reason,
  });
  switch (field) {
    case 'signal_title':
      return proposeTitle(columns, document, topic);
    case 'signal_source':
      return topic.kinds.map((kind, index) =>
        constant(kind, index === 0 ? 0.6 : 0.5, `the columns suggest a list about ${WORDS[kind].subject}`),
      );
    case 'platform': {
      const [network, ...others] = networks(columns);
      if (network === undefined || others.length > 0) return [];
      return [constant(network, 0.7, `all profile and post URLs are on ${network}`)];
    }
    case 'engagement_type': {
      const comments = columns.some((column) => /\bcomment/u.test(column.bag));
      return comments ? [constant('comment', 0.6, 'there is a comment column')] : [];
    }
    default:
      return [];
  }
}

/** `{Company}: {distinguishing column}, {date}`, of columns without empty cells. */
function proposeTitle(columns: readonly Column[], document: MappingDocument, topic: TableTopic): readonly Proposal[] {
  const company = document.fields['company_name'];
  const name = company === undefined ? undefined : columnsOf(company)[0];
  if (name === undefined) return [];
  const usable = (column: string): boolean => {
    const profile = columns.find((each) => each.name === column)?.profile;
    // A template with an empty part gives no value, but the title is required.
    return profile !== undefined && !/[{}]/u.test(column) && profile.rows > 0 && profile.texts.length === profile.rows;
  };
  const [kind] = topic.kinds;
  const phrases = kind === undefined ? [] : DISTINGUISHING_COLUMNS[kind].split(',');
  const distinguishing = phrases
    .flatMap((phrase) => columns.filter((column) => column.bag === bag(phrase)))
    .find((each) => usable(each.name));
  const parts = distinguishing === undefined ? [] : [distinguishing.name];
  for (const field of ['funding_amount', 'detected_at'] as const) {
    const mapping = document.fields[field];
    const column = mapping === undefined ? undefined : columnsOf(mapping)[0];
    if (column !== undefined && usable(column) && parts.length < 2 && !parts.includes(column)) parts.push(column);
  }
  if (parts.length === 0 || !usable(name)) return [];
  const subject = kind === undefined ? '' : ` ${WORDS[kind].title}`;
  const template = `{${name}}${subject}: ${parts.map((part) => `{${part}}`).join(', ')}`;
  const reason = 'no column contains a title; these columns distinguish the signals';
  return [{ field: 'signal_title', mapping: { template }, columns: [name, ...parts], confidence: 0.5, reason }];
}

function networks(columns: readonly Column[]): readonly string[] {
  const found = Object.entries(NETWORK_HOSTS).filter(([host]) =>
    columns.some(({ profile }) => share(profile, (text) => domainIn(text) === host) > 0.5),
  );
  return [...new Set(found.map(([, network]) => network))];
}
