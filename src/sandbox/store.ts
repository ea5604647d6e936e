/**
 * Everything that the sandbox remembers: the log of requests, the records, the counters, the keys of signals, contacts and
 * accounts. The state file of `--state` restores all of it.
 */
import { setImmediate } from 'node:timers/promises';
import { hashKey, KeyMap } from '../lib/key-map.ts';
import type { RecordType } from '../model/record.ts';
import { Effects, type EffectsOptions, type StoredRecord } from './effects.ts';
import { RecordCounters, type Summary, summarizeRequests } from './sandbox-summary.ts';
import {
  type LineFile,
  type LoggedRequest,
  openLog,
  openState,
  RESET_LINE,
  type StateLine,
  stateLine,
} from './state-file.ts';

export interface StoreOptions extends EffectsOptions {
  /** Path of the NDJSON log: one {@link LoggedRequest} per line, appended. */
  readonly log?: string | undefined;
  /** Path of the state file: its contents are restored, and what arrives is appended. */
  readonly state?: string | undefined;
  /** Default true: records can be read back. Without them, memory grows only by requests and signal keys. */
  readonly keepRecords?: boolean | undefined;
}

/** Batches whose results are computed before other requests are served again. */
const SLICE = 10;

/** What a reset deletes. */
function emptyMemory(options: StoreOptions) {
  const requests: LoggedRequest[] = [];
  /** Computes the results of batches. They are deferred until something reads the results. */
  const deferred: (() => void)[] = [];
  return {
    requests,
    deferred,
    keys: new SignalKeys(),
    effects: new Effects(options),
    records: (options.keepRecords ?? true) ? new RecordStore() : undefined,
    counters: new RecordCounters(),
  };
}

export class Store {
  readonly #options: StoreOptions;
  readonly #log: LineFile | undefined;
  readonly #state: LineFile | undefined;
  #memory: ReturnType<typeof emptyMemory>;
  #version = 0;
  #lastNumber = 0;

  /** @throws ProblemError `sandbox.log`, `sandbox.state` */
  constructor(options: StoreOptions) {
    this.#options = options;
    this.#memory = emptyMemory(options);
    this.#log = options.log === undefined ? undefined : openLog(options.log);
    try {
      this.#state = options.state === undefined ? undefined : openState(options.state, (line) => this.#restore(line));
    } catch (error) {
      this.#log?.close();
      throw error;
    }
  }

  get keys(): SignalKeys {
    return this.#memory.keys;
  }

  get effects(): Effects {
    return this.#memory.effects;
  }

  /** Whether records are kept, in memory or in the state file. */
  get keepsRecords(): boolean {
    return this.#memory.records !== undefined || this.#state !== undefined;
  }

  /** Number of the last request in the state file; 0 without one. */
  get lastNumber(): number {
    return this.#lastNumber;
  }

  /** In order of arrival. The log file is in the order of the answers. */
  get requests(): readonly LoggedRequest[] {
    return this.#memory.requests.toSorted((a, b) => a.n - b.n);
  }

  /**
   * Stores a request and its records. Returns when it is in the files. Without a state file, `records` is called later:
   * when they are read, or before an event changes the accounts.
   */
  add(request: LoggedRequest, records: () => readonly StoredRecord[], newKeys: readonly string[]): void {
    const isDeferred = this.#state === undefined && this.#memory.records !== undefined;
    const computed = isDeferred ? [] : records();
    const lines = this.keepsRecords ? computed.map(recordLine) : [];
    const keys = newKeys.map((key) => this.keys.shorten(key));
    this.#state?.add(stateLine(request, keys, lines));
    this.#log?.add(JSON.stringify(request));
    this.#addRequest(request);
    if (isDeferred) this.#memory.deferred.push(() => this.#addRecords(request, records()));
    else this.#addRecords(request, computed, lines);
  }

  /** Computes the results of the first `count` batches for which that was deferred. */
  computeDeferred(count = this.#memory.deferred.length): void {
    for (const compute of this.#memory.deferred.splice(0, count)) compute();
  }

  /** The matching records as NDJSON, in order of arrival; undefined if records are not kept in memory. */
  async recordLines(filter: RecordFilter): Promise<Iterable<string | Buffer> | undefined> {
    await this.#settle();
    return this.#memory.records?.lines(filter);
  }

  async summary(): Promise<Summary> {
    await this.#settle();
    return {
      version: this.#version,
      ...summarizeRequests(this.#memory.requests),
      ...this.#memory.counters.summary(),
      contacts: this.effects.contacts,
    };
  }

  /** Deletes everything in memory. The log file keeps its lines; the state file gets a line for the reset. */
  clear(): void {
    this.#state?.add(RESET_LINE);
    this.#clearMemory();
  }

  close(): void {
    this.#log?.close();
    this.#state?.close();
  }

  /** Computes all deferred results, and serves other requests in between. */
  async #settle(): Promise<void> {
    while (this.#memory.deferred.length > 0) {
      this.computeDeferred(SLICE);
      await setImmediate();
    }
  }

  #restore(line: StateLine): void {
    if ('reset' in line) {
      this.#clearMemory();
      return;
    }
    const { request, keys, records } = line;
    this.#lastNumber = Math.max(this.#lastNumber, request.n);
    for (const key of keys) this.keys.restore(key);
    for (const record of records) this.effects.restore(record);
    this.#addRequest(request);
    this.#addRecords(request, records);
  }

