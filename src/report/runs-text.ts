/** The output of `signals runs`: the list of runs, shards, rows by file and line, and the result of `explain`. Pure. */
import path from 'node:path';
import { printable } from '../lib/printable.ts';
import type { Suggest } from '../lib/shell.ts';
import { briefAnswer, formatList } from '../lib/text.ts';
import { count, plural } from '../lib/units.ts';
import { stopExitCode } from '../model/exit-code.ts';
import { batchState, type Stop } from '../model/outcome.ts';
import type { Problem } from '../model/problem.ts';
import type { RecordType, Variant } from '../model/record.ts';
import { isInRejects } from '../model/rejects-file.ts';
import type { HandOver, RowCounts, RunFacts } from '../model/run-state.ts';
import type { ShardSummary } from '../model/summary.ts';
import { stateCounts } from './next-step.ts';
import { describeProblem, describeStop } from './problem-text.ts';
import { bullets, plain, type Style, shortName, table, when, whenText } from './text-layout.ts';

export interface RunLine {
  readonly run: string;
  readonly folder: string;
  readonly startedAt: string;
  readonly type: RecordType;
  readonly variant?: Variant | undefined;
  readonly sandbox: boolean;
  readonly inputs: readonly string[];
  readonly state: RunFacts['state'];
  readonly handedOver?: HandOver | undefined;
  readonly rows: RowCounts;
  readonly delivered: number;
  /** Rows that are not delivered and should be, read or not. */
  readonly left: number;
  /** Whether `left` is a minimum or an estimate, because rows were not read. */
  readonly isEstimate: boolean;
  readonly next: string | null;
  /** What to do instead of a command, or before it, also with the commands for other rows. */
  readonly why?: string | undefined;
}

export interface UnreadableRun extends Pick<RunLine, 'run' | 'folder'> {
  readonly problem: Problem;
}

const LISTED_NAME_WIDTH = 24;

/** A table, the newest run last, so that it is visible above the prompt. @param earlier runs that are not listed */
export function listText(runs: readonly (RunLine | UnreadableRun)[], earlier: number, style: Style = plain): string {
  const [head = '', ...lines] = table([
    ['When (UTC)', 'Run', 'File', 'Delivered', 'Left', 'Next'],
    ...runs.map(cellsOf),
  ]);
  return [style.bold(head), ...lines, ...when(earlier > 0, `  ${plural(earlier, 'earlier run')}: see --json.`)].join(
    '\n',
  );
}

function cellsOf(run: RunLine | UnreadableRun): readonly (string | number)[] {
  if ('problem' in run) return ['cannot be read', '', printable(run.folder), '', '', describeProblem(run.problem)];
  const { startedAt, inputs, sandbox, delivered, left, isEstimate, next, why = '' } = run;
  const [first = '', ...others] = inputs;
  const file = isInRejects(first) ? `rejects of ${path.basename(first)}` : first;
  const name = `${shortName(file, LISTED_NAME_WIDTH)}${others.length === 0 ? '' : ` +${others.length}`}`;
  return [
    whenText(startedAt).slice(0, 16),
    // The end of a default id is enough to name the run.
    printable(/-([0-9a-f]{4})$/.exec(run.run)?.[1] ?? run.run),
    `${name}${sandbox ? ' (sandbox)' : ''}`,
    delivered,
    isEstimate ? (left === 0 ? '?' : `~${count(left)}`) : left || '',
    [why, next ?? ''].filter(Boolean).join(' '),
  ];
}

export function shardsText(shards: readonly ShardSummary[], style: Style = plain): string {
  const rows = shards.map(({ shard, run, state, rows }) => {
    return [
      `${shard.index}/${shard.of}`,
      printable(run),
      state,
      plural(rows.read, 'row'),
      stateCounts(rows, batchState.options) || 'nothing sent',
    ];
  });
  return [style.bold('Shards'), ...table(rows)].join('\n');
}

/** Also the object of `--json`, with the exit code. */
export interface ExplainResult {
  readonly run: string;
  readonly rejected: number;
  /** Records of these that are in the rejects files, also from an earlier explain. */
  readonly named: number;
  /** Requests of this explain, with retries. */
  readonly requests: number;
  readonly left: number;
  /** The first answer to a part that was no receipt. */
  readonly failure: string | undefined;
  /** Ids of batches that cannot be examined, because the counts of their receipts do not add up. */
  readonly unaccounted: readonly string[];
  /** Why records of some parts cannot be named, in sentences. */
  readonly contradictions: readonly string[];
  /** `accepted`: the service accepted records that it should know. Else why sending stopped. */
  readonly stop: 'accepted' | Stop | undefined;
  readonly rejects: readonly string[];
}

export interface ExplainCommands {
  readonly upload: string;
  readonly suggest: Suggest;
}

/** As of a run (run-summary.ts): 4 if batches have no answer, 3 if records cannot be named. */
export function explainExitCode({ stop, left, named, rejected }: ExplainResult, signal?: NodeJS.Signals): number {
  if (typeof stop === 'object') return stopExitCode(stop, signal);
  if (stop !== undefined) return 6;
  return left > 0 ? 4 : named < rejected ? 3 : 0;
}

/** Without a line break at the end. */
export function explainText(result: ExplainResult, commands: ExplainCommands, style: Style = plain): string {
  const { run, rejected, named, requests, left, failure, unaccounted, contradictions, rejects } = result;
  if (rejected === 0) return `The service rejected no record of ${printable(run)}.`;
  const head = `Found ${count(named)} of ${plural(rejected, 'rejected record')} in the input of ${printable(run)}, with ${plural(requests, 'request')}.`;
  const why = failure === undefined ? '' : `: ${printable(briefAnswer(failure), 300)}`;
  const open = `${plural(left, 'batch is', 'batches are')} not examined to the end${why}.`;
  const files = rejects.length === 1 ? 'file' : 'files';
  const contradicting = 'The answers contradict each other, so no record of these parts is named:';
  const explain = commands.suggest('runs', 'explain', run);
  return [
    style.bold(named === rejected ? style.green(head) : head),
    ...stopLines(result, commands, style),
    ...when(left > 0, `${open}${result.stop === 'accepted' ? '' : ` To continue:\n    ${explain}`}`),
    ...when(
      unaccounted.length > 0,
      `Not examined, because the service's counts do not add up: batch ${formatList(unaccounted, '')}.`,
    ),
    ...when(contradictions.length > 0, [contradicting, ...bullets(contradictions)].join('\n')),
    ...when(rejects.length > 0, `The rows are in the rejects ${files}. Fix them, then:\n    ${commands.upload}`),
  ].join('\n\n');
}

function stopLines({ stop }: ExplainResult, { suggest }: ExplainCommands, style: Style): readonly string[] {
  if (stop === undefined) return [];
  if (stop !== 'accepted') return [describeStop(stop, suggest, style)];
  return [
    'The service accepted records that it had accepted or rejected before. Sending stopped, because more requests could store records twice.',
  ];
}
