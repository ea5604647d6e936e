/** The result of `signals runs explain` as text, and its exit code. Pure. */
import { printable } from '../lib/printable.ts';
import type { Suggest } from '../lib/shell.ts';
import { signalExitCode } from '../lib/signal-exit-code.ts';
import { count, plural } from '../lib/units.ts';
import type { Stop } from '../model/outcome.ts';
import { describeStop } from './problem-text.ts';
import { bullets, plain, type Style, when } from './text-layout.ts';

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

/** As of a run (exit-code.ts): 4 if batches have no answer, 3 if records cannot be named. */
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
