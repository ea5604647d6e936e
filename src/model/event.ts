/** The events of a run (docs/architecture.md, "The journal is a gate"). Each is a line of its journal. Types only. */
import type { Commit, RowRange } from './batch.ts';
import type { Outcome, Receipt, Stop } from './outcome.ts';
import type { RecordType, Variant } from './record.ts';
import type { Issue, Position } from './row.ts';
import type { Shard } from './shard.ts';

/**
 * An event is written to the journal before the ledger, the progress display, the results log and the summary receive it.
 * Times are ISO 8601 in UTC, durations in milliseconds.
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
  | SourceGrown
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
  /** Absent if the run is not divided. */
  readonly shard?: Shard | undefined;
  readonly inputs: readonly Input[];
}

/** A run that was stopped, interrupted or killed is resumed. */
export interface RunResumed {
  readonly event: 'run.resumed';
  readonly time: string;
  /** Batches that are pending again. */
  readonly reopened: readonly Reopened[];
  /** From now on the run sends to a different base URL. */
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

/** One input of a run, as of its start. */
export interface Input {
  /** The path as the user gave it, or `stdin`. */
  readonly name: string;
  /**
   * Bytes of its text, as positions count them. Absent if unknown before the end: for a pipe, and for a compressed input
   * or one that is not UTF-8.
   */
  readonly size?: number | undefined;
}

export interface RowInvalid extends Position {
  readonly event: 'row.invalid';
  /** Without the values found: only the rejects file contains them. */
  readonly issues: readonly Pick<Issue, 'code' | 'field' | 'column'>[];
}

/** Consecutive rows that are not sent by an option, or because an earlier run has sent them. */
export interface RowSkipped {
  readonly event: 'row.skipped';
  readonly source: number;
  readonly firstRow: number;
  readonly lastRow: number;
  readonly firstLine: number;
  readonly lastLine: number;
  /**
   * `transform`: the function of `--transform` omitted them. `delivered`, `unknown`: the outcome in an earlier run.
   */
  readonly why: 'skip' | 'limit' | 'transform' | 'delivered' | 'unknown';
  /** The earlier run. */
  readonly by?: string | undefined;
}

/** A row whose record is the same as that of an earlier row of the run (`--dedupe`). */
export interface RowDuplicate extends Pick<Position, 'source' | 'row' | 'line'> {
  readonly event: 'row.duplicate';
  /** The first row with that record. */
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
  /** The service may have processed the batch in an earlier run. */
  readonly maybeProcessed?: true | undefined;
  /**
   * The keys of its records (history/record-key.ts) in their order: 12 bytes each, as base64. Absent if the run does not
   * record them.
   */
  readonly keys?: string | undefined;
}

/**
 * A batch was replaced by two parts, which now have its rows. One event seals both, so that a crash cannot leave half a
 * batch.
 */
export interface BatchSplit {
  readonly event: 'batch.split';
  readonly time: string;
  readonly batch: string;
  /** Attempts of the batch itself; 0 if a smaller batch was refused as too large before. */
  readonly attempts: number;
  readonly status?: number | undefined;
  /** The service's error. */
  readonly error: string;
  /** In the order of the rows. */
  readonly parts: readonly SealedPart[];
}

export type SealedPart = Pick<BatchSealed, 'batch' | 'digest' | 'records' | 'bytes' | 'ranges' | 'maybeProcessed'>;

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
  /** Whether the service may have processed the batch, in this attempt or an earlier one. */
  readonly maybeProcessed: boolean;
  /** What follows: a retry after `afterMs`, a pause of all sending, the parts, or the end of the batch or of the run. */
  readonly next: 'retry' | 'wait' | 'split' | 'settle' | 'stop';
  readonly afterMs?: number | undefined;
}

export interface BatchSettled {
  readonly event: 'batch.settled';
  readonly time: string;
  readonly batch: string;
  readonly outcome: Outcome;
  readonly attempts: number;
  /** From the start of the first attempt to the last answer. */
  readonly ms: number;
  readonly status?: number | undefined;
  readonly receipt?: Receipt | undefined;
  /** Records missing from the receipt's counts; negative if it counts too many. */
  readonly unaccounted: number;
  readonly error?: string | undefined;
}

/**
 * The throttle's state. `paused`: all sending waits for `ms`. `open`: sending continues. `paced`: the limit of concurrent
 * requests is now `concurrency`; a pause stays in effect.
 */
export interface ThrottleChanged {
  readonly event: 'throttle.changed';
  readonly time: string;
  readonly state: 'open' | 'paused' | 'paced';
  readonly ms?: number | undefined;
  /** Absent if it is `--concurrency` again. */
  readonly concurrency?: number | undefined;
  readonly why?: string | undefined;
}

/** A pipe was copied to the run folder up to its end. Without this event the data may be incomplete. */
export interface SourceSpooled {
  readonly event: 'source.spooled';
  readonly time: string;
  readonly source: number;
  readonly bytes: number;
}

/** An input became longer while it was read. The new bytes are not read. */
export interface SourceGrown {
  readonly event: 'source.grown';
  readonly time: string;
  readonly source: number;
  /** Its new size, in the unit of {@link Input.size}. */
  readonly bytes: number;
}

export interface SourceEnded {
  readonly event: 'source.ended';
  readonly time: string;
  readonly source: number;
  readonly bytes: number;
  /** Digest of the input's bytes (lib/digest.ts). */
  readonly digest: string;
  readonly rows: number;
  /** Accounts for the rows after the last sealed batch, unless an open batch will. */
  readonly commit?: Commit | undefined;
  /** As in {@link BatchSealed}. */
  readonly rejects: Readonly<Record<number, number>>;
}

export interface RunEnded {
  readonly event: 'run.ended';
  readonly time: string;
  readonly state: RunState;
  readonly stop?: Stop | undefined;
  /** Exhausted batches that are pending again, because an outage stopped the run. */
  readonly putBack: readonly string[];
}

/** `complete`: all rows read, no batch pending. `stopped`: by an error. `interrupted`: by a process signal. */
export type RunState = 'complete' | 'stopped' | 'interrupted';
