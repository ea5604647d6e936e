/**
 * The received records, for read-back. Memory grows by about 500 bytes per record until the sandbox ends or is reset. A
 * batch is one buffer outside the heap, which costs the garbage collector nothing; filters parse its lines again.
 */
import type { RecordType } from '../model/record.ts';
import type { Status, StoredRecord } from './stored-record.ts';

/** Which records to read. An absent criterion matches every record. */
export interface RecordFilter {
  readonly type?: RecordType | undefined;
  readonly status?: Status | undefined;
  /** Numbers of requests. */
  readonly n?: ReadonlySet<number> | undefined;
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

export interface RecordStore {
  /** Adds the records of request `n` as lines (see {@link recordLine}), in order. */
  add(n: number, type: RecordType, lines: readonly string[]): void;
  /** NDJSON in order of arrival, in blocks of whole lines. */
  lines(filter: RecordFilter): Generator<string | Buffer>;
  clear(): void;
}

interface StoredBatch {
  readonly n: number;
  readonly type: RecordType;
  readonly records: number;
  /** Each with its line feed. */
  readonly lines: Buffer;
}

export function createRecordStore(): RecordStore {
  let batches: StoredBatch[] = [];
  return {
    add(n, type, lines) {
      if (lines.length === 0) return;
      batches.push({ n, type, records: lines.length, lines: Buffer.from(`${lines.join('\n')}\n`) });
    },
    lines: (filter) => blocks(batches, filter),
    clear() {
      batches = [];
    },
  };
}

/** The JSON of a stored record, with the record itself last. */
export function recordLine({ record, ...result }: StoredRecord): string {
  try {
    return JSON.stringify({ ...result, record });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // Up to Node 24, JSON.parse accepts arrays nested deeper than JSON.stringify can write.
    return JSON.stringify({ ...result, record: null, about: 'nested too deeply to be shown' });
  }
}

function* blocks(all: readonly StoredBatch[], filter: RecordFilter): Generator<string | Buffer> {
  // Records that arrive during the read are not part of the answer.
  const end = all.length;
  const start = startOf(all, end, filter);
  for (let index = start.batch; index < end; index++) {
    const batch = all[index];
    if (batch === undefined || !mayMatch(batch, filter)) continue;
    const skip = index === start.batch ? start.skip : 0;
    if (skip === 0 && !needsLines(filter)) {
      yield batch.lines;
      continue;
    }
    const lines = matchingLines(batch, filter).slice(skip);
    if (lines.length > 0) yield `${lines.join('\n')}\n`;
  }
}

/** The first batch to read for `last`, and how many of its matching lines to skip. */
function startOf(all: readonly StoredBatch[], end: number, filter: RecordFilter): { batch: number; skip: number } {
  if (filter.last === undefined) return { batch: 0, skip: 0 };
  let wanted = filter.last;
  let index = end;
  while (index > 0 && wanted > 0) {
    index--;
    const batch = all[index];
    if (batch === undefined || !mayMatch(batch, filter)) continue;
    wanted -= needsLines(filter) ? matchingLines(batch, filter).length : batch.records;
  }
  return { batch: index, skip: Math.max(0, -wanted) };
}

/** Whether the criteria that concern a whole batch match. */
function mayMatch(batch: StoredBatch, { type, n }: RecordFilter): boolean {
  return (type === undefined || batch.type === type) && (n === undefined || n.has(batch.n));
}

function needsLines({ status, family, account, icp, promoted, text }: RecordFilter): boolean {
  return [status, family, account, icp, promoted, text].some((criterion) => criterion !== undefined);
}

function matchingLines(batch: StoredBatch, filter: RecordFilter): readonly string[] {
  const lines = batch.lines.toString('utf8').split('\n').slice(0, batch.records);
  return needsLines(filter) ? lines.filter((line) => matches(line, filter)) : lines;
}

function matches(line: string, { status, family, account, icp, promoted, text }: RecordFilter): boolean {
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
