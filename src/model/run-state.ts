/** What the events of a run so far say about it. Types only. */
import { z } from 'zod';
import type { Excluded, SentRows, Shard } from './batch.ts';
import { withEach } from './counts.ts';
import type { BatchSealed, EndState, RunEvent, RunInput } from './event.ts';
import { type BatchState, batchState, receiptCounts, rowState, type Stop } from './outcome.ts';
import type { RecordType, Variant } from './record.ts';
import type { Cursor, Issue, Position, RowPlace } from './row.ts';

/** The one fold of a journal (journal/apply-event.ts). Summary, lists, report, metrics and exit code are views of it. */
export interface RunState {
  run: string;
  startedAt: string;
  endedAt?: string | undefined;
  type: RecordType;
  variant?: Variant | undefined;
  shard?: Shard | undefined;
  /** Where the run sends since a resume; before, where run.json says. */
  baseUrl?: string | undefined;
  /** `running` until the journal says how the run ended. */
  state: EndState | 'running';
  stop?: Stop | undefined;
  /** When the right to send was given away, and to which archive or folder. */
  handedOver?: HandOver | undefined;
  rows: RowCounts;
  batches: BatchCounts;
  service: ServiceCounts;
  sources: SourceState[];
  /** Batches that are not delivered, by id, in the order in which they were sealed. */
  undelivered: Map<string, UndeliveredBatch>;
  readonly reasons: Reasons;
  /** Batches that were cut from the inputs, also those of other shards; the parts of split batches do not count. */
  batchesCut: number;
  rejects: RejectsState;
  /** From the first invalid row to the last one, in one input: for estimates while no row is accounted for. */
  seen?: { readonly first: Position; readonly rows: number; readonly bytes: number } | undefined;
  /** Time in which processes worked on the run, in milliseconds, up to the last event. */
  workedMs: number;
  /** Time of the last event: ISO 8601, UTC. */
  lastTime: string;
  requests: number;
  retries: number;
  /** Delivered records that were sent again because an earlier attempt may have been processed. */
  resent: number;
  bytesSent: number;
  throttle: ThrottleState;
  notes: Map<string, number>;
  /** Where a note applies first, by note key. Only of notes that have a place (model/problem.ts). */
  firstNotes: Map<string, RowPlace>;
  sentBefore: SentRows[];
  excluded: Omit<Excluded, 'sealed'>;
}

/** The part of a run state that a list of runs shows, and that decides what to do next. */
export interface RunFacts extends Pick<RunState, 'state' | 'stop' | 'handedOver' | 'rows' | 'baseUrl'> {
  readonly service: Readonly<Pick<ServiceCounts, 'rejected' | 'unaccounted'>>;
  /** Whether the rest of its input is lost, and everything before it is settled. */
  readonly isRestLost?: boolean | undefined;
  /** Whether no request of the run has certainly reached the service. */
  readonly hasSentNothing?: boolean | undefined;
  /** Estimated rows that were not read; null if that is unknown. Absent if all were read. */
  readonly unread?: number | null | undefined;
  /** Rows in the rejects files, by source index. */
  readonly rejectsRows?: Readonly<Record<number, number>> | undefined;
}

export interface HandOver {
  readonly time: string;
  readonly to: string;
  /** This folder is a copy to look at, and has never sent. */
  readonly copy?: true | undefined;
}

export interface SourceState extends RunInput {
  /** Offset up to which every row is accounted for. */
  read: number;
  rows: number;
  /** The end of the accounted rows. Undefined before the first of them. */
  cursor?: Cursor | undefined;
  /** Whether the end was reached and everything before it is accounted for. */
  ended: boolean;
  digest?: string;
}

/** The rejects files, by source index. Inputs without one are absent. */
export interface RejectsState {
  /** Lengths in bytes at the last commit. */
  bytes: Readonly<Record<number, number>>;
  /** Invalid rows in each file, up to the last commit. */
  rows: Record<number, number>;
  /** Invalid rows since the last commit: a resume reads them again. */
  uncommitted: Record<number, number>;
  /** Lengths in bytes with the refused rows too. Undefined if these are not in the files. */
  listed: Readonly<Record<number, number>> | undefined;
}

/** A batch that is not delivered. A resume may send it again. */
export interface UndeliveredBatch
  extends Pick<BatchSealed, 'batch' | 'digest' | 'records' | 'bytes' | 'ranges' | 'keys'> {
  state: BatchState;
  attempts: number;
  /** Whether the service may have processed an attempt: its result is missing, or does not rule it out. */
  maybeProcessed: boolean;
  /** Whether it was sent again after that. */
  isResent?: boolean;
  /** Why it was not delivered, in the words of the service or of the system. */
  error?: string | undefined;
  /** The service's own id for it, once it is delivered. */
  batchId?: string | undefined;
  /** The service refused the only record for what it contains, so its row is in the rejects file. */
  isRejected?: boolean;
  /** It was in flight when the process ended: the journal has no outcome, and the payload was not stored. */
  isLost?: boolean;
}

/** Why rows are invalid, in groups (journal/run-reasons.ts). */
export interface Reasons {
  on(event: RunEvent): void;
  readonly invalid: readonly Readonly<ReasonGroup>[];
  /** Problems that did not fit into any group. */
  readonly more: number;
}

/** Why a row is invalid. The journal has no hints, and a short part of what was found. */
export type RowIssue = Pick<Issue, 'code' | 'field' | 'column' | 'found' | 'hint'>;

export interface Example extends RowPlace, Pick<Issue, 'found' | 'hint'> {}

/** Rows with the same problem in the same field. A row with two problems is in two groups. */
export interface ReasonGroup extends Pick<Issue, 'code' | 'field'> {
  /** Undefined if the rows do not share one. */
  column: string | undefined;
  rows: number;
  /** The first rows, in the order of the inputs. */
  readonly examples: Example[];
}

export interface BatchChange {
  readonly batch: UndeliveredBatch;
  /** Undefined for a batch that was just sealed. */
  readonly from: BatchState | undefined;
  readonly to: BatchState | 'split' | 'gone';
}

/** Reads a run: each event, the run state that includes it, and the batches whose state it has changed. */
export type RunReader = (event: RunEvent, runState: RunState, changes: readonly BatchChange[]) => void;

export interface ThrottleState {
  paused: boolean;
  /** Whether the service fails: from the first pause for that to the next delivery. */
  outage: boolean;
  concurrency?: number | undefined;
}

export const rowCounts = z.object({
  read: z.int().describe('Counted from the positions in the inputs'),
  ...withEach(rowState.options, z.int()),
});

/**
 * `read` is counted from the inputs' cursors, and the other numbers from the outcomes of rows. Their sums must be equal
 * (`balance`): that checks the accounting.
 */
export type RowCounts = z.infer<typeof rowCounts>;

export const batchCounts = z.object({
  sealed: z.int(),
  ...withEach(batchState.options, z.int()),
  split: z.int(),
});

export type BatchCounts = z.infer<typeof batchCounts>;

export const serviceCountsSchema = z.object({
  ...withEach(receiptCounts, z.int()),
  unaccounted: z.int().describe('Differences between the records sent and those that the receipts count'),
});

/** Sums of the receipts. */
export type ServiceCounts = z.infer<typeof serviceCountsSchema>;
