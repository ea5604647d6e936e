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
    weights: { signals: 2.5 },
    headers: '=round, funding round|type|stage|date, round type|size|last|investor|name, investment round|stage',
    values: values.fundingRounds,
    when: ofCompany,
  },
  {
    what: 'amounts raised',
    proposes: FUNDING,
    weights: { signals: 2 },
    headers: 'raised, funding, valuation, round amount|value|money, investment amount|value',
    when: ofCompany,
  },
  { what: 'investors', proposes: FUNDING, weights: { signals: 2 }, headers: 'investor', when: ofCompany },
  {
    what: 'acquisitions',
    proposes: NEWS,
    weights: { signals: 3.5 },
    headers: 'acquisition, acquirer, acquiree',
    when: ofCompany,
  },
  // A funding stage beside it describes the company.
  { what: 'layoffs', proposes: NEWS, subject: 'layoffs', weights: { signals: 3 }, headers: 'layoff' },
  {
    what: 'legal notices of companies',
    proposes: { signal_source: 'other' },
    weights: { signals: 2.5 },
    headers: 'insolvency',
  },
  { what: 'contracts awarded', proposes: NEWS, weights: { signals: 3.5, neither: -1 }, headers: 'award, grant' },
  {
    // The person is named, but what happened is the change.
    what: 'changes of jobs',
    proposes: { signal_source: 'linkedin' },
    weights: { signals: 3.5, neither: -3 },
    headers: 'job_change, new role|job_title|title|company|employer|job',
  },
  { what: 'patents', weights: { signals: 2.5, neither: -1 }, headers: 'patent' },
  {
    what: 'buying intent and signals',
    weights: { signals: 2.5 },
    headers: '=signal, signal name|title|type|date|text|category|event, hot',
  },
  { what: 'events', weights: { signals: 1.5 }, headers: '=event, event type|title', when: ofCompany },
];

const JOBS: readonly EvidenceKind[] = [
  {
    what: 'job postings',
    proposes: JOB,
    weights: { signals: 2.5 },
    headers: 'vacancy, job url|code|location|description|category|announced|date|time|role',
    values: values.jobPages,
  },
  { what: 'employers', proposes: JOB, weights: { signals: 2.5, neither: -2 }, headers: '=employer', when: ofCompany },
  {
    what: 'terms of employment',
    proposes: JOB,
    weights: { signals: 2 },
    headers: 'salary, contract',
    when: ofCompany,
  },
  {
    what: 'job titles',
    proposes: JOB,
    weights: { signals: 1 },
    headers: 'job_title, =job, job name, =role, role title|name',
    when: ofCompany,
  },
];

const TEXTS: readonly EvidenceKind[] = [
  {
    what: 'reviews',
    proposes: REVIEW,
    weights: { signals: 2.5, social: -3 },
    headers: 'review',
    // Other lists have numbers of reviews.
    check: (profile) => !values.counts(profile),
  },
  {
    what: 'ratings',
    proposes: REVIEW,
    weights: { signals: 1.5 },
    headers: 'rating, review',
    check: values.counts,
  },
  { what: 'press releases', proposes: NEWS, weights: { signals: 2.5 }, headers: 'press' },
  // Of any event, so that it suggests no source.
  { what: 'headlines', weights: { signals: 2.5, neither: -1 }, headers: 'headline', when: ofCompany },
  {
    what: 'news',
    proposes: NEWS,
    weights: { signals: 2.5 },
    headers: 'news, publisher, =publication, publication name, source name|domain',
    when: ofCompany,
  },
  { what: 'entries of a news feed', proposes: NEWS, weights: { signals: 2.5 }, headers: 'feed' },
  {
    what: 'excerpts of articles',
    proposes: NEWS,
    weights: { signals: 1 },
    headers: 'summary, =article, announced date|time, publication date',
  },
];

const COMPANIES: readonly EvidenceKind[] = [
  {
    what: 'headcounts',
    weights: { signals: 2 },
    headers: '=employees, employees count|size|range|total, company size',
    check: values.headcounts,
    when: ofCompany,
  },
  {
    what: 'company pages',
    weights: { signals: 2 },
    headers: 'directory, company linkedin|url|page|code, employer code',
    values: values.companyPages,
    when: ofCompany,
  },
  { what: 'industries', weights: { signals: 1.5 }, headers: 'industry, sector', when: ofCompany },
  { what: 'years of foundation', weights: { signals: 1.5 }, headers: 'founded', when: ofCompany },
  { what: 'founders and managers', weights: { signals: 1.5 }, headers: 'founder', when: ofCompany },
  {
    what: 'technologies',
    proposes: { signal_source: 'tech_install' },
    weights: { signals: 2 },
    headers: 'tech, detected first|last',
    when: ofCompany,
  },
  {
    what: 'visits of companies',
    proposes: { signal_source: 'web_visit' },
    weights: { signals: 1.5 },
    headers: 'visit first|last|page|company, page last',
    when: ofCompany,
  },
  {
    what: 'deals',
    // A deal is with a company, even if the contact's name is in the same row.
    weights: { signals: 2, neither: -2.5 },
    headers: '=opportunity, opportunity name, deal name|title|stage|size|type|date|value',
  },
  { what: 'stages', weights: { signals: 1 }, headers: 'stage' },
  {
    what: 'business models',
    weights: { signals: 1 },
    headers: 'business_model, customer|company type',
    when: ofCompany,
  },
  { what: 'revenues of companies', weights: { signals: 1 }, headers: 'revenue', when: ofCompany },
  { what: 'registers of companies', weights: { signals: 1.5 }, headers: 'register', when: ofCompany },
  { what: 'headquarters', weights: { signals: 1 }, headers: 'hq, company location|city|country', when: ofCompany },
  { what: 'websites', weights: { signals: 1.5 }, headers: 'web, domain', values: values.companySites, when: ofCompany },
  {
    what: 'companies',
    weights: { signals: 2 },
    headers: 'company, employer, legal, =account, account name, brand name',
    values: values.companyNames,
    when: ofCompany,
  },
];

export const KINDS_OF_SIGNALS: readonly EvidenceKind[] = [...EVENTS, ...JOBS, ...TEXTS, ...COMPANIES];
