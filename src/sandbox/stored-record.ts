/** One element of a batch and its result: a line of `GET /sandbox/records` and of the state file. */
import type { RecordType } from '../model/record.ts';
import type { Classification } from './classify.ts';
import type { Contact } from './contacts.ts';
import type { IcpResult } from './icp.ts';

export type Status = 'accepted' | 'deduplicated' | 'rejected';

/** The account that a record belongs to. */
export interface AccountRef {
  readonly name: string;
  readonly domain?: string | undefined;
  /** `promotion`: the account was created when this event was promoted. */
  readonly by: 'domain' | 'name' | 'promotion';
}

export interface StoredRecord {
  /** Number of the request. */
  readonly n: number;
  readonly type: RecordType;
  readonly status: Status;
  /** Why it was rejected. */
  readonly reason?: string | undefined;
  /** Of an accepted signal. */
  readonly family?: Classification | undefined;
  /** Of an accepted record; null if no account matched. */
  readonly account?: AccountRef | null | undefined;
  readonly icp?: IcpResult | undefined;
  /** Of an accepted event: its hint, or the baseline of its engagement type. */
  readonly warmth?: { readonly score: number; readonly by: 'hint' | 'baseline' } | undefined;
  /** Of an accepted event; null if it has no profile URL. */
  readonly contact?: Contact | null | undefined;
  /** Id of the deal that a promoted event became. */
  readonly deal?: string | undefined;
  /** As it arrived. */
  readonly record: unknown;
}
