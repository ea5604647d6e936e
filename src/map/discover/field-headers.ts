/**
 * Which headers a field has, in meanings of lexicon.json, with the trust in the header alone, from 0 to 1: from 0.8 on a
 * column is used, from 0.4 on it is asked about (assign.ts). Values and the table lower or raise it (score.ts, cross-check.ts).
 *
 * A header fits a pattern if it has all its meanings and no other: "Company Name for Emails" is not a company name. `a|b` is
 * either, `a?` can be absent. {@link NEUTRAL} meanings can always be added.
 */
import type { RecordType } from '../../model/record.ts';
import { type Meanings, meaningsOf } from './header-words.ts';

/** Patterns by trust. Commas separate patterns. */
type Patterns = Readonly<Record<number, string>>;
type PatternsByField = Readonly<Record<string, Patterns>>;

/** "Primary Industry", "Estimated Employees", "New Company". */
const NEUTRAL = ['main', 'estimated', 'new'];

/** A header with words that have no known meaning is at most this certain: a question. */
const UNKNOWN_WORDS = 0.6;

/** Slightly less than the plain header, so that "Industry" precedes "Primary Industry Code". */
const WITH_NEUTRAL = 0.97;

const COMPANY = 'company|account|employer';
const ITEM = 'news|job|review|event|signal|deal|round|funding|source|announced|award';
const HAPPENED = `${ITEM}|detected|visit|investment`;
const DAY = 'date|time';

const companyDomain: Patterns = {
  0.98: `${COMPANY}? domain name? url?`,
  0.97: `${COMPANY}|brand domain name? web? url?, ${COMPANY}|brand|hq web url? address? page?, ${COMPANY}|customer web domain? url?, web url? domain? address? page?`,
  0.85: `${COMPANY} url address?, ${COMPANY} page url?`,
  0.7: 'url',
  0.65: `${COMPANY}? email, person email`,
};

