/** The facts of a run (docs/architecture.md, "Facts flow one way"). Each is a line of its journal. Types and nothing else. */
import type { Commit, RowRange } from './batch.ts';
import type { Outcome, Receipt, Stop } from './outcome.ts';
import type { RecordType, Variant } from './record.ts';
import type { Issue, Position } from './row.ts';

/**
 * The only kind of fact in this program. Every fact passes the journal before it is acted upon; progress,
 * results log and summary are readers behind it. Times are ISO 8601 in UTC, durations in milliseconds.
 */
export type RunEvent =
  | RunStarted
  | RunResumed
  | RowInvalid
  | RowSkipped
  | RowDuplicate
  | BatchSealed
  | BatchSplit
  | AttemptStarted
  | AttemptFailed
  | BatchSettled
  | ThrottleChanged
  | SourceSpooled
  | SourceEnded
  | RunEnded;

export interface RunStarted {
  readonly event: 'run.started';
  /** Version of the journal's line format. */
  readonly v: 1;
  readonly time: string;
  readonly run: string;
  readonly type: RecordType;
  readonly variant?: Variant | undefined;
  readonly inputs: readonly Input[];
}

/** A run that was stopped, interrupted or killed goes on. */
export interface RunResumed {
  readonly event: 'run.resumed';
  readonly time: string;
  /** Batches that are pending again, whatever had become of them. */
  readonly reopened: readonly Reopened[];
  /** From here on it sends to another base URL than the one with which it began. */
  readonly elsewhere?: true | undefined;
}

export interface Reopened {
  readonly batch: string;
  readonly from: 'pending' | 'exhausted' | 'unknown';
  readonly records: number;
  readonly bytes: number;
  readonly ranges: readonly RowRange[];
  readonly attempts: number;
  readonly maybeProcessed: boolean;
}

/** One input of a run, as it was when the run began. */
export interface Input {
  /** The path as the user gave it, or `stdin`. */
  readonly name: string;
  /**
   * Bytes of its text, as positions count them; absent where nobody knows before the end: of a pipe, and of an
   * input that is unpacked or decoded on the way.
   */
  readonly size?: number | undefined;
}

export interface RowInvalid extends Position {
  readonly event: 'row.invalid';
  /** Without the values found: those are in the rejects file alone. */
  readonly issues: readonly Pick<Issue, 'code' | 'field' | 'column'>[];
}

/** Consecutive rows that were passed over: because the user asked for it, or because an earlier run has sent them. */
export interface RowSkipped {
  readonly event: 'row.skipped';
  readonly source: number;
  readonly firstRow: number;
  readonly lastRow: number;
  readonly firstLine: number;
  readonly lastLine: number;
  /**
   * By `--skip`, behind `--limit`, left out by the function of `--transform`; or an earlier run has delivered them, or
   * has sent them and nobody knows whether they arrived.
   */
  readonly why: 'skip' | 'limit' | 'transform' | 'delivered' | 'unknown';
  /** The earlier run. */
  readonly by?: string | undefined;
}

/** A row whose record is the same as that of an earlier row of the run (`--dedupe`). */
export interface RowDuplicate extends Pick<Position, 'source' | 'row' | 'line'> {
  readonly event: 'row.duplicate';
  /** Where the first one stands. */
  readonly of: Pick<Position, 'source' | 'line'>;
}

export interface BatchSealed extends Commit {
  readonly event: 'batch.sealed';
  readonly batch: string;
  readonly digest: string;
  readonly records: number;
  /** Size of the request body. */
  readonly bytes: number;
  readonly ranges: readonly RowRange[];
  /** Length in bytes of each input's rejects file at this point, by source index; inputs without one are absent. */
  readonly rejects: Readonly<Record<number, number>>;
  /** An earlier run may have had it processed: unknown is sticky across runs too. */
  readonly maybeProcessed?: true | undefined;
  /**
   * What tells its records from all others (seen/key.ts): 12 bytes each in their order, as base64. Absent where nobody
   * will ask for them.
   */
  readonly keys?: string | undefined;
}

