/**
 * The effects of the two operations (interface.md, "Effects"): family, account and ICP of a signal; warmth, contact, account,
 * ICP and promotion of an event. Accounts and contacts are kept here.
 *
 * Where the interface is silent, the sandbox decides: high warmth is {@link PROMOTION_WARMTH} or more, baselines are those of
 * {@link BASELINES}, and a promoted event without an account creates one from its domain and company name.
 */
import { squash } from '../contract/index.ts';
import { parseUrl } from '../lib/url.ts';
import type { RecordType } from '../model/record.ts';
import { type Account, DEFAULT_ACCOUNTS, DEFAULT_PROFILE, type IcpProfile } from './profile-files.ts';

export const STATUSES = ['accepted', 'deduplicated', 'rejected'] as const;

/** The account that a record belongs to. */
export interface AccountRef {
  readonly name: string;
  readonly domain?: string | undefined;
  /** `promotion`: the account was created when this event was promoted. */
  readonly by: 'domain' | 'name' | 'promotion';
}

export interface Contact {
  readonly id: string;
  /** The normalised URL of the profile. */
  readonly profile: string;
}

/** One element of a batch and its result: a line of `GET /sandbox/records` and of the state file. */
export interface StoredRecord {
  /** Number of the request. */
  readonly n: number;
  readonly type: RecordType;
  readonly status: (typeof STATUSES)[number];
  /** Why it was rejected. */
  readonly reason?: string | undefined;
  /** Of an accepted signal. */
  readonly family?: Classification | undefined;
  /** Of an accepted record; null if no account matched. */
  readonly account?: AccountRef | null | undefined;
  readonly icp?: IcpResult | undefined;
  /** Of an accepted event: its hint, or the baseline of its engagement type. */
  readonly warmth?: { readonly score: number; readonly by: 'hint' | 'baseline' } | undefined;
  /** Of an accepted event; null if it has no profile URL. */
  readonly contact?: Contact | null | undefined;
  /** Id of the deal that a promoted event became. */
  readonly deal?: string | undefined;
  /** As it arrived. */
  readonly record: unknown;
}

/** The value of a field of a valid element, by the field's canonical name. */
export type FieldValue = (field: string) => unknown;

export interface EffectsOptions {
  /** Default: the built-in example companies. */
  readonly accounts?: readonly Account[] | undefined;
  readonly icp?: IcpProfile | undefined;
}

/** Minimum warmth, from 0 to 100, of a promoted event. */
const PROMOTION_WARMTH = 70;

/** Warmth of an event without `warmth_hint`, by its engagement type without regard to case. */
const BASELINES: ReadonlyMap<string, number> = new Map([
  ['like', 20],
  ['repost', 50],
  ['comment', 60],
  ['mention', 80],
]);

/** Of any other engagement type: the interface's list is not complete. */
const OTHER_BASELINE = 30;

export class Effects {
  readonly #checkIcp: ReturnType<typeof createIcpCheck>;
  readonly #accounts: Accounts;
  /** Contacts by profile. */
  readonly #contacts = new Map<string, Contact>();
  #deals = 0;

  constructor({ accounts = DEFAULT_ACCOUNTS, icp = DEFAULT_PROFILE }: EffectsOptions) {
    this.#accounts = new Accounts(accounts);
    this.#checkIcp = createIcpCheck(icp);
  }

  /** Number of contacts. */
  get contacts(): number {
    return this.#contacts.size;
  }

  signal(value: FieldValue): Pick<StoredRecord, 'family' | 'account' | 'icp'> {
    const match = this.#accounts.match(value('company_domain'), value('company_name'));
    const family = classify({
      family: value('signal_family'),
      source: value('signal_source'),
      title: value('signal_title'),
      description: value('description') ?? value('notes'),
    });
    const hints = {
      employees: asNumber(value('employee_count')),
      industry: asText(value('industry')),
      location: asText(value('location')),
    };
    const icp = this.#checkIcp({ ...companyOf(match, hints), family: family.family });
    return { family, account: accountRef(match), icp };
  }

