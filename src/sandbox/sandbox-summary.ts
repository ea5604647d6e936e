/**
 * The data of the page, and of `GET /sandbox/summary`. Counts of requests are computed from the log. Counts of records are
 * updated when their results are computed, so the page is cheap at any time.
 */
import type { RecordType } from '../model/record.ts';
import { type AccountRef, STATUSES, type StoredRecord } from './effects.ts';
import type { LoggedRequest } from './state-file.ts';

interface RequestSummary {
  readonly requests: number;
  /** Requests that were not processed. */
  readonly refused: number;
  readonly batches: Readonly<Record<RecordType, number>>;
  readonly records: Readonly<Record<RecordType, Readonly<Record<StoredRecord['status'], number>>>>;
  /** The newest first. */
  readonly lastBatches: readonly LoggedRequest[];
  readonly lastFailures: readonly LoggedRequest[];
  readonly timeline: Timeline;
}

/** Requests over time, in equal steps from the first request to the last. */
interface Timeline {
  readonly stepSeconds: number;
  readonly steps: readonly {
    /** ISO 8601, UTC. */
    readonly time: string;
    readonly processed: number;
    readonly failed: number;
  }[];
}

export interface SandboxSummary extends RequestSummary, ReturnType<RecordCounters['summary']> {
  /** Changes with every request. */
  readonly version: number;
  readonly contacts: number;
}

/** Maximum number of recent batches, of failures, and of promotions. */
const MAX_RECENT = 25;
const MAX_STEPS = 60;
const STEP_SECONDS = [1, 2, 5, 10, 30, 60, 300, 900, 3600, 21_600, 86_400];
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
  return {
    requests: requests.length,
    refused,
    batches,
    records,
    lastBatches: lastOf(requests, ({ processed }) => processed),
    lastFailures: lastOf(requests, ({ processed }) => !processed),
    timeline: timelineOf(requests),
  };
}

/** The newest first. */
function lastOf(requests: readonly LoggedRequest[], isWanted: (request: LoggedRequest) => boolean): LoggedRequest[] {
  const found: LoggedRequest[] = [];
  for (let at = requests.length - 1; at >= 0 && found.length < MAX_RECENT; at -= 1) {
    const request = requests[at];
    if (request !== undefined && isWanted(request)) found.push(request);
  }
  return found;
}

function timelineOf(requests: readonly LoggedRequest[]): Timeline {
  const [first, last] = [requests[0], requests.at(-1)].map((request) => Date.parse(request?.time ?? ''));
  if (first === undefined || last === undefined || requests.length === 0) return { stepSeconds: 1, steps: [] };
  const seconds = Math.max(0, last - first) / 1000;
  const stepSeconds =
    STEP_SECONDS.find((step) => seconds < step * MAX_STEPS) ?? Math.ceil(seconds / MAX_STEPS / 86_400) * 86_400;
  const start = Math.floor(first / stepSeconds / 1000) * stepSeconds * 1000;
  const stepOf = (time: number): number => Math.max(0, Math.floor((time - start) / stepSeconds / 1000));
  const steps = Array.from({ length: stepOf(last) + 1 }, (_, index) => {
    return { time: new Date(start + index * stepSeconds * 1000).toISOString(), processed: 0, failed: 0 };
  });
  for (const { time, processed } of requests) {
    // The clock may have been set back.
    const step = steps[Math.min(stepOf(Date.parse(time)), steps.length - 1)];
    if (step !== undefined) step[processed ? 'processed' : 'failed'] += 1;
  }
  return { stepSeconds, steps };
}

/** Counts of accepted records, and the last promotions. */
export class RecordCounters {
  readonly #counts = { qualified: 0, promoted: 0, unmatched: 0 };
  readonly #families = new Map<string, number>();
  readonly #accounts = new Map<string, AccountCounts>();
  #promotions: readonly Arrived[] = [];

  /** @param time when their batch arrived */
  add(records: readonly StoredRecord[], time: string): void {
    for (const record of records) {
      const { type, family, account, icp, deal } = record;
      if (icp?.qualified === true) this.#counts.qualified += 1;
      if (family !== undefined) this.#families.set(family.family, (this.#families.get(family.family) ?? 0) + 1);
      if (account === null) this.#counts.unmatched += 1;
      if (account) {
        const count = this.#accountOf(account);
        count[type === 'signals' ? 'signals' : 'events'] += 1;
        if (deal !== undefined) count.deals += 1;
      }
      if (deal !== undefined) {
        this.#counts.promoted += 1;
        this.#promotions = [...this.#promotions, { record, time }].slice(-MAX_RECENT);
      }
    }
  }

  /** `unmatched`: accepted records without an account. `promotions`: the newest first. */
  summary() {
    return {
      ...this.#counts,
      families: [...this.#families]
        .map(([name, count]) => ({ name, count }))
        .toSorted((one, other) => other.count - one.count)
        .slice(0, MAX_ROWS),
      accounts: [...this.#accounts.values()]
        .toSorted((one, other) => other.signals + other.events - one.signals - one.events)
        .slice(0, MAX_ROWS),
      promotions: this.#promotions.map(summarizePromotion).toReversed(),
    };
  }

  #accountOf({ domain, name }: AccountRef): AccountCounts {
    const key = domain ?? name;
    const known = this.#accounts.get(key);
    if (known !== undefined) return known;
    const cut = name.slice(0, MAX_TEXT_LENGTH);
    const count = { name: cut, domain: domain ?? null, signals: 0, events: 0, deals: 0 };
    this.#accounts.set(key, count);
    return count;
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

/** A promoted event as the page shows it. */
function summarizePromotion({ record: { n, warmth, account, deal, record }, time }: Arrived) {
  const fields = typeof record === 'object' && record !== null ? Object.entries(record) : [];
  const title = ['engager_name', 'engagement_type', 'platform'].flatMap((name) => {
    const value = fields.find(([key]) => key === name)?.[1];
    return typeof value === 'string' && value !== '' ? [value] : [];
  });
  return {
    n,
    time,
    title: title.join(' · ').slice(0, MAX_TEXT_LENGTH),
    account: account?.name.slice(0, MAX_TEXT_LENGTH) ?? null,
    warmth: warmth?.score ?? null,
    deal: deal ?? null,
  };
}
