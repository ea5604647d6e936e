/** The summary of a run as data: the object of `summary.json` and `--json`. All counts come from the ledger. */
import type { SentRows } from '../model/batch.ts';
import type { RunState } from '../model/event.ts';
import type { BatchCounts, Ledger, RowCounts, ServiceCounts } from '../model/ledger.ts';
import type { Problem } from '../model/problem.ts';
import type { RecordType, Variant } from '../model/record.ts';

/** `summary.json` (cli.md, "Run folder"), with the keys in the same order. */
export interface Summary {
  readonly run: string;
  readonly type: RecordType;
  /** Absent for social events. */
  readonly variant?: Variant | undefined;
  readonly state: RunState;
  readonly exitCode: number;
  readonly balanced: boolean;
  readonly rows: Readonly<RowCounts>;
  /** Absent if earlier runs have sent none of the rows. */
  readonly sentBefore?: SentBefore | undefined;
  readonly service: Readonly<ServiceCounts>;
  readonly batches: Readonly<BatchCounts>;
  readonly inputs: readonly {
    readonly source: string;
    /** Size of the input. For a pipe that was not read to the end: the bytes that are accounted for. */
    readonly bytes: number;
    /** Bytes after the last row that is accounted for; null for a pipe that was not read to the end. */
    readonly bytesUnread: number | null;
  }[];
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

export function summarise(
  ledger: Ledger,
  extra: Pick<Summary, 'exitCode' | 'folder' | 'seconds' | 'warnings'>,
): Summary {
  const { rows, service, batches } = ledger;
  return {
    run: ledger.run,
    type: ledger.type,
    variant: ledger.variant,
    // A run without an end in its journal was killed.
    state: ledger.state === 'running' ? 'interrupted' : ledger.state,
    exitCode: extra.exitCode,
    balanced: isBalanced(ledger),
    rows,
    sentBefore: sumSentBefore(ledger.sentBefore),
    service,
    batches,
    inputs: ledger.sources.map((source) => ({
      source: source.name,
      bytes: source.ended ? source.read : (source.size ?? source.read),
      bytesUnread: source.ended ? 0 : source.size === undefined ? null : Math.max(0, source.size - source.read),
    })),
    requests: ledger.requests,
    retries: ledger.retries,
    bytesSent: ledger.bytesSent,
    seconds: Math.max(0, Math.round(extra.seconds * 1000) / 1000),
    folder: extra.folder,
    warnings: extra.warnings,
  };
}

/** The two equations of cli.md, "Run folder". They hold at every end and after every crash, or there is a bug. */
export function balance({ rows, batches }: Ledger): { readonly rows: boolean; readonly batches: boolean } {
  const settled = ({ delivered, refused, exhausted, unknown, pending }: RowCounts | BatchCounts) =>
    delivered + refused + exhausted + unknown + pending;
  return {
    rows: rows.read === rows.invalid + rows.skipped + rows.duplicate + settled(rows),
    batches: batches.sealed === settled(batches) + batches.split,
  };
}

export function isBalanced(ledger: Ledger): boolean {
  const equations = balance(ledger);
  return equations.rows && equations.batches;
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
