/**
 * Everything that the sandbox remembers: the log of requests, the records, the counters, the keys of signals, contacts and
 * accounts. The state file of `--state` restores all of it.
 */
import { setImmediate } from 'node:timers/promises';
import { createCounters, type Summary } from './counters.ts';
import { createDeferredWork } from './deferred-work.ts';
import { createEffects, type Effects, type EffectsOptions } from './effects.ts';
import type { LoggedRequest } from './logged-request.ts';
import { createRecordStore, type RecordStore, recordLine } from './record-store.ts';
import { openRequestLog, type RequestLog } from './request-log.ts';
import { createSignalKeys, type SignalKeys } from './signal-keys.ts';
import { openState, type State, type StateLine } from './state-file.ts';
import type { StoredRecord } from './stored-record.ts';

export interface StoreOptions extends EffectsOptions {
  /** Path of the NDJSON log: one {@link LoggedRequest} per line, appended. */
  readonly log?: string | undefined;
  /** Path of the state file: its contents are restored, and what arrives is appended. */
  readonly state?: string | undefined;
  /** Default true: records can be read back. Without them, memory grows only by requests and signal keys. */
  readonly keepRecords?: boolean | undefined;
}

/** Maximum time that requests wait for a slice of deferred work, in milliseconds. */
const SLICE_MS = 20;

export class Store {
  readonly keys: SignalKeys = createSignalKeys();
  readonly effects: Effects;
  /** Undefined if records are not kept. */
  readonly records: Pick<RecordStore, 'lines'> | undefined;
  readonly #effects: Effects;
  readonly #memory: RecordStore | undefined;
  readonly #log: RequestLog;
  readonly #counters = createCounters();
  readonly #deferred = createDeferredWork();
  readonly #state: State | undefined;
  #lastNumber = 0;

  /** @throws ProblemError `sandbox.log`, `sandbox.state` */
  constructor(options: StoreOptions) {
    const effects = createEffects(options);
    const memory = (options.keepRecords ?? true) ? createRecordStore() : undefined;
    this.#effects = effects;
    this.#memory = memory;
    this.effects = {
      ...effects,
      event: (value) => {
        // An event can create an account, which earlier signals must not match.
        this.#deferred.run();
        return effects.event(value);
      },
    };
    this.records = memory && {
      lines: (filter) => {
        this.#deferred.run();
        return memory.lines(filter);
      },
    };
    this.#log = openRequestLog(options.log);
    try {
      this.#state = options.state === undefined ? undefined : openState(options.state, (line) => this.#restore(line));
    } catch (error) {
      this.#log.close();
      throw error;
    }
  }

  /** Whether records are kept, in memory or in the state file. */
  get keepsRecords(): boolean {
    return this.#memory !== undefined || this.#state !== undefined;
  }

  /** Number of the last request in the state file; 0 without one. */
  get lastNumber(): number {
    return this.#lastNumber;
  }

  /**
   * Stores a request and its records. Returns when it is in the files. Without a state file, `records` is called later:
   * when they are read, or before an event changes the accounts.
   */
  add(request: LoggedRequest, records: () => readonly StoredRecord[], newKeys: readonly string[]): void {
    if (this.#state === undefined) {
      this.#log.add(request);
      if (this.#memory === undefined) this.#counters.add(request, records());
      else this.#deferred.add(() => this.#remember(request, records()));
      return;
    }
    const computed = records();
    const lines = computed.map(recordLine);
    this.#state.add(request, newKeys.map(this.keys.shorten), lines);
    this.#log.add(request);
    this.#remember(request, computed, lines);
  }

  requests(): readonly LoggedRequest[] {
    return this.#log.requests();
  }

  /** Does the deferred work in slices, so that requests are served in between. */
  async settle(): Promise<void> {
    while (this.#deferred.hasPending()) {
      this.#deferred.run(SLICE_MS);
      await setImmediate();
    }
  }

  summary(): Summary & { readonly contacts: number } {
    this.#deferred.run();
    return { ...this.#counters.summary(), contacts: this.#effects.contacts() };
  }

  /** Deletes everything in memory. The log file keeps its lines; the state file gets a line for the reset. */
  clear(): void {
    this.#state?.reset();
    this.#clearMemory();
  }

  close(): void {
    this.#log.close();
    this.#state?.close();
  }

  #restore(line: StateLine): void {
    if ('reset' in line) {
      this.#clearMemory();
      return;
    }
    const { fact: request, keys = [], entries: records = [] } = line;
    this.#lastNumber = Math.max(this.#lastNumber, request.n);
    for (const key of keys) this.keys.restore(key);
    for (const record of records) this.#effects.restore(record);
    this.#log.restore(request);
    this.#remember(request, records);
  }

  #remember(request: LoggedRequest, records: readonly StoredRecord[], lines?: readonly string[]): void {
    if (request.type !== undefined) {
      this.#memory?.add(request.n, request.type, lines ?? records.map(recordLine));
    }
    this.#counters.add(request, records);
  }

  #clearMemory(): void {
    for (const part of [this.#deferred, this.keys, this.#effects, this.#counters, this.#memory, this.#log]) {
      part?.clear();
    }
  }
}
