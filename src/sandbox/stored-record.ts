/** One element of a batch and its result: a line of `GET /sandbox/records` and of the state file. */
import type { RecordType } from '../model/record.ts';
import type { Classification } from './classify.ts';
import type { IcpResult } from './icp.ts';

export const STATUSES = ['accepted', 'deduplicated', 'rejected'] as const;

/** The account that a record belongs to. */
export interface AccountRef {
  readonly name: string;
  readonly domain?: string | undefined;
  /** `promotion`: the account was created when this event was promoted. */
  readonly by: 'domain' | 'name' | 'promotion';
}

export interface Contact {
  readonly id: string;
  /** The normalised URL of the profile. */
  readonly profile: string;
}

export interface StoredRecord {
  /** Number of the request. */
  readonly n: number;
  readonly type: RecordType;
  readonly status: (typeof STATUSES)[number];
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
