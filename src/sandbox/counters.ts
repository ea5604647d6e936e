/**
 * Counts of what arrived, kept up as it arrives, so that the page can be shown at any time for the same small
 * effort. Memory is bounded except by the seconds in which something arrived, and by {@link MOST_NAMES}.
 */
import type { RecordType } from '../model/record.ts';
import type { LoggedRequest } from './logged-request.ts';
import type { StoredRecord } from './stored-record.ts';

export interface Counts {
  accepted: number;
  deduplicated: number;
  rejected: number;
}

/** A record in a few words, for people. */
export interface RecordSummary {
  readonly n: number;
  readonly time: string;
  readonly type: RecordType;
  readonly status: StoredRecord['status'];
  readonly title: string;
  readonly company: string;
  /** The family of a signal, the warmth of an event, the reason of a rejection. */
  readonly about: string;
  readonly account: string | null;
  readonly qualified: boolean | null;
  readonly deal: string | null;
}

export interface Slot extends Counts {
  /** Beginning, milliseconds since 1970. */
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
  /** Another number means that something changed. */
  readonly version: number;
  readonly requests: number;
  /** Requests that were not taken in. */
  readonly refused: number;
  readonly batches: Readonly<Record<RecordType, number>>;
  readonly records: Readonly<Record<RecordType, Readonly<Counts>>>;
  readonly qualified: number;
  readonly promoted: number;
  readonly families: readonly { readonly name: string; readonly count: number }[];
  readonly accounts: readonly Readonly<AccountCount>[];
  /** Accepted records that belong to no account. */
  readonly unmatched: number;
  /** Milliseconds that one slot of the timeline covers. */
  readonly slotMs: number;
  readonly timeline: readonly Readonly<Slot>[];
  /** The newest first. */
  readonly promotions: readonly RecordSummary[];
  /** The newest first. */
  readonly last: readonly RecordSummary[];
}

export interface Counters {
  add(fact: LoggedRequest, entries: readonly StoredRecord[]): void;
  summary(): Summary;
  forget(): void;
}

/** Names of families or accounts that are counted apart; the others share one line. */
const MOST_NAMES = 10_000;
const MOST_BRIEFS = 25;
const MOST_SLOTS = 60;
const MOST_ROWS = 12;
/** Longest text of a brief, in characters. */
const LONGEST = 120;

/** Lengths of a slot that people can read, in milliseconds. */
const SLOTS = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600, 86_400].map((s) => s * 1000);

export function createCounters(): Counters {
  let version = 0;
  let state = empty();
  return {
    add(fact, entries) {
      version += 1;
      state.requests += 1;
      if (!fact.processed || fact.type === undefined) {
        state.refused += 1;
        return;
      }
      const counts = {
        accepted: fact.accepted ?? 0,
        deduplicated: fact.deduplicated ?? 0,
        rejected: fact.rejected ?? 0,
      };
      state.batches[fact.type] += 1;
      addCounts(state.records[fact.type], counts);
      const second = Math.floor(Date.parse(fact.time) / 1000);
      const slot = state.seconds.get(second) ?? { at: second * 1000, batches: 0, ...none() };
      slot.batches += 1;
      addCounts(slot, counts);
      state.seconds.set(second, slot);
      for (const entry of entries) addEntry(state, entry, fact.time);
      const { time } = fact;
      const newest = entries.slice(-MOST_BRIEFS).map((entry) => ({ entry, time }));
      state.last = [...state.last, ...newest].slice(-MOST_BRIEFS);
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
        promotions: rest.promotions.map(briefOf).toReversed(),
        last: rest.last.map(briefOf).toReversed(),
      };
    },
    forget() {
      version += 1;
      state = empty();
    },
  };
}

/** An entry, and when its batch arrived. Put into words only when somebody asks. */
interface Told {
  readonly entry: StoredRecord;
  readonly time: string;
}

type Collected = ReturnType<typeof empty>;

function empty() {
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
    promotions: [] as Told[],
    last: [] as Told[],
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

function addEntry(state: Collected, entry: StoredRecord, time: string): void {
  const { type, family, account, icp, deal } = entry;
  if (icp?.qualified === true) state.qualified += 1;
  if (family !== undefined) {
    const name = nameFor(state.families, family.family, 'other names');
    state.families.set(name, (state.families.get(name) ?? 0) + 1);
  }
  if (account === null) state.unmatched += 1;
  if (account !== undefined && account !== null) {
    const key = nameFor(state.accounts, account.domain ?? account.name, '');
    const count = state.accounts.get(key) ?? {
      name: key === '' ? 'other accounts' : account.name.slice(0, LONGEST),
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
    state.promotions = [...state.promotions, { entry, time }].slice(-MOST_BRIEFS);
  }
}

function nameFor(counted: ReadonlyMap<string, unknown>, name: string, others: string): string {
  return counted.has(name) || counted.size < MOST_NAMES ? name : others;
}

function briefOf({ entry, time }: Told): RecordSummary {
  const { n, type, status, reason, family, account, icp, warmth, deal, record } = entry;
  const text = (...names: readonly string[]): string => {
    if (typeof record !== 'object' || record === null) return '';
    const fields = record as Readonly<Record<string, unknown>>;
    const found = names.map((name) => fields[name]).find((value) => typeof value === 'string');
    return String(found ?? '').slice(0, LONGEST);
  };
  const signal = type === 'signals';
  return {
    n,
    time,
    type,
    status,
    title: signal
      ? text('signal_title', 'signal_name')
      : [text('engager_name'), text('engagement_type'), text('platform')]
          .filter((part) => part !== '')
          .join(' · '),
    company: signal ? text('company_name') : text('engager_company', 'company_domain'),
    about: reason ?? family?.family ?? (warmth === undefined ? '' : `warmth ${warmth.score}`),
    account: account?.name.slice(0, LONGEST) ?? null,
    qualified: icp?.qualified ?? null,
    deal: deal ?? null,
  };
}

function top<T>(items: readonly T[], size: (item: T) => number): readonly T[] {
  return items.toSorted((one, other) => size(other) - size(one)).slice(0, MOST_ROWS);
}

/** The seconds put together into at most {@link MOST_SLOTS} slots without gaps, from the first to the last. */
function slots(seconds: readonly Slot[]): { slotMs: number; timeline: Slot[] } {
  const least = seconds.reduce((min, { at }) => Math.min(min, at), Number.POSITIVE_INFINITY);
  const most = seconds.reduce((max, { at }) => Math.max(max, at), Number.NEGATIVE_INFINITY);
  if (seconds.length === 0) return { slotMs: 1000, timeline: [] };
  const fits = (ms: number): boolean => Math.floor(most / ms) - Math.floor(least / ms) < MOST_SLOTS;
  const day = 86_400_000;
  const slotMs = SLOTS.find(fits) ?? Math.ceil((most - least) / MOST_SLOTS / day + 1) * day;
  const first = Math.floor(least / slotMs);
  const timeline = Array.from({ length: Math.floor(most / slotMs) - first + 1 }, (_, index) => ({
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
