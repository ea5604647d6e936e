/**
 * The records that the sandbox received, for read-back. They are held until it ends or is reset, so memory grows
 * with what arrives: by the text of each record and of what became of it, some 500 bytes in all. A batch is one
 * block of bytes outside of the heap, which the garbage collector need not look through; filters read the text again.
 */
import type { RecordType } from '../model/record.ts';
import type { Status, StoredRecord } from './stored-record.ts';

/** Which records to read. What is absent lets everything pass. */
export interface RecordFilter {
  readonly type?: RecordType;
  readonly status?: Status;
  /** Numbers of requests. */
  readonly n?: ReadonlySet<number>;
  readonly family?: string;
  /** Domain or name of the account, in lower case. */
  readonly account?: string;
  readonly icp?: boolean;
  readonly promoted?: boolean;
  /** A text that stands somewhere in the line, without regard to case. */
  readonly text?: string;
  /** So many of the last that pass. */
  readonly last?: number;
}

export interface RecordStore {
  /** The entries of request `n` as texts (see {@link recordLine}), in their order. */
  keep(n: number, type: RecordType, texts: readonly string[]): void;
  /** What was kept as NDJSON, in the order of arrival, in blocks of whole lines. */
  lines(filter: RecordFilter): Generator<string | Buffer>;
  forget(): void;
}

/** A batch: the lines of its records, each with its end. */
interface Kept {
  readonly n: number;
  readonly type: RecordType;
  readonly records: number;
  readonly lines: Buffer;
}

export function createRecordStore(): RecordStore {
  let kept: Kept[] = [];
  return {
    keep(n, type, texts) {
      if (texts.length === 0) return;
      kept.push({ n, type, records: texts.length, lines: Buffer.from(`${texts.join('\n')}\n`) });
    },
    lines: (filter) => blocks(kept, filter),
    forget() {
      kept = [];
    },
  };
}

/** Text and not the object, so that a record is what it was when it arrived. The record stands last. */
export function recordLine({ record, ...about }: StoredRecord): string {
  try {
    return JSON.stringify({ ...about, record });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // Up to Node 24, JSON.parse reads arrays nested deeper than JSON.stringify can write.
    return JSON.stringify({ ...about, record: null, about: 'nested too deeply to be shown' });
  }
}

function* blocks(all: readonly Kept[], filter: RecordFilter): Generator<string | Buffer> {
  // Records that arrive while this is being read are not part of the answer.
  const end = all.length;
  const start = startOf(all, end, filter);
  for (let index = start.batch; index < end; index++) {
    const batch = all[index];
    if (batch === undefined || !mayHold(batch, filter)) continue;
    const skip = index === start.batch ? start.skip : 0;
    if (skip === 0 && !looksInside(filter)) {
      yield batch.lines;
      continue;
    }
    const lines = passing(batch, filter).slice(skip);
    if (lines.length > 0) yield `${lines.join('\n')}\n`;
  }
}

/** Where to begin, so that at most the last so many that pass are read: a batch, and how many to skip in it. */
function startOf(all: readonly Kept[], end: number, filter: RecordFilter): { batch: number; skip: number } {
  if (filter.last === undefined) return { batch: 0, skip: 0 };
  let wanted = filter.last;
  let index = end;
  while (index > 0 && wanted > 0) {
    index--;
    const batch = all[index];
    if (batch === undefined || !mayHold(batch, filter)) continue;
    wanted -= looksInside(filter) ? passing(batch, filter).length : batch.records;
  }
  return { batch: index, skip: Math.max(0, -wanted) };
}

/** What a filter can say of a whole batch. */
function mayHold(batch: Kept, { type, n }: RecordFilter): boolean {
  return (type === undefined || batch.type === type) && (n === undefined || n.has(batch.n));
}

function looksInside({ status, family, account, icp, promoted, text }: RecordFilter): boolean {
  return [status, family, account, icp, promoted, text].some((wanted) => wanted !== undefined);
}

/** The lines of a batch that pass. */
function passing(batch: Kept, filter: RecordFilter): readonly string[] {
  const lines = batch.lines.toString('utf8').split('\n').slice(0, batch.records);
  return looksInside(filter) ? lines.filter((line) => passes(line, filter)) : lines;
}

function passes(line: string, { status, family, account, icp, promoted, text }: RecordFilter): boolean {
  if (text !== undefined && !line.toLowerCase().includes(text)) return false;
  // Nobody but entryText made this line.
  const entry: StoredRecord = JSON.parse(line);
  const names = [entry.account?.domain, entry.account?.name].map((name) => name?.toLowerCase());
  return (
    (status === undefined || entry.status === status) &&
    (family === undefined || entry.family?.family === family) &&
    (account === undefined || names.includes(account)) &&
    (icp === undefined || entry.icp?.qualified === icp) &&
    (promoted === undefined || (entry.deal !== undefined) === promoted)
  );
}
