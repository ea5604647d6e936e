/** Output that check, upload, resume and replay have in common. */
import type { CheckSummary, Summary } from '../../model/summary.ts';
import { endEntry } from '../../report/log-entry.ts';
import type { Style } from '../../report/text-layout.ts';
import type { RunJob } from '../../run/job.ts';
import { textSizeOf } from '../../run/run-inputs.ts';
import { createProgress, loadBars, type Progress } from '../../terminal/progress.ts';
import type { Context } from './command.ts';
import type { OutputOptions } from './options.ts';

/** Prints the result of a run or a check, and ends its log. With `--json` or `--quiet` its text goes to stderr; with `--quiet` only after a failure. */
export function printResult(
  { streams }: Context,
  { json, quiet }: Pick<OutputOptions, 'json' | 'quiet'>,
  result: Summary | CheckSummary,
  textOf: (style: Style) => string,
  write = streams.print,
): void {
  streams.log(endEntry(result));
  if (json) streams.out(`${JSON.stringify(result)}\n`);
  if (quiet && result.exitCode === 0) return;
  if (json || quiet) streams.tell(`${textOf(streams.style.err)}\n`);
  else write(`${textOf(streams.style.out)}\n`);
}

export async function createRunProgress({ streams }: Context, job: RunJob, checking?: true): Promise<Progress> {
  if (streams.isLog) return { on: () => undefined, note: () => undefined, stop: () => undefined };
  return createProgress({
    stream: streams.stderr,
    bars: await loadBars(streams),
    now: () => performance.now(),
    type: job.contract.type,
    checking,
    totalBytes: textSizeOf(job),
  });
}
