/**
 * Counters of requests and records, updated on arrival, so that the page costs little at any time. Memory grows by the
 * seconds in which batches arrived, and by names up to {@link MAX_NAMES}.
 */
import type { RecordType } from '../model/record.ts';
import type { LoggedRequest } from './logged-request.ts';
import type { StoredRecord } from './stored-record.ts';

export interface Counts {
  accepted: number;
  deduplicated: number;
  rejected: number;
}

/** A record as the page shows it. */
export interface RecordSummary {
  readonly n: number;
  readonly time: string;
  readonly type: RecordType;
  readonly status: StoredRecord['status'];
  readonly title: string;
  readonly company: string;
  /** Family of a signal, warmth of an event, or reason of a rejection. */
  readonly about: string;
  readonly account: string | null;
  readonly qualified: boolean | null;
  readonly deal: string | null;
}

export interface Slot extends Counts {
  /** Start, in milliseconds since the epoch. */
  readonly at: number;
  batches: number;
}

interface AccountCount {
  readonly name: string;
  readonly domain: string | null;
  signals: number;
  events: number;
  deals: number;
}

export interface Summary {
  /** Changes with every change. */
  readonly version: number;
  readonly requests: number;
  /** Requests that were not processed. */
  readonly refused: number;
  readonly batches: Readonly<Record<RecordType, number>>;
  readonly records: Readonly<Record<RecordType, Readonly<Counts>>>;
  readonly qualified: number;
  readonly promoted: number;
  readonly families: readonly { readonly name: string; readonly count: number }[];
  readonly accounts: readonly Readonly<AccountCount>[];
  /** Accepted records without an account. */
  readonly unmatched: number;
  /** Length of a slot of the timeline, in milliseconds. */
  readonly slotMs: number;
  readonly timeline: readonly Readonly<Slot>[];
  /** Newest first. */
  readonly promotions: readonly RecordSummary[];
  /** Newest first. */
  readonly last: readonly RecordSummary[];
}

export interface Counters {
  add(request: LoggedRequest, records: readonly StoredRecord[]): void;
  summary(): Summary;
  clear(): void;
}

/** Maximum number of families, and of accounts, with a counter of their own; the others share one. */
const MAX_NAMES = 10_000;
/** Maximum number of recent records, and of promotions. */
const MAX_RECENT = 25;
const MAX_SLOTS = 60;
/** Maximum number of families, and of accounts, in a summary. */
const MAX_ROWS = 12;
/** Maximum length of a text in a summary, in characters. */
const MAX_TEXT_LENGTH = 120;

/** Lengths of a slot, in milliseconds. */
const SLOT_LENGTHS = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600, 86_400].map((s) => s * 1000);

export function createCounters(): Counters {
  let version = 0;
  let state = initialState();
  return {
    add({ type, time, processed, accepted = 0, deduplicated = 0, rejected = 0 }, records) {
      version += 1;
      state.requests += 1;
      if (!processed || type === undefined) {
        state.refused += 1;
        return;
      }
      const counts = { accepted, deduplicated, rejected };
      state.batches[type] += 1;
      addCounts(state.records[type], counts);
      const second = Math.floor(Date.parse(time) / 1000);
      const slot = state.seconds.get(second) ?? { at: second * 1000, batches: 0, ...none() };
      slot.batches += 1;
      addCounts(slot, counts);
      state.seconds.set(second, slot);
      for (const stored of records) addRecord(state, stored, time);
      const newest = records.slice(-MAX_RECENT).map((stored) => ({ stored, time }));
      state.last = [...state.last, ...newest].slice(-MAX_RECENT);
    },
    summary() {
      const { seconds, families, accounts, ...rest } = state;
      const { slotMs, timeline } = slots([...seconds.values()]);
      return {
        version,
        ...rest,
        families: top(
          [...families].map(([name, count]) => ({ name, count })),
          ({ count }) => count,
        ),
        accounts: top([...accounts.values()], ({ signals, events }) => signals + events),
        slotMs,
        timeline,
        promotions: rest.promotions.map(summaryOf).toReversed(),
        last: rest.last.map(summaryOf).toReversed(),
      };
    },
    clear() {
      version += 1;
      state = initialState();
    },
  };
}

/** A record and when its batch arrived. */
interface Arrived {
  readonly stored: StoredRecord;
  readonly time: string;
}

type State = ReturnType<typeof initialState>;

