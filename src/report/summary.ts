/**
 * What a run came to, as data: the object of `summary.json` and `--json`, the two equations, and the exit code.
 * All of it is read from the ledger, so that no second set of books can differ from the first.
 */

import type { SentRows } from '../model/batch.ts';
import type { RunState } from '../model/event.ts';
import type { BatchCounts, Ledger, RowCounts, ServiceCounts } from '../model/ledger.ts';
import type { Problem } from '../model/problem.ts';
import type { RecordType, Variant } from '../model/record.ts';

/** `summary.json` (cli.md, "Run folder"). The order of the keys is that of the document. */
export interface Summary {
  readonly run: string;
  readonly type: RecordType;
  /** Absent for social events. */
  readonly variant?: Variant;
  readonly state: RunState;
  readonly exitCode: number;
  readonly balanced: boolean;
  readonly rows: Readonly<RowCounts>;
  /** Which of the skipped rows earlier runs have sent. Absent where there are none. */
  readonly sentBefore?: SentBefore | undefined;
  readonly service: Readonly<ServiceCounts>;
  readonly batches: Readonly<BatchCounts>;
  readonly inputs: readonly SummaryInput[];
  readonly requests: number;
  readonly retries: number;
  readonly bytesSent: number;
  readonly seconds: number;
  readonly folder: string;
  readonly warnings: readonly Problem[];
}

/** Skipped rows that earlier runs have sent. */
export interface SentBefore {
  readonly delivered: number;
  /** These may or may not have arrived. */
  readonly unknown: number;
  /** Rows by run, delivered and unknown together. */
  readonly runs: Readonly<Record<string, number>>;
}

interface SummaryInput {
  readonly source: string;
  /** Size of the input; of a pipe whose end was not reached, the bytes that are accounted for. */
  readonly bytes: number;
  /** Bytes behind the last row that is accounted for; null for a pipe whose end was not reached. */
  readonly bytesUnread: number | null;
}

interface SummaryExtra {
  readonly exitCode: number;
  readonly folder: string;
  readonly seconds: number;
  readonly warnings: readonly Problem[];
}

export function summarise(ledger: Ledger, extra: SummaryExtra): Summary {
  const { rows, service, batches } = ledger;
  return {
    run: ledger.run,
    type: ledger.type,
    ...(ledger.variant === undefined ? {} : { variant: ledger.variant }),
    // A run whose end is not in the journal was cut off by something that let it write nothing more.
    state: ledger.state === 'running' ? 'interrupted' : ledger.state,
    exitCode: extra.exitCode,
    balanced: isBalanced(ledger),
    rows: {
      read: rows.read,
      invalid: rows.invalid,
      skipped: rows.skipped,
      duplicate: rows.duplicate,
      delivered: rows.delivered,
      refused: rows.refused,
      exhausted: rows.exhausted,
      unknown: rows.unknown,
      pending: rows.pending,
    },
    sentBefore: sumSentBefore(ledger.sentBefore),
    service: {
      accepted: service.accepted,
      deduplicated: service.deduplicated,
      rejected: service.rejected,
      promoted: service.promoted,
      unaccounted: service.unaccounted,
    },
    batches: {
      sealed: batches.sealed,
      delivered: batches.delivered,
      refused: batches.refused,
      exhausted: batches.exhausted,
      unknown: batches.unknown,
      pending: batches.pending,
      split: batches.split,
    },
    inputs: ledger.sources.map((source) => ({
      source: source.name,
      bytes: source.ended ? source.read : (source.size ?? source.read),
      bytesUnread: unread(source),
    })),
    requests: ledger.requests,
    retries: ledger.retries,
    bytesSent: ledger.bytesSent,
    seconds: Math.max(0, Math.round(extra.seconds * 1000) / 1000),
    folder: extra.folder,
    warnings: extra.warnings,
  };
}

function unread(source: Ledger['sources'][number]): number | null {
  if (source.ended) return 0;
  return source.size === undefined ? null : Math.max(0, source.size - source.read);
}

/**
 * The two equations of cli.md, "Run folder". Both hold at every end and after every crash; where one does not,
 * the program itself is at fault.
 */
export function balance({ rows, batches }: Ledger): { readonly rows: boolean; readonly batches: boolean } {
  const settled = ({ delivered, refused, exhausted, unknown, pending }: RowCounts | BatchCounts) =>
    delivered + refused + exhausted + unknown + pending;
  return {
    rows: rows.read === rows.invalid + rows.skipped + rows.duplicate + settled(rows),
    batches: batches.sealed === settled(batches) + batches.split,
  };
}

function isBalanced(ledger: Ledger): boolean {
  const equations = balance(ledger);
  return equations.rows && equations.batches;
}

/**
 * When rows that the user or the service is at fault for are a failure (`--fail-on`): `any` one of them, `never`,
 * or more than this percentage of the rows read.
 */
export type FailOn = 'any' | 'never' | number;

export interface ExitOptions {
  /** Default: `any`. */
  readonly failOn?: FailOn;
  /** The signal that interrupted the run. */
  readonly signal?: NodeJS.Signals;
}

/**
 * The exit code of a run that got as far as a ledger (cli.md, "Exit codes"): the first that applies of 1,
 * 130/143, 5, 6, 4, 3, 0. The codes 2 and 7 belong to runs that never began.
 *
 * An interruption is 130 for SIGINT, or where nobody knows the signal, and 143 for the others.
 */
export function exitCodeOf(ledger: Ledger, { failOn = 'any', signal }: ExitOptions = {}): number {
  const { rows, service, state, stop } = ledger;
  if (!isBalanced(ledger)) return 1;
  // The equations hold with a wrong state too: "complete" would then be the lie.
  if (state === 'complete' && rows.pending > 0) return 1;
  if (state === 'interrupted' || stop?.code === 'signal') {
    return signal === undefined || signal === 'SIGINT' ? 130 : 143;
  }
  if (stop?.code === 'key') return 5;
  if (state !== 'complete') return 6;
  if (rows.exhausted + rows.unknown > 0) return 4;
  const failed = rows.invalid + rows.refused + service.rejected + service.unaccounted;
  return isFailure(failed, rows.read, failOn) ? 3 : 0;
}

/** The code that stands for several runs: the first that applies (cli.md, "Exit codes"). */
export function firstCode(codes: readonly number[]): number {
  return CODES.find((code) => codes.includes(code)) ?? 0;
}

const CODES = [1, 130, 143, 5, 2, 7, 6, 4, 3, 0];

/** Whether so many bad rows of so many are a failure (`--fail-on`). */
export function isFailure(bad: number, read: number, failOn: FailOn): boolean {
  if (bad === 0 || failOn === 'never') return false;
  return failOn === 'any' || bad > (read * failOn) / 100;
}

/** Undefined if earlier runs have sent none of the rows. */
export function sumSentBefore(sentBefore: readonly SentRows[]): SentBefore | undefined {
  if (sentBefore.length === 0) return undefined;
  const sum = { delivered: 0, unknown: 0, runs: {} as Record<string, number> };
  for (const { state, run, rows } of sentBefore) {
    sum[state] += rows;
    sum.runs[run] = (sum.runs[run] ?? 0) + rows;
  }
  return sum;
}