  event(value: FieldValue): Pick<StoredRecord, 'warmth' | 'account' | 'icp' | 'contact' | 'deal'> {
    const [domain, company] = [value('company_domain'), value('engager_company')];
    const match = this.#accounts.match(domain, company);
    const warmth = warmthOf(value);
    const contact = this.#contactOf(value('engager_profile_url'));
    const account = accountRef(match);
    const icp = this.#checkIcp(companyOf(match, {}));
    if (warmth.score < PROMOTION_WARMTH || !icp.qualified) return { warmth, contact, account, icp };
    this.#deals += 1;
    const deal = `deal_${this.#deals}`;
    const created = match === undefined ? newAccount(domain, company) : undefined;
    if (created === undefined) return { warmth, contact, account, icp, deal };
    this.#accounts.add(created);
    return { warmth, contact, account: { ...created, by: 'promotion' }, icp, deal };
  }

  /** Restores the effects of a record of an earlier sandbox. */
  restore({ account, contact, deal }: StoredRecord): void {
    if (contact) this.#contacts.set(contact.profile, contact);
    if (deal !== undefined) this.#deals += 1;
    if (account?.by === 'promotion') this.#accounts.add({ name: account.name, domain: account.domain });
  }

  /** The contact of that profile, created if it is new; null if the value is not a profile URL. */
  #contactOf(profileUrl: unknown): Contact | null {
    const profile = profileKey(profileUrl);
    if (profile === undefined) return null;
    const contact = this.#contacts.get(profile) ?? { id: `contact_${this.#contacts.size + 1}`, profile };
    this.#contacts.set(profile, contact);
    return contact;
  }
}

function warmthOf(value: FieldValue): { readonly score: number; readonly by: 'hint' | 'baseline' } {
  const hint = value('warmth_hint');
  if (typeof hint === 'number') return { score: hint, by: 'hint' };
  const score = BASELINES.get(squash(String(value('engagement_type')))) ?? OTHER_BASELINE;
  return { score, by: 'baseline' };
}

/** The account's data, completed by the record's hints. */
function companyOf(match: Match | undefined, hints: Company): Company {
  return {
    employees: match?.account.employees ?? hints.employees,
    industry: match?.account.industry ?? hints.industry,
    location: match?.account.location ?? hints.location,
  };
}

function accountRef(match: Match | undefined): AccountRef | null {
  return match === undefined ? null : { name: match.account.name, domain: match.account.domain, by: match.by };
}

function newAccount(domain: unknown, company: unknown): Account | undefined {
  const key = domainKey(domain) || undefined;
  const name = asText(company) ?? key;
  return name === undefined ? undefined : { name, domain: key };
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** A number, or a text of digits: the interface gives employee_count no type. */
function asNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d+$/.test(value.trim()) ? Number(value) : value;
  return typeof number === 'number' ? number : undefined;
}

/** Hosts of the same network. */
const CANONICAL_HOST: ReadonlyMap<string, string> = new Map([['twitter.com', 'x.com']]);

/** Maximum length of a profile URL, in characters. */
const MAX_PROFILE_LENGTH = 2000;

/**
 * Host and path of a profile URL without case, scheme, `www.`, query, fragment and a trailing slash:
 * `engager_profile_url` is "crucial for contact resolution" (interface.md, "Social engagement event"), however it is written.
 */
export function profileKey(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_PROFILE_LENGTH) return undefined;
  const url = parseUrl(value.trim()) ?? parseUrl(`https://${value.trim()}`);
  if (url === undefined || !/^https?:$/.test(url.protocol) || !url.hostname.includes('.')) return undefined;
  const host = url.hostname.replace(/^(?:www|m|mobile)\.(?=[^.]+\.)/, '').replace(/^[a-z]{2}\.(?=linkedin\.com$)/, '');
  const path = url.pathname.replace(/\/+$/, '').toLowerCase();
  // A host without a path is a network, not a person.
  return path === '' ? undefined : `${CANONICAL_HOST.get(host) ?? host}${path}`;
}

interface Match {
  readonly account: Account;
  readonly by: 'domain' | 'name';
}

/**
 * Accounts, matched by domain, then by name: `company_domain` is "used for account matching" (interface.md, "Market
 * signal"). How the service matches is not shown.
 */
export class Accounts {
  readonly #byDomain = new Map<string, Account>();
  readonly #byName = new Map<string, Account>();

  constructor(initial: readonly Account[]) {
    for (const account of initial) this.add(account);
  }