  #addRequest(request: LoggedRequest): void {
    this.#version += 1;
    this.#memory.requests.push(request);
  }

  #addRecords(
    { n, type, time }: LoggedRequest,
    records: readonly StoredRecord[],
    lines: readonly string[] = records.map(recordLine),
  ): void {
    if (type !== undefined) this.#memory.records?.add(n, type, lines);
    this.#memory.counters.add(records, time);
  }

  #clearMemory(): void {
    this.#version += 1;
    this.#memory = emptyMemory(this.#options);
  }
}

/** Which records to read. An absent criterion matches every record. */
export interface RecordFilter {
  readonly type?: RecordType | undefined;
  /** Numbers of requests. */
  readonly requests?: ReadonlySet<number> | undefined;
  readonly status?: StoredRecord['status'] | undefined;
  readonly family?: string | undefined;
  /** Domain or name of the account, in lower case. */
  readonly account?: string | undefined;
  readonly icp?: boolean | undefined;
  readonly promoted?: boolean | undefined;
  /** Text anywhere in the line, in lower case; matched without regard to case. */
  readonly text?: string | undefined;
  /** Only the last N records that match. */
  readonly last?: number | undefined;
}

interface StoredBatch {
  readonly n: number;
  readonly type: RecordType;
  /** Each with its line feed. */
  readonly lines: Buffer;
}

/**
 * The received records, for read-back. Memory grows by about 500 bytes per record until the sandbox ends or is reset. A
 * batch is one buffer outside the heap, which costs the garbage collector nothing; filters parse its lines again.
 */
class RecordStore {
  readonly #batches: StoredBatch[] = [];

  /** Adds the records of request `n` as lines (see {@link recordLine}), in order. */
  add(n: number, type: RecordType, lines: readonly string[]): void {
    if (lines.length > 0) this.#batches.push({ n, type, lines: Buffer.from(`${lines.join('\n')}\n`) });
  }

  /** NDJSON in order of arrival, in blocks of whole lines, without records that arrive during the read. */
  *lines({ type, requests, last, ...criteria }: RecordFilter): Generator<string | Buffer> {
    const batches = this.#batches.filter(
      (batch) => (type === undefined || batch.type === type) && (requests === undefined || requests.has(batch.n)),
    );
    if (last !== undefined) {
      yield* lastLines(batches, criteria, last);
    } else if (Object.values(criteria).every((criterion) => criterion === undefined)) {
      for (const { lines } of batches) yield lines;
    } else {
      for (const batch of batches) yield matchingLines(batch, criteria).join('');
    }
  }
}

/** The JSON of a stored record, with the record itself last. */
function recordLine({ record, ...result }: StoredRecord): string {
  try {
    return JSON.stringify({ ...result, record });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // Up to Node 24, JSON.parse accepts arrays nested deeper than JSON.stringify can write.
    return JSON.stringify({ ...result, record: null, about: 'nested too deeply to be shown' });
  }
}

type LineCriteria = Omit<RecordFilter, 'type' | 'requests' | 'last'>;

/** The last `count` matching lines, searched from the end. */
function lastLines(batches: readonly StoredBatch[], criteria: LineCriteria, count: number): readonly string[] {
  const found: (readonly string[])[] = [];
  let missing = count;
  for (const batch of batches.toReversed()) {
    if (missing <= 0) break;
    const lines = matchingLines(batch, criteria);
    found.push(lines.slice(-missing));
    missing -= lines.length;
  }
  return found.toReversed().flat();
}

function matchingLines({ lines }: StoredBatch, criteria: LineCriteria): readonly string[] {
  return lines
    .toString('utf8')
    .split(/(?<=\n)/)
    .filter((line) => matches(line, criteria));
}

function matches(line: string, { status, family, account, icp, promoted, text }: LineCriteria): boolean {
  if (text !== undefined && !line.toLowerCase().includes(text)) return false;
  // recordLine wrote this line.
  const stored: StoredRecord = JSON.parse(line);
  const names = [stored.account?.domain, stored.account?.name].map((name) => name?.toLowerCase());
  return (
    (status === undefined || stored.status === status) &&
    (family === undefined || stored.family?.family === family) &&
    (account === undefined || names.includes(account)) &&
    (icp === undefined || stored.icp?.qualified === icp) &&
    (promoted === undefined || (stored.deal !== undefined) === promoted)
  );
}

/** The signals that the sandbox has received, by key: 20 to 28 bytes of memory each. */
export class SignalKeys {
  readonly #keys = new KeyMap();

  /** Adds a key. @returns whether it is new */
  add(key: string): boolean {
    const before = this.#keys.size;
    this.#keys.set(hashKey(key), 0);
    return this.#keys.size > before;
  }

  /** A key as 16 characters, for a file. */
  shorten(key: string): string {
    return Buffer.from(hashKey(key), 'latin1').toString('base64');
  }

  /** Adds a shortened key. */
  restore(short: string): void {
    this.#keys.set(Buffer.from(short, 'base64').toString('latin1'), 0);
  }
}
