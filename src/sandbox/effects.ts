/**
 * The effects of the two operations (interface.md, "Effects"): family, account and ICP of a signal; warmth, contact, account,
 * ICP and promotion of an event. Accounts and contacts are kept here.
 *
 * Where the interface is silent, the sandbox decides: high warmth is {@link PROMOTION_WARMTH} or more, baselines are those of
 * {@link BASELINES}, and a promoted event without an account creates one from its domain and company name.
 */
import { squash } from '../contract/index.ts';
import { type Account, createAccounts, domainKey, type Match } from './accounts.ts';
import { classify } from './classify.ts';
import { createContacts } from './contacts.ts';
import { DEFAULT_ACCOUNTS } from './default-accounts.ts';
import { type Company, createIcpCheck, DEFAULT_PROFILE, type IcpProfile } from './icp.ts';
import type { AccountRef, StoredRecord } from './stored-record.ts';

/** The value of a field, by its canonical name. */
export type FieldValue = (field: string) => unknown;

type SignalEffects = Pick<StoredRecord, 'family' | 'account' | 'icp'>;
type EventEffects = Pick<StoredRecord, 'warmth' | 'account' | 'icp' | 'contact' | 'deal'>;

export interface Effects {
  signal(value: FieldValue): SignalEffects;
  event(value: FieldValue): EventEffects;
  /** Restores the effects of a record of an earlier sandbox. */
  restore(record: StoredRecord): void;
  /** Back to the initial accounts, no contacts and no deals. */
  clear(): void;
  /** Number of contacts resolved so far. */
  contacts(): number;
}

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

export function createEffects(options: EffectsOptions): Effects {
  const checkIcp = createIcpCheck(options.icp ?? DEFAULT_PROFILE);
  const initialAccounts = options.accounts ?? DEFAULT_ACCOUNTS;
  let accounts = createAccounts(initialAccounts);
  let contacts = createContacts();
  let deals = 0;

  return {
    signal(value) {
      const match = accounts.match(value('company_domain'), value('company_name'));
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
      const icp = checkIcp({ ...companyOf(match, hints), family: family.family });
      return { family, account: match === undefined ? null : accountRef(match), icp };
    },

    event(value) {
      const [domain, company] = [value('company_domain'), value('engager_company')];
      const match = accounts.match(domain, company);
      const warmth = warmthOf(value);
      const contact = contacts.resolve(value('engager_profile_url')) ?? null;
      const account = match === undefined ? null : accountRef(match);
      const icp = checkIcp(companyOf(match, {}));
      if (warmth.score < PROMOTION_WARMTH || !icp.qualified) return { warmth, contact, account, icp };
      deals += 1;
      const deal = `deal_${deals}`;
      const created = match === undefined ? newAccount(domain, company) : undefined;
      if (created === undefined) return { warmth, contact, account, icp, deal };
      accounts.add(created);
      return { warmth, contact, account: accountRef({ account: created, by: 'promotion' }), icp, deal };
    },

    restore({ account, contact, deal }) {
      if (contact !== undefined && contact !== null) contacts.restore(contact);
      if (deal !== undefined) deals += 1;
      if (account?.by === 'promotion') accounts.add({ name: account.name, domain: account.domain });
    },

    clear() {
      accounts = createAccounts(initialAccounts);
      contacts = createContacts();
      deals = 0;
    },

    contacts: () => contacts.size,
  };
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

function accountRef({
  account: { name, domain },
  by,
}: {
  readonly account: Account;
  readonly by: AccountRef['by'];
}): AccountRef {
  return { name, domain, by };
}

function newAccount(domain: unknown, company: unknown): Account | undefined {
  const key = domainKey(domain);
  const name = asText(company) ?? (key === '' ? undefined : key);
  return name === undefined ? undefined : { name, domain: key === '' ? undefined : key };
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** A number, or a text of digits: the interface gives employee_count no type. */
function asNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d+$/.test(value.trim()) ? Number(value) : value;
  return typeof number === 'number' ? number : undefined;
}
