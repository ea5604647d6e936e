/**
 * The records that the sandbox received, for read-back. They are held in memory until it ends or is reset, so
 * memory grows with what arrives.
 */
import type { RecordType } from '../model/record.ts';
import type { Entry, Status } from './entry.ts';

/** Which records to read. What is absent lets everything pass. */
export interface Filter {
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

export interface Memory {
  keep(entry: Entry): void;
  /** What was kept as NDJSON, in the order of arrival, in blocks of whole lines. */
  lines(filter: Filter): Generator<string>;
  forget(): void;
}

interface Kept {
  readonly n: number;
  readonly type: RecordType;
  readonly status: Status;
  readonly family: string | undefined;
  /** Domain and name in lower case. */
  readonly account: readonly string[];
  readonly icp: boolean | undefined;
  readonly promoted: boolean;
  readonly line: string;
}

/** Characters of NDJSON that are handed out at a time. */
const BLOCK = 64 * 1024;

export function createMemory(): Memory {
  let kept: Kept[] = [];
  return {
    keep(entry) {
      const { n, type, status, family, account, icp, deal } = entry;
      kept.push({
        n,
        type,
        status,
        family: family?.family,
        account: [account?.domain, account?.name].flatMap((name) => name?.toLowerCase() ?? []),
        icp: icp?.qualified,
        promoted: deal !== undefined,
        line: `${entryText(entry)}\n`,
      });
    },
    lines: (filter) => blocks(kept, filter),
    forget() {
      kept = [];
    },
  };
}

/** Text and not the object, so that a record is what it was when it arrived. The record stands last. */
export function entryText({ record, ...about }: Entry): string {
  try {
    return JSON.stringify({ ...about, record });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // Up to Node 24, JSON.parse reads arrays nested deeper than JSON.stringify can write.
    return JSON.stringify({ ...about, record: null, about: 'nested too deeply to be shown' });
  }
}

function* blocks(all: readonly Kept[], filter: Filter): Generator<string> {
  // Records that arrive while this is being read are not part of the answer.
  const end = all.length;
  let block = '';
  for (let index = startOf(all, end, filter); index < end; index++) {
    const item = all[index];
    if (item === undefined || !passes(item, filter)) continue;
    block += item.line;
    if (block.length >= BLOCK) {
      yield block;
      block = '';
    }
  }
  if (block !== '') yield block;
}

/** Where to begin, so that at most the last so many that pass are read. */
function startOf(all: readonly Kept[], end: number, filter: Filter): number {
  if (filter.last === undefined) return 0;
  let wanted = filter.last;
  let index = end;
  while (index > 0 && wanted > 0) {
    index--;
    const item = all[index];
    if (item !== undefined && passes(item, filter)) wanted--;
  }
  return wanted > 0 ? 0 : index;
}

function passes(item: Kept, { type, status, n, family, account, icp, promoted, text }: Filter): boolean {
  return (
    (type === undefined || item.type === type) &&
    (status === undefined || item.status === status) &&
    (n === undefined || n.has(item.n)) &&
    (family === undefined || item.family === family) &&
    (account === undefined || item.account.includes(account)) &&
    (icp === undefined || item.icp === icp) &&
    (promoted === undefined || item.promoted === promoted) &&
    (text === undefined || item.line.toLowerCase().includes(text))
  );
}
