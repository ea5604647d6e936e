/**
 * What the sandbox remembers, in memory and until it ends: the keys of the signals that it has seen, and, where
 * asked, every record. Memory grows with what arrives: about 60 bytes a signal without the records.
 */
import { hash } from 'node:crypto';
import type { RecordType } from '../model/record.ts';

export type Status = 'accepted' | 'deduplicated' | 'rejected';

export interface Memory {
  /** Whether this key was seen before. Seen from now on. */
  seen(key: string): boolean;
  /** Keeps a record for read-back, where records are kept. */
  keep(n: number, type: RecordType, status: Status, record: unknown): void;
  /** What was kept as NDJSON, in blocks of whole lines; undefined where no records are kept. */
  lines(type?: RecordType): Generator<string> | undefined;
  forget(): void;
}

interface Kept {
  readonly type: RecordType;
  readonly line: string;
}

/** Characters of NDJSON that are handed out at a time. */
const BLOCK = 64 * 1024;

export function createMemory(keepRecords: boolean): Memory {
  let keys = new Map<string, Set<string>>();
  let kept: Kept[] = [];

  return {
    seen(key) {
      // 96 bits: among a hundred million keys, two are taken for one with a chance of one in ten trillion.
      const short = hash('sha256', key, 'base64').slice(0, 16);
      // A Set holds at most 2^24 elements, which is fewer than a large upload has.
      const part = short.slice(0, 1);
      let set = keys.get(part);
      if (set === undefined) {
        set = new Set();
        keys.set(part, set);
      }
      const before = set.size;
      return set.add(short).size === before;
    },

    keep(n, type, status, record) {
      if (keepRecords) kept.push({ type, line: line(n, type, status, record) });
    },

    lines: (type) => (keepRecords ? blocks(kept, type) : undefined),

    forget() {
      keys = new Map();
      kept = [];
    },
  };
}

/** Text and not the object, so that a record is what it was when it arrived. */
function line(n: number, type: RecordType, status: Status, record: unknown): string {
  try {
    return `${JSON.stringify({ n, type, status, record })}\n`;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // Up to Node 24, JSON.parse reads arrays nested deeper than JSON.stringify can write.
    return `${JSON.stringify({ n, type, status, record: null, about: 'nested too deeply to be shown' })}\n`;
  }
}

function* blocks(kept: readonly Kept[], type: RecordType | undefined): Generator<string> {
  // Records that arrive while this is being read are not part of the answer.
  const end = kept.length;
  let block = '';
  for (let index = 0; index < end; index++) {
    const item = kept[index];
    if (item === undefined || (type !== undefined && item.type !== type)) continue;
    block += item.line;
    if (block.length >= BLOCK) {
      yield block;
      block = '';
    }
  }
  if (block !== '') yield block;
}
