/** The summary of a run as data: the object of `summary.json` and `--json`. All counts come from the ledger. */
import type { SentRows } from '../model/batch.ts';
import type { RunState } from '../model/event.ts';
import type { BatchCounts, Ledger, RowCounts, ServiceCounts } from '../model/ledger.ts';
import { parseNoteKey } from '../model/note.ts';
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
  /** Values that `invalid: omit` left out, by field. Absent if there are none. */
  readonly omitted?: readonly OmittedValues[] | undefined;
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
    omitted: omittedValues(ledger),
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

export interface OmittedValues {
  readonly field: string;
  readonly values: number;
  /** `in.csv:12` */
  readonly first: string | undefined;
}

/** Undefined if there are none. */
export function omittedValues({ notes, firstNotes, sources }: Ledger): readonly OmittedValues[] | undefined {
  const omitted = [...notes].flatMap(([key, values]) => {
    const note = parseNoteKey(key);
    if (note?.code !== 'omitted') return [];
    const at = firstNotes.get(key);
    const first = at && `${sources[at.source]?.name}:${at.line}`;
    return [{ field: note.field, values, first }];
  });
  return omitted.length === 0 ? undefined : omitted;
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