function initialState() {
  return {
    requests: 0,
    refused: 0,
    batches: { signals: 0, social: 0 },
    records: { signals: none(), social: none() },
    qualified: 0,
    promoted: 0,
    unmatched: 0,
    families: new Map<string, number>(),
    accounts: new Map<string, AccountCount>(),
    seconds: new Map<number, Slot>(),
    promotions: [] as Arrived[],
    last: [] as Arrived[],
  };
}

function none(): Counts {
  return { accepted: 0, deduplicated: 0, rejected: 0 };
}

function addCounts(to: Counts, more: Counts): void {
  to.accepted += more.accepted;
  to.deduplicated += more.deduplicated;
  to.rejected += more.rejected;
}

function addRecord(state: State, stored: StoredRecord, time: string): void {
  const { type, family, account, icp, deal } = stored;
  if (icp?.qualified === true) state.qualified += 1;
  if (family !== undefined) {
    const name = nameFor(state.families, family.family, 'other names');
    state.families.set(name, (state.families.get(name) ?? 0) + 1);
  }
  if (account === null) state.unmatched += 1;
  if (account !== undefined && account !== null) {
    const key = nameFor(state.accounts, account.domain ?? account.name, '');
    const count = state.accounts.get(key) ?? {
      name: key === '' ? 'other accounts' : account.name.slice(0, MAX_TEXT_LENGTH),
      domain: key === '' ? null : (account.domain ?? null),
      signals: 0,
      events: 0,
      deals: 0,
    };
    count[type === 'signals' ? 'signals' : 'events'] += 1;
    if (deal !== undefined) count.deals += 1;
    state.accounts.set(key, count);
  }
  if (deal !== undefined) {
    state.promoted += 1;
    state.promotions = [...state.promotions, { stored, time }].slice(-MAX_RECENT);
  }
}

function nameFor(counted: ReadonlyMap<string, unknown>, name: string, others: string): string {
  return counted.has(name) || counted.size < MAX_NAMES ? name : others;
}

function summaryOf({ stored, time }: Arrived): RecordSummary {
  const { n, type, status, reason, family, account, icp, warmth, deal, record } = stored;
  const text = (...names: readonly string[]): string => {
    if (typeof record !== 'object' || record === null) return '';
    const fields = record as Readonly<Record<string, unknown>>;
    const found = names.map((name) => fields[name]).find((value) => typeof value === 'string');
    return String(found ?? '').slice(0, MAX_TEXT_LENGTH);
  };
  const signal = type === 'signals';
  return {
    n,
    time,
    type,
    status,
    title: signal
      ? text('signal_title', 'signal_name')
      : [text('engager_name'), text('engagement_type'), text('platform')].filter((part) => part !== '').join(' · '),
    company: signal ? text('company_name') : text('engager_company', 'company_domain'),
    about: reason ?? family?.family ?? (warmth === undefined ? '' : `warmth ${warmth.score}`),
    account: account?.name.slice(0, MAX_TEXT_LENGTH) ?? null,
    qualified: icp?.qualified ?? null,
    deal: deal ?? null,
  };
}

function top<T>(items: readonly T[], size: (item: T) => number): readonly T[] {
  return items.toSorted((one, other) => size(other) - size(one)).slice(0, MAX_ROWS);
}

/** Combines the seconds into at most {@link MAX_SLOTS} slots without gaps, from the first to the last. */
function slots(seconds: readonly Slot[]): { slotMs: number; timeline: Slot[] } {
  const earliest = seconds.reduce((min, { at }) => Math.min(min, at), Number.POSITIVE_INFINITY);
  const latest = seconds.reduce((max, { at }) => Math.max(max, at), Number.NEGATIVE_INFINITY);
  if (seconds.length === 0) return { slotMs: 1000, timeline: [] };
  const fits = (ms: number): boolean => Math.floor(latest / ms) - Math.floor(earliest / ms) < MAX_SLOTS;
  const day = 86_400_000;
  const slotMs = SLOT_LENGTHS.find(fits) ?? Math.ceil((latest - earliest) / MAX_SLOTS / day + 1) * day;
  const first = Math.floor(earliest / slotMs);
  const timeline = Array.from({ length: Math.floor(latest / slotMs) - first + 1 }, (_, index) => ({
    at: (first + index) * slotMs,
    batches: 0,
    ...none(),
  }));
  for (const second of seconds) {
    const slot = timeline[Math.floor(second.at / slotMs) - first];
    if (slot === undefined) continue;
    slot.batches += second.batches;
    addCounts(slot, second);
  }
  return { slotMs, timeline };
}