  /** If two accounts have the same domain or name, the first one matches. */
  add(account: Account): void {
    const domain = domainKey(account.domain);
    const name = nameKey(account.name);
    if (domain !== '' && !this.#byDomain.has(domain)) this.#byDomain.set(domain, account);
    if (name !== '' && !this.#byName.has(name)) this.#byName.set(name, account);
  }

  match(domain: unknown, name: unknown): Match | undefined {
    // A subdomain belongs to its domain: eu.acme.com to acme.com.
    for (let key = domainKey(domain); key.includes('.'); key = key.slice(key.indexOf('.') + 1)) {
      const account = this.#byDomain.get(key);
      if (account !== undefined) return { account, by: 'domain' };
    }
    const account = this.#byName.get(nameKey(name));
    return account && { account, by: 'name' };
  }
}

/** Maximum length of a domain name (RFC 1035, 2.3.4). */
const MAX_DOMAIN_LENGTH = 255;

/** A domain without scheme, path, port and `www.`, in lower case; '' if the value is not a domain. */
export function domainKey(value: unknown): string {
  if (typeof value !== 'string' || value.length > MAX_DOMAIN_LENGTH) return '';
  const host = value
    .trim()
    .toLowerCase()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//, '');
  return (/^[^/?#:@\s]*/.exec(host)?.[0] ?? '').replace(/^www\./, '').replace(/\.$/, '');
}

/** Legal forms, which are ignored at the end of a name. */
const LEGAL_FORMS = new Set(
  'inc incorporated llc ltd limited plc corp corporation co company gmbh ag kg se sa sas sarl bv nv ab as oy spa srl pty'.split(
    ' ',
  ),
);

/** Maximum number of characters that are compared. */
const MAX_NAME_LENGTH = 200;

/** A name without case, accents, punctuation and legal form; '' if nothing remains. */
export function nameKey(value: unknown): string {
  if (typeof value !== 'string') return '';
  const cut = value.slice(0, MAX_NAME_LENGTH).toLowerCase();
  // Normalisation is slow, and most names are ASCII.
  const plain = /^[\x20-\x7e]*$/.test(cut) ? cut : cut.normalize('NFKD').replace(/\p{M}+/gu, '');
  // The dots of S.A. and Inc. do not separate words.
  const words = plain.replaceAll('.', '').match(/[\p{L}\p{N}]+/gu) ?? [];
  while (words.length > 1 && LEGAL_FORMS.has(words.at(-1) ?? '')) words.pop();
  return words.join(' ');
}

/** A company's data, from its account or from the record's hints; `family` is that of the signal. */
type Company = Omit<Account, 'name' | 'domain'> & { readonly family?: string | undefined };

interface IcpResult {
  readonly qualified: boolean;
  /** The value that fails a criterion, or the values that pass. */
  readonly because: string;
}

/** A criterion of the profile. */
interface Criterion {
  readonly name: keyof Company;
  /** @param value trimmed, in lower case */
  readonly allows: (value: string) => boolean;
}

/** The interface names ICP filtering and shows no profile, so this one is a short list of criteria. */
export function createIcpCheck(profile: IcpProfile): (company: Company) => IcpResult {
  const criteria = criteriaOf(profile);
  return (company) => {
    const passed = new Set<string>();
    for (const { name, allows } of criteria) {
      const value = company[name];
      if (value === undefined) {
        if (profile.unknown === 'fail') return { qualified: false, because: 'too little data' };
        continue;
      }
      const description = name === 'employees' ? `${value} employees` : `${name} ${value}`;
      if (!allows(String(value).trim().toLowerCase())) return { qualified: false, because: description };
      passed.add(description);
    }
    return { qualified: true, because: [...passed].join(', ') || 'no criterion applies' };
  };
}

function criteriaOf({ employees, industries, excludedIndustries, locations, families }: IcpProfile): Criterion[] {
  const { min = 0, max = Number.POSITIVE_INFINITY } = employees ?? {};
  const isExcluded = isOneOf(excludedIndustries ?? []);
  const words = locations?.map((word) => word.toLowerCase());
  const criteria: readonly (Criterion | undefined)[] = [
    employees && { name: 'employees', allows: (value) => Number(value) >= min && Number(value) <= max },
    industries && { name: 'industry', allows: isOneOf(industries) },
    excludedIndustries && { name: 'industry', allows: (value) => !isExcluded(value) },
    words && { name: 'location', allows: (value) => words.some((word) => value.includes(word)) },
    families && { name: 'family', allows: isOneOf(families) },
  ];
  return criteria.filter((criterion) => criterion !== undefined);
}

function isOneOf(list: readonly string[]): (value: string) => boolean {
  const known = new Set(list.map((name) => name.trim().toLowerCase()));
  return (value) => known.has(value);
}

interface Classification {
  readonly family: string;
  /** What decided: the record's own `signal_family`, its source, or a word in its title or description. */
  readonly by: 'given' | 'source' | 'title' | 'description';
  /** The value or the word, cut at {@link MAX_REASON_LENGTH} characters. */
  readonly because: string;
}

/** Maximum length of a value that is quoted from a record, in characters. */
const MAX_REASON_LENGTH = 60;

/** Characters at the start of a text that are searched for words. */
const SEARCH_LENGTH = 500;

/** Sources that determine the family. */
const FAMILY_BY_SOURCE: ReadonlyMap<string, string> = new Map([
  ['funding', 'funding'],
  ['job_posting', 'hiring'],
  ['tech_install', 'technology'],
  ['review_site', 'review'],
  ['web_visit', 'intent'],
]);

/** The words of each family. If a text has words of several families, the first one in this list wins. */
const WORDS: readonly (readonly [family: string, words: string])[] = [
  ['acquisition', 'acquir\\w*|acquisition\\w*|merg(?:er|es|ed|ing)|takeover|buys|bought'],
  ['funding', 'rais(?:e|es|ed|ing)|funding|funded|series [a-f]|seed round|investors?|ipo'],
  ['leadership', 'new (?:ceo|cto|cfo|coo|cmo|cro|vp|chief|head|director)|appoint\\w*|steps down|joins as'],
  ['hiring', 'hir(?:e|es|ed|ing)|recruit\\w*|vacanc\\w+|openings? for|job ads?'],
  ['partnership', 'partner\\w*|alliance|teams? up|joint venture'],
  ['product', 'launch\\w*|releas\\w+|unveil\\w*|introduces'],
  ['technology', 'install\\w*|migrat\\w+|adopts?|adopted|switch(?:es|ed) to|rolls? out|implement\\w*'],
  ['expansion', 'open(?:s|ed|ing)|expan\\w+|new (?:office|site|hub|plant|stores?|properties)|moves to'],
  ['review', 'reviews?|ratings?|stars?'],
  ['intent', 'visit(?:s|ed)|pricing|demo|asked for|recommendations?|compar\\w+'],
];

/** The family of a source if no word is found. */
const FALLBACK: ReadonlyMap<string, string> = new Map([
  ['linkedin', 'social'],
  ['twitter', 'social'],
  ['news', 'news'],
]);

const PATTERNS = WORDS.map(([family, words]) => [family, new RegExp(`\\b(?:${words})\\b`, 'i')] as const);

/** Any word of any family. Most texts contain none and need only this search. */
const ANY_WORD = new RegExp(`\\b(?:${WORDS.map(([, words]) => words).join('|')})\\b`, 'i');

/**
 * The service classifies with AI and shows neither families nor method; this classifier has fixed rules on words, and states
 * the reason for each result. The family of a signal, in this order: its own `signal_family`, a source that determines the family, a word in the title,
 * a word in the description, else the source.
 */
export function classify(signal: {
  readonly family: unknown;
  readonly source: unknown;
  readonly title: unknown;
  readonly description: unknown;
}): Classification {
  const { family, source, title, description } = signal;
  if (typeof family === 'string' && family.trim() !== '') {
    const given = family.trim().slice(0, MAX_REASON_LENGTH);
    return { family: given, by: 'given', because: given };
  }
  const sourceName = String(source);
  const bySource = FAMILY_BY_SOURCE.get(sourceName);
  if (bySource !== undefined) return { family: bySource, by: 'source', because: sourceName };
  return (
    wordIn(title, 'title') ??
    wordIn(description, 'description') ?? {
      family: FALLBACK.get(sourceName) ?? 'other',
      by: 'source',
      because: sourceName,
    }
  );
}

function wordIn(text: unknown, by: 'title' | 'description'): Classification | undefined {
  if (typeof text !== 'string') return undefined;
  const start = text.slice(0, SEARCH_LENGTH);
  if (!ANY_WORD.test(start)) return undefined;
  for (const [family, words] of PATTERNS) {
    const word = words.exec(start)?.[0];
    if (word !== undefined) return { family, by, because: word.toLowerCase() };
  }
  return undefined;
}
