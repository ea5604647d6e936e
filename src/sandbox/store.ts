/**
 * Everything that the sandbox remembers, in one place: the log of requests, the records, the counts, the keys of
 * signals, people and accounts, and the file of `--state`, from which all of it comes back.
 */
import { setImmediate } from 'node:timers/promises';
import { createCounters, type Summary } from './counters.ts';
import { createEffects, type Effects, type Knowledge } from './effects.ts';
import type { LoggedRequest } from './logged-request.ts';
import { createRecordStore, type RecordStore, recordLine } from './record-store.ts';
import { openRequestLog } from './request-log.ts';
import { createSignalKeys, type SignalKeys } from './signal-keys.ts';
import { openState } from './state-file.ts';
import type { StoredRecord } from './stored-record.ts';

export interface StoreOptions extends Knowledge {
  /** Path of the NDJSON log, one {@link LoggedRequest} a line, appended to. */
  readonly log?: string;
  /** Path of the state file: what it holds is taken up, and what arrives is appended to it. */
  readonly state?: string;
  /** Default true: records can be read back. Without them memory grows only by facts and duplicate keys. */
  readonly keepRecords?: boolean;
}

export interface Store {
  readonly keys: SignalKeys;
  readonly effects: Effects;
  /** Undefined where no records are kept. */
  readonly memory: Pick<RecordStore, 'lines'> | undefined;
  /** Whether anything is kept of a record: in memory or in the state file. */
  readonly keeps: boolean;
  /** Number of the last request that the state file knows; 0 without one. */
  readonly lastNumber: number;
  /**
   * Writes down a request and what became of its records. Returns when it is in the files. Without a state file,
   * `entries` is called when somebody wants to see them, or when an event is about to change what is known.
   */
  add(fact: LoggedRequest, entries: () => readonly StoredRecord[], keys: readonly string[]): void;
  facts(): readonly LoggedRequest[];
  /** Works out what was put off, a little at a time, so that requests are served meanwhile. For whoever looks next. */
  settle(): Promise<void>;
  summary(): Summary & { readonly contacts: number };
  /** Forgets records, keys, people, counts and facts. The log file stays; the state file gets a line that says so. */
  forget(): void;
  close(): void;
}

/** How long requests may have to wait while something is worked out that was put off. */
const SLICE_MS = 20;

/** @throws ProblemError `sandbox.log`, `sandbox.state` */
export function openStore(options: StoreOptions): Store {
  const log = openRequestLog(options.log);
  const keys = createSignalKeys();
  const effects = createEffects(options);
  const memory = (options.keepRecords ?? true) ? createRecordStore() : undefined;
  const tally = createCounters();
  let lastNumber = 0;
  let later: (() => void)[] = [];
  let worked = 0;

  /** Works out what was put off, in the order of arrival, for so many milliseconds. */
  const catchUp = (forMs = Number.POSITIVE_INFINITY): void => {
    const until = performance.now() + forMs;
    while (worked < later.length) {
      const work = later[worked];
      // What is done holds its batch no longer.
      later[worked] = () => undefined;
      worked += 1;
      work?.();
      if (performance.now() >= until) return;
    }
    later = [];
    worked = 0;
  };
  const remember = (
    fact: LoggedRequest,
    entries: readonly StoredRecord[],
    texts?: readonly string[],
  ): void => {
    if (fact.type !== undefined) memory?.keep(fact.n, fact.type, texts ?? entries.map(recordLine));
    tally.add(fact, entries);
  };
  const forgetAll = (): void => {
    later = [];
    worked = 0;
    for (const part of [keys, effects, tally, memory]) part?.forget();
    log.forget();
  };
  const restore = (path: string): ReturnType<typeof openState> =>
    openState(path, (line) => {
      if ('reset' in line) return forgetAll();
      const { fact, entries = [] } = line;
      lastNumber = Math.max(lastNumber, fact.n);
      for (const key of line.keys ?? []) keys.restore(key);
      for (const entry of entries) effects.restore(entry);
      log.restore(fact);
      remember(fact, entries);
    });

  let state: ReturnType<typeof openState> | undefined;
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
      // An event can make an account, which signals that came before it must not find.
      event(value) {
        catchUp();
        return effects.event(value);
      },
    },
    memory:
      memory === undefined
        ? undefined
        : {
            lines(filter) {
              catchUp();
              return memory.lines(filter);
            },
          },
    keeps: memory !== undefined || state !== undefined,
    lastNumber,
    add(fact, entries, fresh) {
      if (state === undefined) {
        log.add(fact);
        if (memory === undefined) tally.add(fact, entries());
        else later.push(() => remember(fact, entries()));
        return;
      }
      const told = entries();
      const texts = told.map(recordLine);
      state.add(fact, fresh.map(keys.shorten), texts);
      log.add(fact);
      remember(fact, told, texts);
    },
    facts: log.facts,
    async settle() {
      while (worked < later.length) {
        catchUp(SLICE_MS);
        await setImmediate();
      }
    },
    summary() {
      catchUp();
      return { ...tally.summary(), contacts: effects.contacts() };
    },
    forget() {
      state?.reset();
      forgetAll();
    },
    close() {
      log.close();
      state?.close();
    },
  };
}
