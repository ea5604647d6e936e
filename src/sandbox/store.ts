/**
 * Everything that the sandbox remembers: the log of requests, the records, the counters, the keys of signals, contacts and
 * accounts. The state file of `--state` restores all of it.
 */
import { setImmediate } from 'node:timers/promises';
import { Effects, type EffectsOptions } from './effects.ts';
import type { LoggedRequest } from './logged-request.ts';
import { type RecordFilter, RecordStore, recordLine } from './record-store.ts';
import { RecordCounters, type Summary, summarizeRequests } from './sandbox-summary.ts';
import { SignalKeys } from './signal-keys.ts';
import { type LineFile, openLog, StateFile, type StateLine } from './state-file.ts';
import type { StoredRecord } from './stored-record.ts';

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
  readonly #state: StateFile | undefined;
  #memory: ReturnType<typeof emptyMemory>;
  #version = 0;
  #lastNumber = 0;

  /** @throws ProblemError `sandbox.log`, `sandbox.state` */
  constructor(options: StoreOptions) {
    this.#options = options;
    this.#memory = emptyMemory(options);
    this.#log = options.log === undefined ? undefined : openLog(options.log);
    try {
      this.#state =
        options.state === undefined ? undefined : new StateFile(options.state, (line) => this.#restore(line));
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
    this.#state?.add(
      request,
      newKeys.map((key) => this.keys.shorten(key)),
      lines,
    );
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
    this.#state?.reset();
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
    const { fact: request, keys = [], entries: records = [] } = line;
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
