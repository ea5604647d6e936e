/** The output of `signals runs`: the list of runs, shards, rows by file and line, and the result of `explain`. Pure. */
import { printable } from '../lib/printable.ts';
import type { Suggest } from '../lib/shell.ts';
import { count, plural } from '../lib/units.ts';
import type { Stop } from '../model/outcome.ts';
import type { Problem } from '../model/problem.ts';
import type { Span } from '../model/row.ts';
import type { RowCounts } from '../model/run-state.ts';
import { signalExitCode } from '../model/run-stop.ts';
import type { ShardSummary } from '../model/summary.ts';
import { describeSteps, type NextRun, type NextStep, stateCounts, stepText } from './next-step.ts';
import { describeProblem, describeStop } from './problem-text.ts';
import { bullets, nameList, place, plain, type Style, table, when, whenText } from './text-layout.ts';

/** A run in the list. */
export interface ListedRun extends Omit<NextRun, 'service'> {
  readonly folder: string;
  readonly startedAt: string;
  /** Whether it was sent to the built-in sandbox. */
  readonly sandbox: boolean;
  readonly inputs: readonly string[];
  /** Undelivered rows. */
  readonly left: Readonly<Pick<RowCounts, 'refused' | 'exhausted' | 'unknown' | 'pending'>>;
  /** As the receipts count. */
  readonly rejected: number;
  readonly unaccounted: number;
  readonly next: readonly NextStep[];
}

/** A run folder whose journal or run.json cannot be read. */
export interface UnreadableRun extends Pick<ListedRun, 'run' | 'folder'> {
  readonly problem: Problem;
}

/** The list, the newest run last, so that it is visible above the prompt. */
export function listText(runs: readonly (ListedRun | UnreadableRun)[], suggest: Suggest, style: Style = plain): string {
  const heads = table(
    runs.map((run) => [
      printable(run.run),
      'problem' in run ? 'cannot be read' : run.handedOver === undefined ? run.state : 'handed over',
    ]),
  );
  return runs
    .map((run, index) => {
      const head = style.bold((heads[index] ?? '').trim());
      if ('problem' in run) return `${head}\n  ${describeProblem(run.problem, style).replaceAll('\n', '\n  ')}`;
      const about = `  ${whenText(run.startedAt)}, ${run.type}, ${nameList(run.inputs)}: ${countsText(run)}`;
      return [head, about, ...describeSteps(run.next, suggest).map((step) => stepText(step, style))]
        .filter(Boolean)
        .join('\n');
    })
    .join('\n\n');
}

/** `200 of 350 rows delivered, 12 rejected, 150 refused` */
function countsText({ rows, state, left, rejected, unaccounted }: ListedRun): string {
  const { read, invalid, skipped, duplicate } = rows;
  const { refused, exhausted, unknown, pending } = left;
  const others = stateCounts({
    rejected,
    unaccounted,
    refused,
    exhausted,
    unknown,
    pending,
    invalid,
    skipped,
    duplicate,
  });
  const delivered =
    state === 'complete'
      ? `${count(rows.delivered)} of ${plural(read, 'row')} delivered`
      : `${plural(rows.delivered, 'row')} delivered of ${count(read)} read so far`;
  return [delivered, others].filter(Boolean).join(', ');
}

/** The shards of a divided run, before their sum. */
export function shardsText(shards: readonly ShardSummary[], style: Style = plain): string {
  const rows = shards.map(({ shard, run, state, rows }) => {
    return [`${shard.index}/${shard.of}`, printable(run), state, plural(rows.read, 'row'), outcomesOf(rows)];
  });
  return [style.bold('Shards'), ...table(rows)].join('\n');
}

/** How many rows are in each state after sending. */
function outcomesOf({ delivered, refused, exhausted, unknown, pending }: Readonly<RowCounts>): string {
  return stateCounts({ delivered, refused, exhausted, unknown, pending }) || 'nothing sent';
}

/** Consecutive rows in the same state for the same reason. */
export interface RowStretch {
  readonly source: number;
  readonly span: Span;
  readonly batch?: string | undefined;
  readonly reason: string;
  /** Line of the last row, for skipped rows: the lines between were not parsed. */
  readonly lastLine?: number | undefined;
}