const signals: PatternsByField = {
  company_name: {
    0.97: `${COMPANY}|brand name job? short?, legal company? name?, funded company name`,
    0.93: `company brand?, ${COMPANY} deal|event|signal|news, account company, reviewer ${COMPANY} name?`,
    0.86: 'recipient name?, funding recipient name?, assignee people_of? name?',
    0.92: 'authority legal',
    0.88: 'account, employer, account employer, brand name, authority name? company?',
    0.6: 'brand, customer name?, company legal, customer company name?, web name, acquiree name?, acquirer name?, source name company',
    0.55: 'name, full_name, title company, company person, agency name?',
  },
  company_domain: companyDomain,
  signal_title: {
    0.97: 'headline, project title, role title, news|event|signal|review|announced headline|title|name, award title, signal|event text, company signal|event|news headline|title|name, job_title, job title|name, award name, round name company?, headline title, news title text?, job text title',
    0.9: 'title, signal, event, job',
    0.84: 'job role, topic name?',
    0.7: 'role name, deal|opportunity title|name, deal|opportunity, role, title role, news, event type, title text, notes title, subject news?, post title, funding|investment event',
    0.6: 'summary, signal summary|description, event summary|description, page title, web title',
  },
  signal_source: {
    0.9: 'signal source type?, source type|category, event source',
    0.75: 'source, channel, signal|event type, source name',
    0.6: 'type, category',
  },
  description: {
    0.95: `description short? text?, project description|summary short?, ${ITEM} description short?, news|job|review|event text, ${ITEM} summary short?, role description job?, message signal|event, title description`,
    0.9: 'summary, summary text',
    0.84: 'trade, subject, notes, what_they_do',
    0.7: `${COMPANY} description short?, ${COMPANY} summary, about, ${COMPANY} about, text, message, comment, signal text`,
  },
  source_url: {
    0.97: `${ITEM}|role url|permalink company?, ${ITEM} page url, review url page?, news web url`,
    0.88: 'permalink',
    0.85: 'url, page url',
    0.86: 'round name url, review page url',
    0.84: `source, source web, ${ITEM} company?`,
    0.6: `action url, deal name url, post url, ${ITEM} web, profile url, company name url, company url`,
  },
  detected_at: {
    0.96: `announced ${DAY}?, detected ${DAY}?, ${HAPPENED} ${DAY}, ${HAPPENED} announced ${DAY}?, funded ${DAY}?, last funded ${DAY}?, ${HAPPENED} detected ${DAY}?, last ${HAPPENED} ${DAY}, last raised ${DAY}?, raised ${DAY}, money raised ${DAY}, last? visit ${DAY}?, first detected ${DAY}?, post ${DAY}, first? publication ${DAY}?, job|review|news|signal|event created ${DAY}?, deal announced ${DAY}?, last funding investment ${DAY}?, first|last announced ${DAY}?`,
    0.9: `job_change ${DAY}?`,
    0.86: `happened ${DAY}?, happened company|deal ${DAY}?, award|insolvency|layoff|acquisition ${DAY}`,
    0.84: 'date, time, date time, news|job|review|event|signal|award|insolvency|acquisition|layoff',
    0.6: 'first date, last date',
    0.65: 'created|recorded date|time?, last detected date|time?, first visit date|time?, last funding, last investment, last activity date, last round, activity date',
  },
  signal_family: {
    0.95: 'signal family',
    0.87: 'news|event|signal|announced|award|insolvency|milestone type|category|family',
    0.75: 'round|funding|investment type|category|family, review|job_change type',
    0.7: 'family, type, category, deal type|category',
    0.6: 'round name?, last round|funding, stage, round|funding|investment stage',
    0.5: 'topic',
  },
  industry: {
    0.95: `industry name|text?, ${COMPANY} industry name?, sector trade, industry sector, hq industry, trade`,
    0.9: `sector name?, ${COMPANY} sector, industry code, industry industry_code, industry_code code? text|title|name|description`,
    0.6: 'what_they_do, category, company category, industry family, industry category, topic',
  },
  funding_amount: {
    0.95: `funding|round|raised amount|size|money company? last? total?, funding|investment|deal amount|size, raised money amount? value?, money raised funding?, raised funding amount? total? last?, round amount|size|money, total|last funding amount? round?, funding raised, company raised, investment amount last? round?, raised total?, raised amount value, funding value, investment raised, investment value, last? funded amount, round raised|value, funding round amount|size`,
    0.7: 'funding, investment, money, total money',
    0.6: 'amount, value, deal value, size deal, total amount, opportunity amount',
  },
  employee_count: {
    0.97: `employees count? total? last? year?, ${COMPANY} employees count? total?, name employees`,
    0.9: `employees range|size count?, ${COMPANY} employees range|size count?, name employees range`,
    0.86: `${COMPANY} size range?, ${COMPANY} size count`,
    0.6: 'size, size range, range count person, person count',
  },
  location: {
    0.96: `location name? address?, hq location? address? name?, ${COMPANY} location name?, ${COMPANY} hq location?, job location, hq location|address, job address location`,
    0.93: `city name?, ${COMPANY}|hq|job|authority city name?, city region|country location?, city location`,
    0.87: `country name?, ${COMPANY}|hq|job country, country region, location country|region, hq location city|country|region`,
    0.82: `region name?, ${COMPANY}|hq|job region`,
    0.6: `address, ${COMPANY} address, address city|country|region`,
  },
  hotness_score: {
    0.95: `hot score?, ${COMPANY} hot score?, signal score, signal hot`,
    0.6: `score, person score, ${COMPANY} score, score reaction|visit`,
  },
};

const PERSON = 'person|author';

