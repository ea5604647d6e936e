/**
 * Kinds of evidence for what the rows of a table are: market signals, social events, or neither. Each says what it shows, by
 * which headers and values it is recognised, and how much it weighs. Specific kinds come first, because a column counts once.
 */
import type { RecordType } from '../../model/record.ts';
import type { ColumnProfile } from './column-facts.ts';
import * as values from './value-forms.ts';

/** What the rows can be. */
export type TypeVerdict = RecordType | 'neither';

/** Facts about the whole table that decide whether some evidence counts. */
export interface TableFacts {
  /** Rows are people: what such a table says about companies is about their employers. */
  readonly people: boolean;
  /** Rows are about companies: two kinds of columns describe them. */
  readonly companies: boolean;
  /** A column has the authors of texts or the people who reacted. */
  readonly authors: boolean;
  /** A column has the social networks of the rows. */
  readonly networks: boolean;
  /** Rows have a date or a name, and numbers for everything else. */
  readonly measures: boolean;
  /** Several headers are days. */
  readonly days: boolean;
  /** Several headers are questions. */
  readonly asks: boolean;
}

export interface EvidenceKind {
  /** A noun for messages: "headcounts". */
  readonly what: string;
  /** For the verdict of its table; negative against it. A verdict needs {@link ENOUGH}: most kinds need a second one. */
  readonly weight: number;
  /** For the other verdicts. */
  readonly others?: Readonly<Partial<Record<TypeVerdict, number>>> | undefined;
  /** Meanings of headers that show it: patterns of header-words.ts. */
  readonly headers?: string | undefined;
  /** Restricts `headers`: whether the values can be of this kind. Columns without values pass. */
  readonly check?: ((profile: ColumnProfile) => boolean) | undefined;
  /** Values that show it without a header. */
  readonly values?: ((profile: ColumnProfile) => boolean) | undefined;
  /** Values that it suggests for fields that no column contains. */
  readonly proposes?: Readonly<Record<string, string>> | undefined;
  /** Says who or where, and not what happened: a verdict needs another kind beside such ones. */
  readonly context?: true | undefined;
  /** What a proposed title calls such a signal, if not by its source. */
  readonly subject?: string | undefined;
  /** Counts only if this holds for the table. */
  readonly when?: ((table: TableFacts) => boolean) | undefined;
}

/** The total that a verdict needs: a company and its website, for example. */
export const ENOUGH: Readonly<Record<TypeVerdict, number>> = { signals: 3.5, social: 3.5, neither: 2.5 };

/**
 * What each further column of a kind adds, up to {@link MOST_FURTHER} columns. An invoice has many columns that only invoices
 * have, but "Company ID", "Company Phone" and "Company Owner" together show no more than one of them.
 */
export const FURTHER: Readonly<Record<TypeVerdict, number>> = { signals: 0, social: 0, neither: 0.5 };
export const MOST_FURTHER = 3;

/** How far the total must be above that of each other verdict. */
export const MARGIN = 1.5;

/** A column that shows what the rows are. */
export interface ColumnEvidence {
  readonly column: string;
  readonly what: string;
  readonly weight: number;
}

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
    values: values.companyNameForm,
  },
].map((kind) => ({ ...kind, when: ofCompany }));

export const KINDS_OF_SIGNALS: readonly EvidenceKind[] = [...EVENTS, ...JOBS, ...TEXTS, ...COMPANIES];

const COMMENT = { engagement_type: 'comment' } as const;
const LIKE = { engagement_type: 'like' } as const;
const MENTION = { engagement_type: 'mention' } as const;

/** Kinds of posts on one network. A company's own account there is none. */
const NETWORKS: readonly EvidenceKind[] = [
  { what: 'tweets', proposes: { platform: 'twitter', ...MENTION }, headers: 'tweet' },
  { what: 'videos', proposes: { platform: 'youtube' }, headers: 'video code|url|title, youtube' },
  { what: 'posts on Reddit', proposes: { platform: 'reddit' }, headers: 'reddit' },
  { what: 'posts on Instagram', proposes: { platform: 'instagram' }, headers: 'instagram' },
  { what: 'posts on TikTok', proposes: { platform: 'tiktok' }, headers: 'tiktok' },
].map((kind) => ({
  ...kind,
  weight: 2.5,
  check: (profile) => ![values.companySites, values.profiles, values.smallNumbers].some((is) => is(profile)),
}));

