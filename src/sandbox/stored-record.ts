/** What became of one element of a batch: plain data, a line of `GET /sandbox/records` and of the state file. */
import type { RecordType } from '../model/record.ts';
import type { Classification } from './classify.ts';
import type { Contact } from './contacts.ts';
import type { IcpResult } from './icp.ts';

export type Status = 'accepted' | 'deduplicated' | 'rejected';

/** The account that a record belongs to. */
export interface AccountRef {
  readonly name: string;
  readonly domain?: string;
  /** `promotion`: there was none, and the promotion of this event made it. */
  readonly by: 'domain' | 'name' | 'promotion';
}

export interface StoredRecord {
  /** Number of the request. */
  readonly n: number;
  readonly type: RecordType;
  readonly status: Status;
  /** Why it was rejected. */
  readonly reason?: string;
  /** Of an accepted signal. */
  readonly family?: Classification;
  /** Of an accepted record; null where no account matched. */
  readonly account?: AccountRef | null;
  readonly icp?: IcpResult;
  /** Of an accepted event: its own hint, or the baseline of its engagement type. */
  readonly warmth?: { readonly score: number; readonly by: 'hint' | 'baseline' };
  /** Of an accepted event; null where it names no profile. */
  readonly contact?: Contact | null;
  /** Of a promoted event: the deal that was made of it. */
  readonly deal?: string;
  /** As it arrived. */
  readonly record: unknown;
}
