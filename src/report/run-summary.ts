/**
 * The summary of a run as data: the object of `summary.json` and `--json`, whose schema is model/summary.ts, and the exit code
 * (model/exit-code.ts). Views of the run state. app/check-plan.ts makes the object of `check --json`.
 */

import path from 'node:path';
import type { AllKeys } from '../lib/all-keys.ts';
import { printable } from '../lib/printable.ts';
import type { Suggest } from '../lib/shell.ts';
import { schemaVersion, version } from '../lib/version.ts';
import type { SentRows } from '../model/batch.ts';
import { sumOf } from '../model/counts.ts';
import { signalExitCode, stopExitCode } from '../model/exit-code.ts';
import { batchState, type Failure, openFailures, rowState } from '../model/outcome.ts';
import { type Problem, parseNoteKey } from '../model/problem.ts';
import type { RowRange } from '../model/row.ts';
import type { RunFacts, RunState } from '../model/run-state.ts';
import type { OmittedValues, SentBefore, Summary } from '../model/summary.ts';
import { nextCommand, nextStep, type StepContext } from './next-step.ts';
import { describeReason } from './problem-text.ts';
import { place } from './text-layout.ts';

/** What the journal of a run does not say: from its folder, and from the process that ends it. */
export interface RunContext extends StepContext {
  /** Path of the run folder, as the user can type it. */
  readonly folder: string;
  readonly sandbox: boolean;
  readonly exit: ExitOptions;
  /** Whether earlier processes have sent some or all of it: what is printed now does not count their time. */
  readonly isReported?: boolean | undefined;
  readonly warnings: readonly Problem[];
  readonly suggest: Suggest;
}

export function summaryOf(runState: RunState, context: RunContext): Summary {
  const { run, type, variant, shard, rows, service, batches, sources, reasons } = runState;
  const { requests, retries, bytesSent } = runState;
  const { folder, baseUrl, sandbox, suggest, warnings } = context;
  const names = sources.map(({ name }) => name);
  // A script may type the command when this is no longer the last run.
  const name = context.name.length > 0 ? context.name : [path.basename(folder)];
  const rejectsOf = (index: number): string | null => {
    const file = context.rejects.find(({ source }) => source === index);
    return file === undefined ? null : path.relative(folder, file.path).split(path.sep).join('/');
  };
  return {
    schemaVersion,
    toolVersion: version,
    run,
    type,
    variant,
    shard,
    baseUrl,
    sandbox,
    startedAt: runState.startedAt,
    endedAt: runState.endedAt ?? null,
    // A run without an end in its journal was killed.
    state: runState.state === 'running' ? 'interrupted' : runState.state,
    exitCode: exitCodeOf(runState, context.exit),
    balanced: isBalanced(runState),
    stop: runState.stop ?? null,
    rows,
    sentBefore: sumSentBefore(runState.sentBefore),
    omitted: omittedValues(runState),
    service,
    batches,
    inputs: sources.map((source, index) => ({
      source: source.name,
      bytes: source.ended ? source.read : (source.size ?? source.read),
      bytesUnread: source.ended ? 0 : source.size === undefined ? null : Math.max(0, source.size - source.read),
      rejects: rejectsOf(index),
    })),
    invalidReasons: reasons.invalid.map((group) => {
      const [first] = group.examples;
      const reason = describeReason(group);
      return { reason, rows: group.rows, first: first === undefined ? null : place(names, first) };
    }),
    requests,
    retries,
    bytesSent,
    seconds: Math.round(runState.workedMs) / 1000,
    folder,
    next: nextCommand(nextStep(runState, { ...context, name }), suggest),
    warnings,
    errors: answersOf(runState).map(({ outcome, error, batches, records }) => {
      return { code: outcome, message: error, batches, rows: records };
    }),
  } satisfies AllKeys<Omit<Summary, 'shards'>>;
}

/** Batches with the same outcome and the same error. */
export interface AnswerGroup {
  readonly outcome: Failure;
  readonly error: string;
  batches: number;
  records: number;
  /** The first rows of the first of these batches. */
  readonly range: RowRange | undefined;
}

