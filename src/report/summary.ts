/**
 * The summary of a run as data: the object of `summary.json` and `--json`, whose schema is model/summary.ts, and the exit code
 * (docs/reference.md, "Exit codes"). All counts come from the run state. app/check-plan.ts makes the object of `check --json`.
 */
import path from 'node:path';
import { schemaVersion } from '../lib/version.ts';
import type { SentRows } from '../model/batch.ts';
import { parseNoteKey } from '../model/problem.ts';
import type { BatchCounts, RowCounts, RunState } from '../model/run-state.ts';
import { signalExitCode } from '../model/run-stop.ts';
import type { OmittedValues, SentBefore, Summary } from '../model/summary.ts';
import { describeReason, type Reasons } from './failure-reasons.ts';
import { place } from './text-layout.ts';

/** The run that uploaded a rejects file, and its rows. */
export interface RejectsUpload {
  readonly run: string;
  readonly delivered: number;
  readonly read: number;
  /** Whether it is complete and has delivered all rows. */
  readonly isDone: boolean;
}

/** A rejects file and its rows. */
export interface RejectsCount {
  readonly source: number;
  readonly path: string;
  readonly rows: number;
  /** The last run that uploaded the file, and the rows of that run. */
  readonly upload?: RejectsUpload | undefined;
}

/** The part of a summary that the run state knows. */
export type Counts = Omit<Summary, 'schemaVersion' | 'toolVersion' | 'baseUrl' | 'sandbox' | keyof Explained>;

/** The part that says when and why, and what to do next. */
type Explained = Pick<Summary, 'startedAt' | 'endedAt' | 'stop' | 'invalidReasons' | 'next' | 'errors'>;

/** @param extra `rejects`: the rejects files that hold rows */
export function countRun(
  runState: RunState,
  extra: Pick<Counts, 'exitCode' | 'folder' | 'seconds' | 'warnings'> & { readonly rejects: readonly RejectsCount[] },
): Counts {
  const { rows, service, batches } = runState;
  const rejectsOf = (index: number): string | null => {
    const file = extra.rejects.find(({ source }) => source === index);
    return file === undefined ? null : `rejects/${path.basename(file.path)}`;
  };
  return {
    run: runState.run,
    type: runState.type,
    variant: runState.variant,
    shard: runState.shard,
    // A run without an end in its journal was killed.
    state: runState.state === 'running' ? 'interrupted' : runState.state,
    exitCode: extra.exitCode,
    balanced: isBalanced(runState),
    rows,
    sentBefore: sumSentBefore(runState.sentBefore),
    omitted: omittedValues(runState),
    service,
    batches,
    inputs: runState.sources.map((source, index) => ({
      source: source.name,
      bytes: source.ended ? source.read : (source.size ?? source.read),
      bytesUnread: source.ended ? 0 : source.size === undefined ? null : Math.max(0, source.size - source.read),
      rejects: rejectsOf(index),
    })),
    requests: runState.requests,
    retries: runState.retries,
    bytesSent: runState.bytesSent,
    seconds: Math.max(0, Math.round(extra.seconds * 1000) / 1000),
    folder: extra.folder,
    warnings: extra.warnings,
  };
}

/** The counts with their reasons. */
export function summarise(
  counts: Counts,
  runState: RunState,
  extra: Pick<Summary, 'toolVersion' | 'baseUrl' | 'sandbox' | 'next'> & { readonly reasons: Reasons },
): Summary {
  const { run, type, variant, shard, state, exitCode, balanced, rows, sentBefore, omitted, service, batches, inputs } =
    counts;
  const { requests, retries, bytesSent, seconds, folder, warnings } = counts;
  const { toolVersion, baseUrl, sandbox, next, reasons } = extra;
  const names = inputs.map(({ source }) => source);
  return {
    schemaVersion,
    toolVersion,
    run,
    type,
    variant,
    shard,
    baseUrl,
    sandbox,
    startedAt: runState.startedAt,
    endedAt: runState.endedAt ?? null,
    state,
    exitCode,
    balanced,
    stop: runState.stop ?? null,
    rows,
    sentBefore,
    omitted,
    service,
    batches,
    inputs,
    invalidReasons: reasons.invalid().map((group) => {
      const [first] = group.examples;
      return {
        reason: describeReason(group),
        rows: group.rows,
        first: first === undefined ? null : place(names, first),
      };
    }),
    requests,
    retries,
    bytesSent,
    seconds,
    folder,
    next,
    warnings,
    errors: reasons.answers().map(({ outcome, error, batches, records }) => {
      return { code: outcome, message: error, batches, rows: records };
    }),
  };
}

/** The two equations of docs/reference.md, "summary.json". They hold at every end and after every crash, or there is a bug. */
export function balance({ rows, batches }: RunState): { readonly rows: boolean; readonly batches: boolean } {
  const settled = ({ delivered, refused, exhausted, unknown, pending }: RowCounts | BatchCounts) =>
    delivered + refused + exhausted + unknown + pending;
  return {
    rows: rows.read === rows.invalid + rows.skipped + rows.duplicate + settled(rows),
    batches: batches.sealed === settled(batches) + batches.split,
  };
}

export function isBalanced(runState: RunState): boolean {
  const equations = balance(runState);
  return equations.rows && equations.batches;
}

/** Undefined if there are none. */
export function omittedValues({ notes, firstNotes, sources }: RunState): readonly OmittedValues[] | undefined {
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

/** `--fail-on`: exit 3 for any invalid, refused or rejected row, never, or above a percentage of the rows read. */
export type FailOn = 'any' | 'never' | number;

export interface ExitOptions {
  /** Default: `any`. */
  readonly failOn?: FailOn | undefined;
  /** The signal that interrupted the run. */
  readonly signal?: NodeJS.Signals | undefined;
  /** Number of files that `--skip-bad-files` left out. */
  readonly skippedFiles?: number | undefined;
  /** A check delivers nothing: its valid rows stay pending. */
  readonly isCheck?: true | undefined;
}

/** The first code that applies, in the order 1, 130/143, 5, 7, 6, 4, 3, 0. */
export function exitCodeOf(
  runState: RunState,
  { failOn = 'any', signal, skippedFiles = 0, isCheck }: ExitOptions = {},
): number {
  const { rows, service, state, stop, sentBefore } = runState;
  if (!isBalanced(runState)) return 1;
  // The counts reconcile even if the state is wrong.
  if (state === 'complete' && rows.pending > 0 && isCheck !== true) return 1;
  if (state === 'interrupted' || stop?.code === 'signal') return signalExitCode(signal);
  if (stop?.code === 'key') return 5;
  if (stop?.code === 'lost') return 7;
  if (state !== 'complete') return 6;
  const isUnknownBefore = isCheck !== true && sentBefore.some(({ state }) => state === 'unknown');
  if (rows.exhausted + rows.unknown > 0 || isUnknownBefore) return 4;
  const failed = rows.invalid + rows.refused + service.rejected + Math.abs(service.unaccounted);
  if (failOn === 'never') return 0;
  if (skippedFiles > 0) return 3;
  if (failed === 0) return 0;
  return failOn === 'any' || failed > (rows.read * failOn) / 100 ? 3 : 0;
}

const BY_PRECEDENCE = [1, 130, 143, 5, 2, 7, 6, 4, 3, 0];

/** The exit code of several runs together. */
export function firstExitCode(codes: readonly number[]): number {
  return BY_PRECEDENCE.find((code) => codes.includes(code)) ?? 0;
}
