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
  write = streams.print,
): void {
  if (json) streams.out(`${JSON.stringify(result)}\n`);
  if (quiet && result.exitCode === 0) return;
  if (json || quiet) streams.err(`${textOf(streams.style.err)}\n`);
  else write(`${textOf(streams.style.out)}\n`);
}

export async function createRunProgress(
  { streams }: Context,
  job: RunJob,
  options: Pick<ProgressMeterOptions, 'checking' | 'rate' | 'timeoutMs'>,
): Promise<Progress> {
  const { skip = 0, limit = Number.POSITIVE_INFINITY } = job;
  return createProgress({
    ...options,
    stream: streams.stderr,
    bars: await loadBars(streams),
    now: () => performance.now(),
    type: job.contract.type,
    totalBytes: textSizeOf(job),
    lastRow: skip + limit,
  });
}
