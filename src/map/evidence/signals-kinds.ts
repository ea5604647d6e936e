/** Evidence for market signals: what happened to companies. Specific kinds come first, because a column counts once. */
import type { EvidenceKind, TableFacts } from './kinds.ts';
import * as values from './value-forms.ts';

/** What a list of people says about companies is about their employers. */
const ofCompany = ({ people }: TableFacts): boolean => !people;

const FUNDING = { signal_source: 'funding' } as const;
const JOB = { signal_source: 'job_posting' } as const;
const NEWS = { signal_source: 'news' } as const;
const REVIEW = { signal_source: 'review_site' } as const;

const EVENTS: readonly EvidenceKind[] = [
  {
    what: 'funding rounds',
    proposes: FUNDING,
    weight: 2.5,
    headers: '=round, funding round|type|stage|date, round type|size|last|investor|name, investment round|stage',
    values: values.fundingRounds,
    when: ofCompany,
  },
  {
    what: 'amounts raised',
    proposes: FUNDING,
    weight: 2,
    headers: 'raised, funding, valuation, round amount|value|money, investment amount|value',
    when: ofCompany,
  },
  { what: 'investors', proposes: FUNDING, weight: 2, headers: 'investor', when: ofCompany },
  { what: 'acquisitions', proposes: NEWS, weight: 3.5, headers: 'acquisition, acquirer, acquiree', when: ofCompany },
  // A funding stage beside it describes the company.
  { what: 'layoffs', proposes: NEWS, subject: 'layoffs', weight: 3, headers: 'layoff' },
  { what: 'legal notices of companies', proposes: { signal_source: 'other' }, weight: 2.5, headers: 'insolvency' },
  { what: 'contracts awarded', proposes: NEWS, weight: 3.5, others: { neither: -1 }, headers: 'award, grant' },
  {
    // The person is named, but what happened is the change.
    what: 'changes of jobs',
    proposes: { signal_source: 'linkedin' },
    weight: 3.5,
    others: { neither: -3 },
    headers: 'job_change, new role|job_title|title|company|employer|job',
  },
  { what: 'patents', weight: 2.5, others: { neither: -1 }, headers: 'patent' },
  { what: 'changes of companies', weight: 2.5, headers: 'milestone type|role|title' },
  {
    what: 'buying intent and signals',
    weight: 2.5,
    headers: '=signal, signal name|title|type|date|text|category|event, hot',
  },
  {
    what: 'deals',
    // A deal is with a company, even if the contact's name is in the same row.
    weight: 2,
    others: { neither: -2.5 },
    headers: '=opportunity, opportunity name, deal',
  },
  {
    // Visits of a company or a person: not contacts alone.
    what: 'visits of people from companies',
    proposes: { signal_source: 'web_visit' },
    weight: 4,
    others: { neither: -3 },
    headers: 'page visit',
    when: ({ people, companies }) => people && companies,
  },
  // Contacts of a fair, who are more than contacts.
  { what: 'talks at a fair', weight: 2.5, others: { neither: -3 }, headers: 'scan' },
  {
    what: 'numbers of notices',
    weight: 1.5,
    headers: '=announced, announced code|count',
    check: (profile) => values.counts(profile) && !values.dates(profile),
  },
  { what: 'stages', weight: 1, headers: 'stage' },
  { what: 'events', weight: 1.5, headers: '=event, event type|title', when: ofCompany },
];

const JOBS: readonly EvidenceKind[] = [
  {
    what: 'job postings',
    proposes: JOB,
    weight: 2.5,
    headers: 'vacancy, job url|code|location|description|category|announced|date|time|role',
    values: values.jobPages,
  },
  { what: 'employers', proposes: JOB, weight: 2.5, others: { neither: -2 }, headers: '=employer', when: ofCompany },
  { what: 'terms of employment', proposes: JOB, weight: 2, headers: 'salary, contract', when: ofCompany },
  {
    what: 'job titles',
    proposes: JOB,
    weight: 1,
    headers: 'job_title, =job, job name, =role, role title|name',
    when: ofCompany,
  },
];

const TEXTS: readonly EvidenceKind[] = [
  {
    what: 'reviews',
    proposes: REVIEW,
    weight: 2.5,
    others: { social: -3 },
    headers: 'review',
    // Other lists have numbers of reviews.
    check: (profile) => !values.counts(profile),
  },
  { what: 'ratings', proposes: REVIEW, weight: 1.5, headers: 'rating, review', check: values.counts },
  { what: 'links of news alerts', proposes: NEWS, weight: 3.5, values: values.alertLinks },
  { what: 'press releases', proposes: NEWS, weight: 2.5, headers: 'press' },
  // Of any event, so that it suggests no source.
  {
    what: 'headlines',
    weight: 2.5,
    others: { neither: -1, social: -4.5 },
    headers: 'headline !person',
    check: (profile) => !values.headlinesOfPeople(profile),
    when: ofCompany,
  },
  {
    what: 'news',
    proposes: NEWS,
    weight: 2.5,
    headers: 'news, publisher, =publication, publication name, source name|domain',
    when: ofCompany,
  },
  { what: 'entries of a news feed', proposes: NEWS, weight: 2.5, headers: 'feed' },
  {
    what: 'excerpts of articles',
    proposes: NEWS,
    weight: 1,
    headers: 'summary, =article, announced date|time, publication date',
  },
];

const COMPANIES: readonly EvidenceKind[] = [
  {
    what: 'headcounts',
    weight: 2,
    headers: '=employees, employees count|size|range|total, company size',
    check: values.headcounts,
  },
  {
    what: 'company pages',
    weight: 2,
    headers: 'directory, company linkedin|url|page|code, employer code',
    values: values.companyPages,
  },
  { what: 'exhibitors', weight: 3.5, headers: 'exhibitor', values: values.exhibitorPages },
  { what: 'booths of exhibitors', weight: 2, headers: 'booth', check: values.coded },
  { what: 'industries', weight: 1.5, headers: 'industry, sector' },
  { what: 'years of foundation', weight: 1.5, headers: 'founded' },
  { what: 'founders and managers', weight: 1.5, headers: 'founder' },
  {
    what: 'technologies',
    proposes: { signal_source: 'tech_install' },
    weight: 2,
    headers: 'tech, detected first|last',
  },
  {
    what: 'visits of companies',
    proposes: { signal_source: 'web_visit' },
    weight: 1.5,
    headers: 'visit first|last|page|company, page last',
  },
  { what: 'business models', weight: 1, headers: 'business_model !code, customer|company type' },
  { what: 'revenues of companies', weight: 1, headers: 'revenue' },
  { what: 'registers of companies', weight: 1.5, headers: 'register' },
  { what: 'headquarters', weight: 1, headers: 'hq !billing, company location|city|country' },
  { what: 'websites', weight: 1.5, headers: 'web !measure, domain !measure', values: values.companySites },
  {
    what: 'companies',
    weight: 2,
    headers: 'company, employer, legal, =account, account name, brand name',
    values: values.companyNames,
  },
].map((kind) => ({ ...kind, when: ofCompany }));

export const KINDS_OF_SIGNALS: readonly EvidenceKind[] = [...EVENTS, ...JOBS, ...TEXTS, ...COMPANIES];