export const KINDS_OF_SOCIAL: readonly EvidenceKind[] = [
  { what: 'pages of networks and of other sites', weight: 0, values: values.mixedPages },
  { what: 'kinds of reactions', weight: 3.5, others: { neither: -2 }, values: values.reactions },
  {
    what: 'kinds of reactions',
    proposes: LIKE,
    weight: 2.5,
    headers: '=reaction, reaction type',
    check: (profile) => !values.counts(profile),
  },
  { what: 'kinds of engagement', weight: 2.5, headers: 'type, action', check: values.someReactions },
  { what: 'engagements among other events', weight: 0, others: { signals: -6.5 }, values: values.mixedEvents },
  { what: 'pages of posts', weight: 2.5, others: { neither: -1 }, headers: 'permalink post|url', values: values.posts },
  {
    what: 'people who commented',
    proposes: COMMENT,
    weight: 2.5,
    others: { neither: -2 },
    headers: 'commenter, comment author|people_of',
  },
  { what: 'people who reacted', proposes: LIKE, weight: 2.5, others: { neither: -2 }, headers: 'liker' },
  {
    what: 'people who shared',
    proposes: { engagement_type: 'repost' },
    weight: 2.5,
    others: { neither: -2 },
    headers: 'sharer',
  },
  {
    what: 'people who engaged',
    weight: 2.5,
    others: { neither: -2, signals: -1.5 },
    headers: 'engager',
    check: (profile) => !values.counts(profile),
  },
  {
    what: 'comments',
    proposes: COMMENT,
    weight: 2.5,
    headers: 'comment text|date|time|code|url|like|message|announced|other_company !reply',
  },
  { what: 'answers to posts', weight: 2, headers: 'reply count|code|state_of|author|acted' },
  { what: 'texts of comments', proposes: COMMENT, weight: 1.5, headers: '=comment', check: values.sentences },
  ...NETWORKS,
  { what: 'ids of posts on LinkedIn', proposes: { platform: 'linkedin' }, weight: 2.5, values: values.socialIds },
  {
    what: 'posts',
    proposes: MENTION,
    weight: 1.5,
    headers:
      '=post, post code|url|text|message|type|main, publication text|url, activity url|code, =permalink, message state_of',
  },
  { what: 'counts of likes', weight: 2, headers: 'like, reaction count|total, =reaction', check: values.counts },
  {
    what: 'counts of replies and shares',
    weight: 1.5,
    headers: '=comment, comment count, =reply, reply count, =repost, repost count',
    check: values.counts,
  },
  {
    what: 'accounts of people',
    context: true,
    weight: 1.5,
    headers:
      'handle, nickname, =user, user name|code|description|state_of, author channel|code, channel code, profile name',
  },
  { what: 'handles of authors', weight: 2, values: values.handles, when: ({ authors }) => authors },
  { what: 'accounts of people', context: true, weight: 1.5, values: values.handles },
  {
    what: 'profiles of people',
    context: true,
    weight: 1.5,
    headers: '=profile, profile url|linkedin, author|user url|profile',
    check: values.profiles,
    values: values.profiles,
    when: ({ authors, people }) => authors || people,
  },
  {
    what: 'headlines of people',
    context: true,
    weight: 1.5,
    headers: 'headline',
    check: values.headlinesOfPeople,
    values: values.headlinesOfPeople,
  },
  { what: 'texts of replies', context: true, weight: 1.5, headers: '=reply', check: values.sentences },
  { what: 'degrees of connection', context: true, weight: 1.5, values: values.degrees },
  { what: 'followers', context: true, weight: 1, headers: 'follower' },
  { what: 'networks', context: true, weight: 1.5, headers: 'social_network', values: values.networks },
  { what: 'mentions and tags', proposes: MENTION, weight: 1.5, headers: 'mention', values: values.taggedTexts },
  // Posts about a market, which can be signals too.
  { what: 'profiles of companies and of people', weight: -4.5, values: values.mixedProfiles },
  {
    what: 'posts of companies',
    weight: -6,
    headers: '=profile, =profile name, =author, =page, =page name, =account',
    check: values.companyNameForm,
  },
  { what: 'authors', context: true, weight: 0.5, headers: 'author' },
  { what: 'sentiments', context: true, weight: 0.5, headers: 'sentiment' },
];

