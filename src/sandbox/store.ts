/**
 * Everything that the sandbox remembers: the log of requests, the records, the counters, the keys of signals, contacts and
 * accounts. The state file of `--state` restores all of it.
 */
import { hashKey, KeyMap } from '../lib/key-map.ts';
import type { RecordType } from '../model/record.ts';
import { Effects, type EffectsOptions, type StoredRecord } from './effects.ts';
import { RecordCounters, type SandboxSummary, summarizeRequests } from './sandbox-summary.ts';
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

/** Which records to read. An absent criterion matches every record. */
export interface StoredRecordFilter {
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

/**
 * The records of one request. Memory grows by about 500 bytes per record until the sandbox ends or is reset. A batch is one
 * buffer outside the heap, which costs the garbage collector nothing; filters parse its lines again.
 */
interface StoredBatch {
  readonly n: number;
  readonly type: RecordType;
  /** Each with its line feed. */
  readonly lines: Buffer;
}

/** What a reset deletes. */
class Memory {
  readonly requests: LoggedRequest[] = [];
  readonly batches: StoredBatch[] = [];
  /** Of the signals that arrived. */
  readonly keys = new KeyMap();
  readonly counters = new RecordCounters();
  readonly effects: Effects;

  constructor(options: EffectsOptions) {
    this.effects = new Effects(options);
  }
}

export class Store {
  readonly #options: StoreOptions;
  readonly #keepsRecords: boolean;
  readonly #log: LineFile | undefined;
  readonly #state: LineFile | undefined;
  #memory: Memory;
  /** Keys of the request that is being processed, for the state file. */
  #newKeys: string[] = [];
  #version = 0;
  #lastNumber = 0;

  /** @throws ProblemError `sandbox.log`, `sandbox.state` */
  constructor(options: StoreOptions) {
    this.#options = options;
    this.#keepsRecords = options.keepRecords ?? true;
    this.#memory = new Memory(options);
    this.#log = options.log === undefined ? undefined : openLog(options.log);
    try {
      this.#state = options.state === undefined ? undefined : openState(options.state, (line) => this.#restore(line));
    } catch (error) {
      this.#log?.close();
      throw error;
    }
  }

  get effects(): Effects {
    return this.#memory.effects;
  }

  /** Whether records are kept, in memory or in the state file. */
  get keepsRecords(): boolean {
    return this.#keepsRecords || this.#state !== undefined;
  }

  /** Number of the last request in the state file; 0 without one. */
  get lastNumber(): number {
    return this.#lastNumber;
  }

  /** In order of arrival. The log file is in the order of the answers. */
  get requests(): readonly LoggedRequest[] {
    return this.#memory.requests.toSorted((a, b) => a.n - b.n);
  }

  /** Adds the key of a signal. Returns whether it is new. */
  addKey(text: string): boolean {
    const { keys } = this.#memory;
    const before = keys.size;
    const key = hashKey(text);
    keys.set(key, 0);
    if (keys.size === before) return false;
    if (this.#state !== undefined) this.#newKeys.push(Buffer.from(key, 'latin1').toString('base64'));
    return true;
  }

  /** Stores a request, its records, and the keys added since the last request. Returns when it is in the files. */
  add(request: LoggedRequest, records: readonly StoredRecord[]): void {
    const lines = this.keepsRecords ? records.map(recordLine) : [];
    this.#state?.add(stateLine(request, this.#newKeys, lines));
    this.#newKeys = [];
    this.#log?.add(JSON.stringify(request));
    this.#remember(request, records, lines);
  }

  /**
   * The matching records as NDJSON, in order of arrival, in blocks of whole lines; undefined if records are not kept in
   * memory.
   */
  recordLines({ type, requests, last, ...criteria }: StoredRecordFilter): Iterable<string | Buffer> | undefined {
    if (!this.#keepsRecords) return undefined;
    const batches = this.#memory.batches.filter(
      (batch) => (type === undefined || batch.type === type) && (requests === undefined || requests.has(batch.n)),
    );
    if (last !== undefined) return lastLines(batches, criteria, last);
    const isFiltered = Object.values(criteria).some((criterion) => criterion !== undefined);
    return blocks(batches, isFiltered ? criteria : undefined);
  }

  summary(): SandboxSummary {
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

  #restore(line: StateLine): void {
    if ('reset' in line) {
      this.#clearMemory();
      return;
    }
    const { request, keys, records } = line;
    this.#lastNumber = Math.max(this.#lastNumber, request.n);
    for (const key of keys) this.#memory.keys.set(Buffer.from(key, 'base64').toString('latin1'), 0);
    for (const record of records) this.effects.restore(record);
    this.#remember(request, records, records.map(recordLine));
  }

  #remember(request: LoggedRequest, records: readonly StoredRecord[], lines: readonly string[]): void {
    const { n, type, time } = request;
    this.#version += 1;
    this.#memory.requests.push(request);
    this.#memory.counters.add(records, time);
    if (this.#keepsRecords && type !== undefined && lines.length > 0) {
      this.#memory.batches.push({ n, type, lines: Buffer.from(`${lines.join('\n')}\n`) });
    }
  }

  #clearMemory(): void {
    this.#version += 1;
    this.#memory = new Memory(this.#options);
  }
}

function recordLine(record: StoredRecord): string {
  try {
    return JSON.stringify(record);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // Up to Node 24, JSON.parse accepts arrays nested deeper than JSON.stringify can write.
    return JSON.stringify({ ...record, record: null, about: 'nested too deeply to be shown' });
  }
}

type LineCriteria = Omit<StoredRecordFilter, 'type' | 'requests' | 'last'>;

function* blocks(batches: readonly StoredBatch[], criteria: LineCriteria | undefined): Generator<string | Buffer> {
  for (const batch of batches) yield criteria === undefined ? batch.lines : matchingLines(batch, criteria).join('');
}

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