const social: PatternsByField = {
  platform: {
    0.95: 'network type? name?, network channel, network source',
    0.8: 'channel type?, source, web, source type, page type, post type source',
    0.75: 'type, category, other_company',
  },
  engagement_type: {
    0.96: 'reaction type?, reaction action, person reaction type?, reaction activity',
    0.82: 'action type?, activity type?, event type, comment type, message|text type',
    0.78: 'type',
    0.65: 'event, like type, post type, like repost|comment',
  },
  engager_profile_url: {
    0.96: `profile url|linkedin network? ${PERSON}|reviewer? page?, ${PERSON} url|linkedin|profile url? profile? linkedin?, linkedin url profile?, profile network_account url?, profile permalink, name url, profile page, ${PERSON} handle url, author|person channel url? comment?, channel url`,
    0.85: 'profile, linkedin',
    0.55: 'url, account url, profile code',
    0.45: `handle, ${PERSON} handle, ${PERSON}`,
  },
  company_domain: { ...companyDomain, 0.96: `${PERSON} ${COMPANY} domain|web url?`, 0.64: `${PERSON} web` },
  warmth_hint: {
    0.96: 'warm score?, person warm score?',
    0.6: 'reaction score, hot score?, score, person score, signal score',
  },
  engager_name: {
    0.96: `full_name ${PERSON}? comment?, name last_name, first_name last_name ${PERSON}?, ${PERSON} name profile?, profile name, comment name, reviewer name`,
    0.9: `nickname, ${PERSON} nickname, reaction|comment|like|repost ${PERSON}? nickname`,
    0.88: 'name',
    0.84: 'author, person, author comment|reaction, reviewer, customer name',
    0.5: 'handle, account, person handle, author handle, network_account|people_of handle, channel name, customer, profile, author channel',
  },
  engager_title: {
    0.97: `job_title, ${PERSON}? role title?, ${PERSON} title|job, ${PERSON}? job title|role|name, ${PERSON} job_title, main title`,
    0.94: 'title',
    0.86: `headline, ${PERSON} headline, profile headline, linkedin headline, ${PERSON} summary headline, job`,
  },
  engager_company: {
    0.97: `${COMPANY} name, legal, ${PERSON} ${COMPANY} name?, job ${COMPANY} name?, ${COMPANY} main name?`,
    0.93: COMPANY,
  },
  engagement_content: {
    0.96: 'comment text? message? repost?, comment description, reaction|mention|repost text|message, person comment text?, review text',
    0.82: 'message text?',
    0.6: 'text, description, summary, title text, post text, post, news text?, reply text?, last text|message|comment',
  },
  post_content: {
    0.96: 'post text|message|description title?, post comment text, publication text, post summary',
    0.86: 'publication',
    0.84: 'post',
    0.7: 'post advertising, post|video|publication title, post headline, news title',
    0.5: 'text, title, description, message, advertising',
  },
  post_url: {
    0.97: 'post url|permalink comment? linkedin? network? reaction?, video url, publication url, activity url, linkedin post url?, post web, text url',
    0.86: 'permalink, post, source url',
    0.6: 'news url, message url?, url address?, page url, video',
    0.5: 'comment url, linkedin url, source',
  },
  engagement_date: {
    0.96: `reaction|comment|like|mention|repost ${DAY} announced? created?, acted ${DAY}?, reaction announced, comment created|announced ${DAY}?, action ${DAY}, activity ${DAY}`,
    0.86: `date, announced ${DAY}?, publication ${DAY}, like|repost|mention, created ${DAY}?, event ${DAY}`,
    0.5: `time, reply|recorded ${DAY}?, post announced|created ${DAY}?, date time, announced time, video announced ${DAY}?, video date`,
  },
};

interface Pattern {
  readonly trust: number;
  /** One meaning of each must be there. */
  readonly required: readonly (readonly string[])[];
  readonly allowed: ReadonlySet<string>;
}

const PATTERNS: Readonly<Record<RecordType, PatternsByField>> = { signals, social };

/** Compiled for one field at a time: none is needed if the columns have the names of fields. */
const compiled = new Map<string, readonly Pattern[]>();

/** From 0 to 1; undefined if the header does not fit the field. */
export function trustInHeader(header: Meanings, type: RecordType, field: string): number | undefined {
  if (header.known.size === 0) return undefined;
  let best: number | undefined;
  for (const pattern of patternsOf(type, field)) {
    const trust = fits(header, pattern);
    if (trust !== undefined && (best === undefined || trust > best)) best = trust;
  }
  return best;
}

function fits({ known, unknown }: Meanings, { trust, required, allowed }: Pattern): number | undefined {
  if (!required.every((choices) => choices.some((each) => known.has(each)))) return undefined;
  let neutral = false;
  for (const each of known) {
    if (allowed.has(each)) continue;
    if (!NEUTRAL.includes(each)) return undefined;
    neutral = true;
  }
  if (unknown.length > 0) return Math.min(trust, UNKNOWN_WORDS);
  return neutral ? trust * WITH_NEUTRAL : trust;
}

function patternsOf(type: RecordType, field: string): readonly Pattern[] {
  const key = `${type} ${field}`;
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const made = Object.entries(PATTERNS[type][field] ?? {}).flatMap(([trust, patterns]) =>
    patterns.split(',').map((pattern) => compile(Number(trust), pattern)),
  );
  compiled.set(key, made);
  return made;
}

function compile(trust: number, pattern: string): Pattern {
  const parts = pattern.trim().split(' ');
  const required = parts.filter((part) => !part.endsWith('?')).map((part) => part.split('|'));
  const allowed = new Set(parts.flatMap((part) => part.replace('?', '').split('|')));
  return { trust, required, allowed };
}

/** Whether a header has this meaning alone. */
export function means(header: string, meaning: string): boolean {
  const { known, unknown } = meaningsOf(header);
  return known.size === 1 && unknown.length === 0 && known.has(meaning);
}