/** Totals of posts: with authors, a row is still a person's post. */
const withoutAuthors = ({ authors }: TableFacts): boolean => !authors;

/** What people write to a company on networks is a ticket only to the tool that collects it. */
const withoutNetworks = ({ networks }: TableFacts): boolean => !networks;

export const KINDS_OF_NEITHER: readonly EvidenceKind[] = [
  {
    what: 'totals, not events',
    weight: 3,
    others: { social: -2 },
    values: values.counts,
    when: ({ measures }) => measures,
  },
  { what: 'marks for each day', weight: 3, values: values.marks, when: ({ days }) => days },
  {
    what: 'contacts without an event',
    weight: 3,
    headers: 'first_name, last_name, full_name, =name',
    when: ({ people }) => people,
  },
  { what: 'contact data', weight: 1.5, headers: 'email, fax_phone', check: values.reachable, values: values.emails },
  { what: 'totals of posts', weight: 2, others: { social: -3 }, headers: 'impression', when: withoutAuthors },
  {
    // Companies and persons as accounts: their own posts, not what others did with them.
    what: 'posts of accounts',
    weight: 3.5,
    others: { social: -3.5 },
    headers: 'account type',
    check: ({ texts }) => texts.every((text) => /^(?:company|individual|person|page)$/iu.test(text)),
    when: withoutAuthors,
  },
  { what: 'totals of clicks', weight: 2, others: { social: -2.5 }, headers: 'click', when: withoutAuthors },
  {
    what: 'results of advertising',
    weight: 3,
    others: { social: -1 },
    headers: 'advertising',
    check: values.coded,
    when: withoutAuthors,
  },
  {
    what: 'visits of a website in total',
    weight: 2.5,
    headers: 'traffic !impression, =user, =visit',
    check: values.counts,
    when: ({ companies }) => !companies,
  },
  { what: 'telephone calls', weight: 3, headers: 'call' },
  { what: 'support tickets', weight: 3, headers: 'ticket', when: withoutNetworks },
  {
    what: 'activities of a CRM',
    weight: 2,
    headers: 'activity type|date|subject|people_of, trade type',
    check: (profile) => !values.reactions(profile),
  },
  { what: 'tasks', weight: 2, headers: 'task, =assignee' },
  {
    what: 'invoices or orders',
    weight: 3,
    headers: 'invoice, =quantity',
    check: (profile) => values.coded(profile) && !values.companyNameForm(profile),
  },
  { what: 'stock of products', weight: 3, headers: 'stock' },
  { what: 'prices', weight: 1, headers: '=price' },
  { what: 'answers to a survey', weight: 3, headers: 'question', when: ({ asks }) => asks },
  { what: 'answers to a survey', weight: 3, headers: 'survey' },
  { what: 'results of e-mail campaigns', weight: 3, headers: 'newsletter' },
  { what: 'employees of one company', weight: 3, others: { signals: -1 }, headers: 'staff' },
  { what: 'payments and expenses', weight: 3, headers: 'bank, deal text|amount' },
  { what: 'meetings', weight: 3, headers: 'meeting, =appointment' },
  {
    what: 'candidates for jobs',
    weight: 3,
    others: { signals: -1.5 },
    headers: 'candidate, =applicant, applicant name|email',
  },
  { what: 'works of science or art', weight: 3, others: { signals: -4 }, headers: 'work' },
  { what: 'plans for posts', weight: 2.5, others: { social: -2.5 }, headers: 'plan !message' },
  {
    what: 'working hours',
    weight: 2.5,
    headers: 'hours',
    check: (profile) => values.counts(profile) || profile.distinct.length <= 3,
  },
  { what: 'reviews of an app', weight: 3, others: { signals: -4 }, headers: 'app' },
  { what: 'logs of a server', weight: 3, headers: 'log', check: values.coded },
  { what: 'property for sale or rent', weight: 3, headers: 'property' },
  { what: 'courses and grades', weight: 3, headers: 'course' },
  { what: 'private messages', weight: 2.5, others: { social: -1 }, headers: 'inbox !profile', when: withoutNetworks },
];
