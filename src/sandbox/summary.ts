/**
 * The data of the page. Counts of requests are computed from the log. Counts of records are updated when their results are
 * computed, so the page is cheap at any time.
 */
import type { RecordType } from '../model/record.ts';
import type { LoggedRequest } from './logged-request.ts';
import { STATUSES, type StoredRecord } from './stored-record.ts';

interface RequestSummary {
  readonly requests: number;
  /** Requests that were not processed. */
  readonly refused: number;
  readonly batches: Readonly<Record<RecordType, number>>;
  readonly records: Readonly<Record<RecordType, Readonly<Record<StoredRecord['status'], number>>>>;
}

export interface Summary extends RequestSummary, ReturnType<RecordCounters['summary']> {
  /** Changes with every request. */
  readonly version: number;
  readonly contacts: number;
}

/** Maximum number of recent records, and of promotions. */
const MAX_RECENT = 25;
/** Maximum number of families, and of accounts. */
const MAX_ROWS = 12;
/** Maximum length of a text, in characters. */
const MAX_TEXT_LENGTH = 120;

export function summarizeRequests(requests: readonly LoggedRequest[]): RequestSummary {
  const batches = { signals: 0, social: 0 };
  const records = {
    signals: { accepted: 0, deduplicated: 0, rejected: 0 },
    social: { accepted: 0, deduplicated: 0, rejected: 0 },
  };
  let refused = 0;
  for (const request of requests) {
    const { type, processed } = request;
    if (!processed || type === undefined) {
      refused += 1;
      continue;
    }
    batches[type] += 1;
    for (const status of STATUSES) records[type][status] += request[status] ?? 0;
  }
  return { requests: requests.length, refused, batches, records };
}

/** Counts of accepted records, and the last records. */
export class RecordCounters {
  #counts = initialCounts();

  /** @param time when their batch arrived */
  add(records: readonly StoredRecord[], time: string): void {
    const counts = this.#counts;
    for (const record of records) {
      const { type, family, account, icp, deal } = record;
      if (icp?.qualified === true) counts.qualified += 1;
      if (family !== undefined) {
        counts.families.set(family.family, (counts.families.get(family.family) ?? 0) + 1);
      }
      if (account === null) counts.unmatched += 1;
      if (account) {
        const { domain, name } = account;
        const key = domain ?? name;
        const count = counts.accounts.get(key) ?? {
          name: name.slice(0, MAX_TEXT_LENGTH),
          domain: domain ?? null,
          signals: 0,
          events: 0,
          deals: 0,
        };
        count[type === 'signals' ? 'signals' : 'events'] += 1;
        if (deal !== undefined) count.deals += 1;
        counts.accounts.set(key, count);
      }
      if (deal !== undefined) {
        counts.promoted += 1;
        counts.promotions = [...counts.promotions, { record, time }].slice(-MAX_RECENT);
      }
    }
    const newest = records.slice(-MAX_RECENT).map((record) => ({ record, time }));
    counts.last = [...counts.last, ...newest].slice(-MAX_RECENT);
  }

  /** `last` and `promotions`: the newest first. */
  summary() {
    const { qualified, promoted, unmatched, families, accounts, promotions, last } = this.#counts;
    return {
      qualified,
      promoted,
      /** Accepted records without an account. */
      unmatched,
      families: [...families]
        .map(([name, count]) => ({ name, count }))
        .toSorted((one, other) => other.count - one.count)
        .slice(0, MAX_ROWS),
      accounts: [...accounts.values()]
        .toSorted((one, other) => other.signals + other.events - one.signals - one.events)
        .slice(0, MAX_ROWS),
      promotions: promotions.map(summarizeRecord).toReversed(),
      last: last.map(summarizeRecord).toReversed(),
    };
  }

  clear(): void {
    this.#counts = initialCounts();
  }
}

interface Arrived {
  readonly record: StoredRecord;
  readonly time: string;
}

interface AccountCounts {
  readonly name: string;
  readonly domain: string | null;
  signals: number;
  events: number;
  deals: number;
}

function initialCounts() {
  return {
    qualified: 0,
    promoted: 0,
    unmatched: 0,
    families: new Map<string, number>(),
    accounts: new Map<string, AccountCounts>(),
    promotions: [] as readonly Arrived[],
    last: [] as readonly Arrived[],
  };
}

/** A record as the page shows it. */
function summarizeRecord({ record: stored, time }: Arrived) {
  const { n, type, status, reason, family, account, icp, warmth, deal, record } = stored;
  const text = (...names: readonly string[]): string => {
    if (typeof record !== 'object' || record === null) return '';
    const fields = record as Readonly<Record<string, unknown>>;
    const found = names.map((name) => fields[name]).find((value) => typeof value === 'string');
    return String(found ?? '').slice(0, MAX_TEXT_LENGTH);
  };
  const isSignal = type === 'signals';
  return {
    n,
    time,
    type,
    status,
    title: isSignal
      ? text('signal_title', 'signal_name')
      : [text('engager_name'), text('engagement_type'), text('platform')].filter((part) => part !== '').join(' · '),
    company: isSignal ? text('company_name') : text('engager_company', 'company_domain'),
    /** Family of a signal, warmth of an event, or reason of a rejection. */
    about: reason ?? family?.family ?? (warmth === undefined ? '' : `warmth ${warmth.score}`),
    account: account?.name.slice(0, MAX_TEXT_LENGTH) ?? null,
    qualified: icp?.qualified ?? null,
    deal: deal ?? null,
  };
}
