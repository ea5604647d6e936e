/**
 * The effects behind the two operations (interface.md, "Effects"): family, account and ICP of a signal; warmth,
 * contact, account, ICP and promotion of an event. What is known of people and companies is kept here.
 *
 * Decided here, where interface.md is silent: high warmth is {@link PROMOTED_FROM} and more; baselines are those of
 * {@link BASELINE}; a promoted event without an account makes one, of its domain and company name.
 */
import { squash } from '../contract/index.ts';
import { type Account, createAccounts, domainKey, type Match } from './accounts.ts';
import { classify } from './classify.ts';
import { createContacts } from './contacts.ts';
import { DEFAULT_ACCOUNTS } from './default-accounts.ts';
import { type Company, createIcpCheck, DEFAULT_PROFILE, type IcpProfile } from './icp.ts';
import type { AccountRef, StoredRecord } from './stored-record.ts';

/** The value of a field, by its canonical name. */
export type Value = (field: string) => unknown;

type SignalEffects = Required<Pick<StoredRecord, 'family' | 'account' | 'icp'>>;
type EventEffects = Required<Pick<StoredRecord, 'warmth' | 'account' | 'icp' | 'contact'>> &
  Pick<StoredRecord, 'deal'>;

export interface Effects {
  signal(value: Value): SignalEffects;
  event(value: Value): EventEffects;
  /** Takes up what an earlier sandbox did with a record. */
  restore(entry: StoredRecord): void;
  /** Back to the accounts of the beginning, no contacts and no deals. */
  forget(): void;
  /** People resolved so far. */
  contacts(): number;
}

export interface Knowledge {
  /** Default: some companies of this project's examples. */
  readonly accounts?: readonly Account[];
  readonly icp?: IcpProfile;
}

/** An event this warm is promoted where it qualifies. Warmth is 0 to 100. */
const PROMOTED_FROM = 70;

/** Warmth of an event without `warmth_hint`, by its engagement type without regard to case. */
const BASELINE: ReadonlyMap<string, number> = new Map([
  ['like', 20],
  ['repost', 50],
  ['comment', 60],
  ['mention', 80],
]);

/** Of any other engagement type: the interface's list is not complete. */
const OTHER_BASELINE = 30;

export function createEffects(knowledge: Knowledge): Effects {
  const qualify = createIcpCheck(knowledge.icp ?? DEFAULT_PROFILE);
  let accounts = createAccounts(knowledge.accounts ?? DEFAULT_ACCOUNTS);
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
        employees: numeric(value('employee_count')),
        industry: textual(value('industry')),
        location: textual(value('location')),
      };
      const icp = qualify({ ...known(match, hints), family: family.family });
      return { family, account: reference(match), icp };
    },

    event(value) {
      const [domain, company] = [value('company_domain'), value('engager_company')];
      const match = accounts.match(domain, company);
      const warmth = warmthOf(value);
      const icp = qualify(known(match, {}));
      const contact = contacts.resolve(value('engager_profile_url')) ?? null;
      const effects = { warmth, contact, account: reference(match), icp };
      if (warmth.score < PROMOTED_FROM || !icp.qualified) return effects;
      deals += 1;
      const made = match === undefined ? newAccount(domain, company) : undefined;
      if (made !== undefined) accounts.add(made);
      return {
        ...effects,
        ...(made === undefined ? {} : { account: reference({ account: made, by: 'promotion' }) }),
        deal: `deal_${deals}`,
      };
    },

    restore({ account, contact, deal }) {
      if (contact !== undefined && contact !== null) contacts.restore(contact);
      if (deal !== undefined) deals += 1;
      if (account?.by === 'promotion') {
        const { name, domain } = account;
        accounts.add({ name, ...(domain === undefined ? {} : { domain }) });
      }
    },

    forget() {
      accounts = createAccounts(knowledge.accounts ?? DEFAULT_ACCOUNTS);
      contacts = createContacts();
      deals = 0;
    },

    contacts: () => contacts.size,
  };
}

function warmthOf(value: Value): Required<StoredRecord>['warmth'] {
  const hint = value('warmth_hint');
  if (typeof hint === 'number') return { score: hint, by: 'hint' };
  const score = BASELINE.get(squash(String(value('engagement_type')))) ?? OTHER_BASELINE;
  return { score, by: 'baseline' };
}

/** The account's facts, and the record's hints where it has none. */
function known(match: Match | undefined, hints: Company): Company {
  return {
    employees: match?.account.employees ?? hints.employees,
    industry: match?.account.industry ?? hints.industry,
    location: match?.account.location ?? hints.location,
  };
}

function reference(
  match: Match | { readonly account: Account; readonly by: 'promotion' } | undefined,
): AccountRef | null {
  if (match === undefined) return null;
  const { name, domain } = match.account;
  return { name, ...(domain === undefined ? {} : { domain }), by: match.by };
}

function newAccount(domain: unknown, company: unknown): Account | undefined {
  const key = domainKey(domain);
  const name = textual(company) ?? (key === '' ? undefined : key);
  return name === undefined ? undefined : { name, ...(key === '' ? {} : { domain: key }) };
}

function textual(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** A number, or a text that is one: interface.md gives employee_count no type. */
function numeric(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d+$/.test(value.trim()) ? Number(value) : value;
  return typeof number === 'number' ? number : undefined;
}
