/**
 * The received records, for read-back. Memory grows by about 500 bytes per record until the sandbox ends or is reset. A
 * batch is one buffer outside the heap, which costs the garbage collector nothing; filters parse its lines again.
 */
import type { RecordType } from '../model/record.ts';
import type { StoredRecord } from './stored-record.ts';

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

export class RecordStore {
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
export function recordLine({ record, ...result }: StoredRecord): string {
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
