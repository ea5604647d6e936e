/**
 * Everything that the sandbox remembers: the log of requests, the records, the counters, the keys of signals, contacts and
 * accounts. The state file of `--state` restores all of it.
 */
import { setImmediate } from 'node:timers/promises';
import { type Counters, createCounters, type Summary } from './counters.ts';
import { createDeferredWork } from './deferred-work.ts';
import { createEffects, type Effects, type EffectsOptions } from './effects.ts';
import type { LoggedRequest } from './logged-request.ts';
import { createRecordStore, type RecordStore, recordLine } from './record-store.ts';
import { openRequestLog } from './request-log.ts';
import { createSignalKeys, type SignalKeys } from './signal-keys.ts';
import { openState, type State } from './state-file.ts';
import type { StoredRecord } from './stored-record.ts';

export interface StoreOptions extends EffectsOptions {
  /** Path of the NDJSON log: one {@link LoggedRequest} per line, appended. */
  readonly log?: string | undefined;
  /** Path of the state file: its contents are restored, and what arrives is appended. */
  readonly state?: string | undefined;
  /** Default true: records can be read back. Without them, memory grows only by requests and signal keys. */
  readonly keepRecords?: boolean | undefined;
}

export interface Store {
  readonly keys: SignalKeys;
  readonly effects: Effects;
  /** Undefined if records are not kept. */
  readonly records: Pick<RecordStore, 'lines'> | undefined;
  /** Whether records are kept, in memory or in the state file. */
  readonly keepsRecords: boolean;
  /** Number of the last request in the state file; 0 without one. */
  readonly lastNumber: number;
  /**
   * Stores a request and its records. Returns when it is in the files. Without a state file, `records` is called later:
   * when they are read, or before an event changes the accounts.
   */
  add(request: LoggedRequest, records: () => readonly StoredRecord[], newKeys: readonly string[]): void;
  requests(): readonly LoggedRequest[];
  /** Does the deferred work in slices, so that requests are served in between. */
  settle(): Promise<void>;
  summary(): Summary & { readonly contacts: number };
  /** Deletes everything in memory. The log file keeps its lines; the state file gets a line for the reset. */
  clear(): void;
  close(): void;
}

/** Maximum time that requests wait for a slice of deferred work, in milliseconds. */
const SLICE_MS = 20;

/** @throws ProblemError `sandbox.log`, `sandbox.state` */
export function openStore(options: StoreOptions): Store {
  const log = openRequestLog(options.log);
  const keys = createSignalKeys();
  const effects = createEffects(options);
  const memory = (options.keepRecords ?? true) ? createRecordStore() : undefined;
  const counters: Counters = createCounters();
  const deferred = createDeferredWork();
  let lastNumber = 0;

  const remember = (
    request: LoggedRequest,
    records: readonly StoredRecord[],
    lines?: readonly string[],
  ): void => {
    if (request.type !== undefined) memory?.add(request.n, request.type, lines ?? records.map(recordLine));
    counters.add(request, records);
  };
  const clear = (): void => {
    for (const part of [deferred, keys, effects, counters, memory, log]) part?.clear();
  };
  const restore = (path: string): State =>
    openState(path, (line) => {
      if ('reset' in line) return clear();
      const { fact: request, entries: records = [] } = line;
      lastNumber = Math.max(lastNumber, request.n);
      for (const key of line.keys ?? []) keys.restore(key);
      for (const record of records) effects.restore(record);
      log.restore(request);
      remember(request, records);
    });

  let state: State | undefined;
  try {
    state = options.state === undefined ? undefined : restore(options.state);
  } catch (error) {
    log.close();
    throw error;
  }
  return {
    keys,
    effects: {
      ...effects,
      event(value) {
        // An event can create an account, which earlier signals must not match.
        deferred.run();
        return effects.event(value);
      },
    },
    records: memory && {
      lines(filter) {
        deferred.run();
        return memory.lines(filter);
      },
    },
    keepsRecords: memory !== undefined || state !== undefined,
    lastNumber,
    add(request, records, newKeys) {
      if (state === undefined) {
        log.add(request);
        if (memory === undefined) counters.add(request, records());
        else deferred.add(() => remember(request, records()));
        return;
      }
      const computed = records();
      const lines = computed.map(recordLine);
      state.add(request, newKeys.map(keys.shorten), lines);
      log.add(request);
      remember(request, computed, lines);
    },
    requests: log.requests,
    async settle() {
      while (deferred.hasPending()) {
        deferred.run(SLICE_MS);
        await setImmediate();
      }
    },
    summary() {
      deferred.run();
      return { ...counters.summary(), contacts: effects.contacts() };
    },
    clear() {
      state?.reset();
      clear();
    },
    close() {
      log.close();
      state?.close();
    },
  };
}
