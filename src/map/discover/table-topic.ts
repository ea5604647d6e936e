/** Detects what a list is about (jobs, funding, news, reviews, technology, visits) and whether its rows are people. */

import type { Column } from './column.ts';
import { isPerson, isPersonPage, share } from './column-facts.ts';

/** Kinds of lists, named by the source that their signals have. */
export type ListKind = 'funding' | 'job_posting' | 'news' | 'review_site' | 'tech_install' | 'web_visit';

export interface TableTopic {
  /** Whether rows are about people. A title is then probably a person's. */
  readonly people: boolean;
  /** Whether there are columns of an address book. */
  readonly contacts: boolean;
  /** Whether two columns are about companies, besides their names. */
  readonly companies: boolean;
  /** The likeliest first; empty if no kind is likely. */
  readonly kinds: readonly ListKind[];
}

/** Meanings of headers (header-lexicon.ts) that suggest a kind of list. Two columns are enough. */
const KIND_MEANINGS: Readonly<Record<ListKind, readonly string[]>> = {
  funding: ['funding', 'investment', 'raised', 'round', 'investor', 'funded'],
  job_posting: ['job', 'job_title', 'salary', 'contract', 'employer'],
  news: ['headline', 'news', 'publisher', 'author', 'sentiment'],
  review_site: ['review', 'reviewer', 'rating'],
  tech_install: ['tech'],
  web_visit: ['visit', 'pageviews', 'referrer'],
};

/** Headers of people's names. A contact or a reviewer of a company is not what a row is about. */
const PERSON_NAMES = ['name', 'full_name', 'full_name person'];
const CONTACT_NAMES = ['person', 'name person'];

const ADDRESS_BOOK = ['email', 'fax_phone', 'first_name', 'last_name', 'person', 'name person'];
const OF_COMPANIES = ['web', 'domain', 'industry', 'sector', 'employees', 'founded', 'investor', 'hq'];
const OF_PERSONS_JOB = ['title', 'headline', 'role', 'job_title'];

export function detectTopic(columns: readonly Column[]): TableTopic {
  const headers = columns.map(({ meanings }) => [...meanings.known].sort().join(' '));
  const has = (...wanted: readonly string[]): boolean => headers.some((each) => wanted.includes(each));
  const titled = has(...OF_PERSONS_JOB);
  const people =
    (has('first_name') && has('last_name')) ||
    columns.some(({ profile }, index) => {
      const header = headers[index] ?? '';
      const named = PERSON_NAMES.includes(header) || (titled && CONTACT_NAMES.includes(header));
      return share(profile, isPersonPage) > 0.5 || (named && share(profile, isPerson) > 0.5);
    });
  return {
    people,
    contacts: people || has(...ADDRESS_BOOK),
    companies: headers.filter((each) => OF_COMPANIES.some((meaning) => each.split(' ').includes(meaning))).length >= 2,
    kinds: kindsOf(columns),
  };
}

function kindsOf(columns: readonly Column[]): readonly ListKind[] {
  const counted = (Object.keys(KIND_MEANINGS) as ListKind[]).map((kind) => ({
    kind,
    marks: columns.filter(({ meanings }) => KIND_MEANINGS[kind].some((each) => meanings.known.has(each))).length,
  }));
  return counted
    .filter(({ marks }) => marks >= 2)
    .sort((one, other) => other.marks - one.marks)
    .map(({ kind }) => kind);
}