/**
 * A batch was replaced by two, in its place: from here on its rows count at the parts. One event seals both, so
 * that no crash leaves half a batch.
 */
export interface BatchSplit {
  readonly event: 'batch.split';
  readonly time: string;
  readonly batch: string;
  /** Attempts of the batch itself; none where a smaller one was too large already. */
  readonly attempts: number;
  readonly status?: number | undefined;
  /** Why, in the service's words. */
  readonly error: string;
  /** In the order of the rows. */
  readonly parts: readonly SealedPart[];
}

export type SealedPart = Pick<
  BatchSealed,
  'batch' | 'digest' | 'records' | 'bytes' | 'ranges' | 'maybeProcessed'
>;

export interface AttemptStarted {
  readonly event: 'attempt.started';
  readonly time: string;
  readonly batch: string;
  /** From 1. */
  readonly attempt: number;
  readonly bytes: number;
}

export interface AttemptFailed {
  readonly event: 'attempt.failed';
  readonly time: string;
  readonly batch: string;
  readonly attempt: number;
  readonly ms: number;
  readonly status?: number | undefined;
  /** What happened, in a few words: `ECONNREFUSED`, `HTTP 503`. */
  readonly error: string;
  /** Whether the service may have processed the batch. Sticky from here on. */
  readonly maybeProcessed: boolean;
  /** What comes next: a retry after so many milliseconds, the shared gate, its parts, or the batch's or the run's end. */
  readonly next: 'retry' | 'wait' | 'split' | 'settle' | 'stop';
  readonly afterMs?: number | undefined;
}

export interface BatchSettled {
  readonly event: 'batch.settled';
  readonly time: string;
  readonly batch: string;
  readonly outcome: Outcome;
  readonly attempts: number;
  /** From the first attempt's start to the last answer. */
  readonly ms: number;
  readonly status?: number | undefined;
  readonly receipt?: Receipt | undefined;
  /** Records that the receipt does not account for; may be negative. */
  readonly unaccounted: number;
  readonly error?: string | undefined;
}

/**
 * The throttle's state. `paused`: all sending waits for `ms`. `open`: it goes on. `paced`: from now on at most
 * `concurrency` requests at once, and a pause is not touched.
 */
export interface ThrottleChanged {
  readonly event: 'throttle.changed';
  readonly time: string;
  readonly state: 'open' | 'paused' | 'paced';
  /** How long all sending waits. */
  readonly ms?: number | undefined;
  /** Absent where it is `--concurrency` again. */
  readonly concurrency?: number | undefined;
  readonly why?: string | undefined;
}

/** A pipe's end was read and all of it is in the run folder. Without this fact whoever wrote into it may have died. */
export interface SourceSpooled {
  readonly event: 'source.spooled';
  readonly time: string;
  readonly source: number;
  readonly bytes: number;
}

export interface SourceEnded {
  readonly event: 'source.ended';
  readonly time: string;
  readonly source: number;
  readonly bytes: number;
  /** Of the input's bytes, in hexadecimal (src/digest.ts). */
  readonly digest: string;
  readonly rows: number;
  /** The rows behind the last sealed batch, where no open batch holds any of them back. */
  readonly commit?: Commit | undefined;
  /** As in {@link BatchSealed}. */
  readonly rejects: Readonly<Record<number, number>>;
}

export interface RunEnded {
  readonly event: 'run.ended';
  readonly time: string;
  readonly state: RunState;
  readonly stop?: Stop | undefined;
  /** Batches that were exhausted and are put back, because the run was stopped by an outage. */
  readonly putBack: readonly string[];
}

/** `complete`: no byte unread and nothing pending. `stopped`: by a fault. `interrupted`: by a person or the system. */
export type RunState = 'complete' | 'stopped' | 'interrupted';