/** Answers that contain a request id are all different. */
const ANSWER_LIMIT = 10;
/** Characters of an answer that the summary shows: a few lines of a terminal. */
const ANSWER_LENGTH = 600;

/** Why batches were not delivered. Answers beyond {@link ANSWER_LIMIT} groups are combined. */
export function answersOf({ undelivered }: Pick<RunState, 'undelivered'>): readonly AnswerGroup[] {
  const groups = new Map<string, AnswerGroup>();
  for (const { state: outcome, error = '', records, ranges } of undelivered.values()) {
    if (outcome === 'pending' || outcome === 'delivered') continue;
    const answer = printable(error, ANSWER_LENGTH);
    const hasGroup = groups.has(`${outcome}:${answer}`) || groups.size < ANSWER_LIMIT;
    const shown = hasGroup ? answer : 'other answers';
    const group = groups.get(`${outcome}:${shown}`) ?? {
      outcome,
      error: shown,
      batches: 0,
      records: 0,
      range: ranges[0],
    };
    group.batches += 1;
    group.records += records;
    groups.set(`${outcome}:${shown}`, group);
  }
  return [...groups.values()].sort((one, other) => other.records - one.records);
}

/** Rows that the service has accepted or had before. */
export function deliveredRows({ rows, service }: Pick<RunFacts, 'rows' | 'service'>): number {
  return Math.max(0, rows.delivered - service.rejected);
}

/** Bytes of the inputs whose rows are accounted for. */
export function bytesRead({ sources }: Pick<RunState, 'sources'>): number {
  return sources.reduce((sum, { read }) => sum + read, 0);
}

/** Estimated rows after the last one that is accounted for; 0 if there are none, undefined if unknown. */
export function unreadRows(runState: Pick<RunState, 'sources' | 'shard' | 'rows' | 'seen'>): number | undefined {
  const { sources, shard, rows: all, seen } = runState;
  const open = sources.filter(({ ended, read, size }) => !ended && size !== read);
  if (open.length === 0) return 0;
  const known = sources.reduce((sum, { rows }) => sum + rows, 0);
  const [allRows, allBytes] = known > 0 ? [known, bytesRead(runState)] : [seen?.rows ?? 0, seen?.bytes ?? 0];
  if (allRows === 0) return undefined;
  let unread = 0;
  for (const { size, read, rows } of open) {
    if (size === undefined) return undefined;
    unread += ((size - read) * (rows || allRows)) / (rows === 0 ? allBytes : read);
  }
  return Math.max(1, roundedUnread(all.read, unread / (shard?.of ?? 1)));
}

/** The rows read may be shorter than the others, so the sum of both has as few digits as can be true: "about 3,000". */
function roundedUnread(read: number, unread: number): number {
  const sums = [1, 2, 3, 4].map((digits) => rounded(read + unread, digits) - read);
  const tolerance = unread / (unread > read ? 5 : 10);
  return sums.find((rows) => Math.abs(rows - unread) < tolerance) ?? rounded(unread, 1);
}

function rounded(rows: number, digits: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, rows))) + 1 - digits);
  return Math.round(rows / unit) * unit;
}

/** The two equations of docs/reference.md, "summary.json". They hold at every end and after every crash, or there is a bug. */
export function balance({ rows, batches }: RunState): { readonly rows: boolean; readonly batches: boolean } {
  return {
    rows: rows.read === sumOf(rows, rowState.options),
    batches: batches.sealed === sumOf(batches, batchState.options) + batches.split,
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
  readonly failOn?: FailOn | undefined;
  readonly signal?: NodeJS.Signals | undefined;
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
  if (state === 'interrupted') return signalExitCode(signal);
  if (state !== 'complete') return stopExitCode(stop, signal);
  const isUnknownBefore = isCheck !== true && sentBefore.some(({ state }) => state === 'unknown');
  if (sumOf(rows, openFailures) > 0 || isUnknownBefore) return 4;
  const failed = rows.invalid + rows.refused + service.rejected + Math.abs(service.unaccounted);
  if (failOn === 'never') return 0;
  if (skippedFiles > 0) return 3;
  if (failed === 0) return 0;
  return failOn === 'any' || failed > (rows.read * failOn) / 100 ? 3 : 0;
}
