/** Everything that the sandbox remembers, in memory only: the log of requests, the records, and the keys of signals. */
import { contracts, recordTypes } from '../contract/index.ts';
import { hashKey, KeyMap } from '../lib/key-map.ts';
import { count } from '../lib/units.ts';
import type { RecordType } from '../model/record.ts';
import type { effectOf } from './fault.ts';

/**
 * A line of `GET /sandbox/requests`. It contains no record, no header and no query, so never the key. Requests to
 * `/sandbox/…` are not logged.
 */
export interface LoggedRequest {
  /** Number of the request since the start, from 1, in order of arrival. */
  readonly n: number;
  /** When its headers had arrived: ISO 8601, UTC. */
  readonly time: string;
  /** The same moment in milliseconds on a monotonic clock. Compare only within one process. */
  readonly at: number;
  readonly method: string;
  /** Without the query, cut at {@link PATH_LIMIT} characters. */
  readonly path: string;
  /** Status of the answer; null if no answer is sent. */
  readonly status: number | null;
  /** Absent if the path is not one of the service's. */
  readonly type?: RecordType | undefined;
  /** Elements of the request's array; 0 if no array was read. */
  readonly records: number;
  /** Bytes of the body that arrived. */
  readonly bytes: number;
  /** Whether the batch was processed. A processed batch may still get no answer, see {@link InjectedFault}. */
  readonly processed: boolean;
  readonly batchId?: string | undefined;
  readonly accepted?: number | undefined;
  readonly deduplicated?: number | undefined;
  readonly rejected?: number | undefined;
  readonly promoted?: number | undefined;
  /** XXH64 of the body, as in the uploader's journal. Absent if the body was incomplete or too large. */
  readonly digest?: string | undefined;
  readonly fault?: ReturnType<typeof effectOf>['kind'] | undefined;
}

/** Maximum length of a logged path, in characters. */
export const PATH_LIMIT = 200;

/** One element of a batch and its result: a line of `GET /sandbox/records`. */
export interface StoredRecord {
  readonly n: number;
  readonly type: RecordType;
  readonly status: 'accepted' | 'deduplicated' | 'rejected';
  readonly reason?: string | undefined;
  readonly promoted?: boolean | undefined;
  readonly record: unknown;
}

export interface StoreOptions {
  /** Default true: records can be read back. Without them, memory grows only by requests and signal keys. */
  readonly keepRecords?: boolean | undefined;
}

export class Store {
  readonly keepsRecords: boolean;
  #requests: LoggedRequest[] = [];
  /**
   * The records of each request, as NDJSON: about 500 bytes per record. Buffers are outside the heap, so they cost the garbage
   * collector nothing.
   */
  #batches: Buffer[] = [];
  #keys = new KeyMap();

  constructor({ keepRecords = true }: StoreOptions) {
    this.keepsRecords = keepRecords;
  }

  get requests(): readonly LoggedRequest[] {
    return this.#requests.toSorted((a, b) => a.n - b.n);
  }

  /** Adds the key of a signal. Returns whether it is new. */
  addKey(text: string): boolean {
    const before = this.#keys.size;
    this.#keys.set(hashKey(text), 0);
    return this.#keys.size > before;
  }

  add(request: LoggedRequest, records: readonly StoredRecord[]): void {
    this.#requests.push(request);
    if (!this.keepsRecords || records.length === 0) return;
    this.#batches.push(Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join('')));
  }

  /** The records as NDJSON, in order of arrival. Undefined if they are not kept. */
  get records(): Iterable<Buffer> | undefined {
    return this.keepsRecords ? this.#batches : undefined;
  }

  clear(): void {
    this.#requests = [];
    this.#batches = [];
    this.#keys = new KeyMap();
  }
}

/** The counts that the sandbox has, in the order in which they are shown. */
const RESULTS = ['accepted', 'deduplicated', 'rejected', 'promoted'] as const;

/** Sums over requests for each record type: `market signals: 24 accepted, 0 deduplicated, 0 rejected`. */
export function countRequests(requests: readonly LoggedRequest[]): readonly string[] {
  return recordTypes.map((type) => {
    const { title, counts } = contracts[type];
    const batches = requests.filter((request) => request.processed && request.type === type);
    const sums = RESULTS.filter((name) => name === 'accepted' || name === 'rejected' || counts.includes(name)).map(
      (name) => {
        return `${count(batches.reduce((sum, request) => sum + (request[name] ?? 0), 0))} ${name}`;
      },
    );
    return `${title}: ${sums.join(', ')}`;
  });
}
