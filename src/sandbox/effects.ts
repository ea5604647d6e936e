/**
 * The effects of the two operations (interface.md, "Effects"): family, account and ICP of a signal; warmth, contact, account,
 * ICP and promotion of an event. Accounts and contacts are kept here.
 *
 * Where the interface is silent, the sandbox decides: high warmth is {@link PROMOTION_WARMTH} or more, baselines are those of
 * {@link BASELINES}, and a promoted event without an account creates one from its domain and company name.
 */

import { squash } from '../contract/index.ts';
import { parseUrl } from '../lib/url.ts';
import { Accounts, domainKey, type Match } from './accounts.ts';
import { classify } from './classify.ts';
import { type Company, createIcpCheck } from './icp.ts';
import { type Account, DEFAULT_ACCOUNTS, DEFAULT_PROFILE, type IcpProfile } from './profile-files.ts';
import type { FieldValue } from './read-elements.ts';
import type { AccountRef, Contact, StoredRecord } from './stored-record.ts';

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