/** One line per row: `in.csv:12  the reason`. One line for all if the lines of the rows are unknown. */
export function* rowLines(names: readonly string[], stretch: RowStretch): Generator<string> {
  const reason = printable(stretch.reason, 400);
  const { source, span, lastLine } = stretch;
  const [, line, rows] = span;
  if (hasUnknownLines(stretch)) {
    yield `${place(names, { source, line })} to ${lastLine}  ${plural(rows, 'row')}, ${reason}`;
    return;
  }
  for (let n = 0; n < rows; n += 1) yield `${place(names, { source, line: line + n })}  ${reason}`;
}

/** Like {@link rowLines}, as objects. */
export function* rowObjects(names: readonly string[], stretch: RowStretch): Generator<object> {
  const { source, span, lastLine, batch, reason } = stretch;
  const [row, line, rows] = span;
  const facts = { source: names[source] ?? '', batch, reason };
  if (hasUnknownLines(stretch)) {
    yield { ...facts, row, line, lastLine, rows };
    return;
  }
  for (let n = 0; n < rows; n += 1) yield { ...facts, row: row + n, line: line + n };
}

function hasUnknownLines({ span: [, line, rows], lastLine }: RowStretch): boolean {
  return lastLine !== undefined && lastLine - line + 1 !== rows;
}

/** Also the object of `--json`, with the exit code. */
export interface ExplainResult {
  readonly run: string;
  /** Records that the service rejected. */
  readonly rejected: number;
  /** Records of these that are in the rejects files, also from an earlier explain. */
  readonly named: number;
  /** Requests of this explain, with retries. */
  readonly requests: number;
  /** Batches that were not examined to the end. */
  readonly left: number;
  /** Ids of batches that cannot be examined, because the counts of their receipts do not add up. */
  readonly unaccounted: readonly string[];
  /** Why records of some parts cannot be named, in sentences. */
  readonly contradictions: readonly string[];
  /** `budget`: it is spent. `taken`: the service took records as new. Else why sending stopped. */
  readonly stop: 'budget' | 'taken' | Stop | undefined;
  /** Paths of the rejects files with these records. */
  readonly rejects: readonly string[];
}

export interface ExplainCommands {
  readonly again: string;
  readonly upload: string;
  readonly suggest: Suggest;
}

/** As of a run (summary.ts): 4 if batches have no answer, 3 if records cannot be named. */
export function explainExitCode({ stop, left, named, rejected }: ExplainResult, signal?: NodeJS.Signals): number {
  if (typeof stop === 'object') {
    if (stop.code === 'signal') return signalExitCode(signal);
    return stop.code === 'key' ? 5 : stop.code === 'lost' ? 7 : 6;
  }
  if (stop !== undefined) return 6;
  return left > 0 ? 4 : named < rejected ? 3 : 0;
}

/** Without a line break at the end. */
export function explainText(result: ExplainResult, commands: ExplainCommands, style: Style = plain): string {
  const { run, rejected, named, requests, left, unaccounted, contradictions, rejects } = result;
  if (rejected === 0) return `The service rejected no record of ${printable(run)}.`;
  const head = `Named ${count(named)} of ${plural(rejected, 'rejected record')} of ${printable(run)}, with ${plural(requests, 'request')}.`;
  const open = plural(left, 'batch is', 'batches are');
  const files = rejects.length === 1 ? 'file' : 'files';
  const contradicting = 'The answers contradict each other, so no record of these parts is named:';
  return [
    style.bold(named === rejected ? style.green(head) : head),
    ...stopLines(result, commands, style),
    ...when(
      left > 0,
      `${open} not examined to the end.${result.stop === 'taken' ? '' : ` To continue:\n    ${commands.again}`}`,
    ),
    ...when(
      unaccounted.length > 0,
      `Not examined, because the service's counts do not add up: batch ${unaccounted.slice(0, 20).join(', ')}.`,
    ),
    ...when(contradictions.length > 0, [contradicting, ...bullets(contradictions)].join('\n')),
    ...when(rejects.length > 0, `The rows are in the rejects ${files}. Fix them, then:\n    ${commands.upload}`),
  ].join('\n\n');
}

function stopLines({ stop }: ExplainResult, { suggest }: ExplainCommands, style: Style): readonly string[] {
  if (stop === undefined) return [];
  if (stop === 'budget') return ['The budget of requests is spent.'];
  if (stop !== 'taken') return [describeStop(stop, suggest, style)];
  return [
    'The service took records as new that it had taken or rejected before. Sending stopped, because more requests could store records twice.',
  ];
}
