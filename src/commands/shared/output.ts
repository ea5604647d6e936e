/** Output that check, upload, resume and replay have in common. */
import type { Style } from '../../report/text-layout.ts';
import type { RunJob } from '../../run/job.ts';
import { textSizeOf } from '../../run/run-inputs.ts';
import { createProgress, loadBars, type Progress } from '../../terminal/progress.ts';
import type { ProgressMeterOptions } from '../../terminal/progress-meter.ts';
import type { Context } from './command.ts';
import type { OutputOptions } from './options.ts';

/** Prints the result of a run. With `--json` or `--quiet` its text goes to stderr; with `--quiet` only after a failure. */
export function printResult(
  { streams }: Context,
  { json, quiet }: Pick<OutputOptions, 'json' | 'quiet'>,
  result: { readonly exitCode: number },
  textOf: (style: Style) => string,
  isInFile = false,
): void {
  if (json) streams.json(result);
  if (quiet && result.exitCode === 0) return;
  if (json || quiet) streams.tell(`${textOf(streams.style.err)}\n`);
  else streams[isInFile ? 'printSummary' : 'print'](`${textOf(streams.style.out)}\n`);
}

/** Prints an answer as JSON or as text. Returns exit code 0. */
export function printAnswer(
  { streams }: Context,
  { json }: { readonly json?: boolean | undefined },
  answer: object,
  text: string,
): number {
  if (json) streams.json(answer);
  else streams.print(`${text}\n`);
  return 0;
}

export async function createRunProgress(
  { streams }: Context,
  { logInterval }: Pick<OutputOptions, 'logInterval'>,
  job: RunJob,
  options: MeterOptions,
): Promise<Progress> {
  if (streams.isLog) return { on: () => undefined, note: () => undefined, stop: () => undefined };
  return createProgress({
    ...meterOptions(job, options),
    stream: streams.stderr,
    bars: await loadBars(streams),
    everyMs: logInterval,
  });
}

export type MeterOptions = Pick<ProgressMeterOptions, 'checking' | 'rate' | 'timeoutMs'>;

export function meterOptions(job: RunJob, options: MeterOptions): ProgressMeterOptions {
  const { skip = 0, limit = Number.POSITIVE_INFINITY } = job;
  return {
    ...options,
    now: () => performance.now(),
    type: job.contract.type,
    totalBytes: textSizeOf(job),
    lastRow: skip + limit,
  };
}
