/**
 * The data of the page. Counts of requests are computed from their log; counts of records are updated as their results
 * are computed, so that the page costs little at any time.
 */
import type { RecordType } from '../model/record.ts';
import type { LoggedRequest } from './logged-request.ts';
import { STATUSES, type StoredRecord } from './stored-record.ts';

type Counts = Record<StoredRecord['status'], number>;

interface Slot extends Counts {
  /** Start, in milliseconds since the epoch. */
  readonly at: number;
  batches: number;
}

interface RequestSummary {
  readonly requests: number;
  /** Requests that were not processed. */
  readonly refused: number;
  readonly batches: Readonly<Record<RecordType, number>>;
  readonly records: Readonly<Record<RecordType, Readonly<Counts>>>;
  /** Length of a slot of the timeline, in milliseconds. */
  readonly slotMs: number;
  readonly timeline: readonly Readonly<Slot>[];
}

export interface Summary extends RequestSummary, ReturnType<RecordCounters['summary']> {
  /** Changes with every request. */
  readonly version: number;
  readonly contacts: number;
}

const MAX_SLOTS = 60;
const DAY_MS = 86_400_000;
/** Lengths of a slot, in milliseconds: from a second to 30 days. */
const SLOT_LENGTHS = [
  ...[1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600].map((seconds) => seconds * 1000),
  ...[1, 7, 30].map((days) => days * DAY_MS),
];

/** Maximum number of recent records, and of promotions. */
const MAX_RECENT = 25;
/** Maximum number of families, and of accounts. */
const MAX_ROWS = 12;
/** Maximum length of a text, in characters. */
const MAX_TEXT_LENGTH = 120;

export function summarizeRequests(requests: readonly LoggedRequest[]): RequestSummary {
  const batches = { signals: 0, social: 0 };
  const records = { signals: noCounts(), social: noCounts() };
  const processed = requests.filter((request) => request.processed);
  for (const request of processed) {
    if (request.type === undefined) continue;
    batches[request.type] += 1;
    addCounts(records[request.type], request);
  }
  const refused = requests.length - processed.length;
  return { requests: requests.length, refused, batches, records, ...timelineOf(processed) };
}

/** At most {@link MAX_SLOTS} slots without gaps, from the first batch to the last. */
function timelineOf(batches: readonly LoggedRequest[]): Pick<RequestSummary, 'slotMs' | 'timeline'> {
  const [longest = DAY_MS] = SLOT_LENGTHS.slice(-1);
  const times = batches.map(({ time }) => Date.parse(time));
  const earliest = times.reduce((min, time) => Math.min(min, time), Number.POSITIVE_INFINITY);
  const latest = times.reduce((max, time) => Math.max(max, time), 0);
  const countOf = (ms: number): number => Math.max(0, Math.floor(latest / ms) - Math.floor(earliest / ms) + 1);
  const slotMs = SLOT_LENGTHS.find((ms) => countOf(ms) <= MAX_SLOTS) ?? longest;
  const first = Math.floor(earliest / slotMs);
  const timeline = Array.from({ length: countOf(slotMs) }, (_, index) => ({
    at: (first + index) * slotMs,
    batches: 0,
    ...noCounts(),
  }));
  for (const [index, batch] of batches.entries()) {
    const slot = timeline[Math.floor((times[index] ?? 0) / slotMs) - first];
    if (slot === undefined) continue;
    slot.batches += 1;
    addCounts(slot, batch);
  }
  return { slotMs, timeline };
}

function noCounts(): Counts {
  return { accepted: 0, deduplicated: 0, rejected: 0 };
}

function addCounts(to: Counts, more: Pick<LoggedRequest, keyof Counts>): void {
  for (const status of STATUSES) to[status] += more[status] ?? 0;
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
        const key = account.domain ?? account.name;
        const count = counts.accounts.get(key) ?? { ...account, signals: 0, events: 0, deals: 0 };
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
    const accountRows = [...accounts.values()].map(({ name, domain, signals, events, deals }) => ({
      name: name.slice(0, MAX_TEXT_LENGTH),
      domain: domain ?? null,
      signals,
      events,
      deals,
    }));
    return {
      qualified,
      promoted,
      /** Accepted records without an account. */
      unmatched,
      families: [...families]
        .map(([name, count]) => ({ name, count }))
        .toSorted((one, other) => other.count - one.count)
        .slice(0, MAX_ROWS),
      accounts: accountRows
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
  readonly domain?: string | undefined;
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
