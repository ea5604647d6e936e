/** Output that check, upload, resume and replay have in common. */
import type { InspectedRun } from '../../journal/inspect-run.ts';
import type { RunFolder } from '../../journal/run-folder.ts';
import { printable } from '../../lib/printable.ts';
import type { Suggest } from '../../lib/shell.ts';
import { exitCodeOf } from '../../report/exit-code.ts';
import { summarise } from '../../report/summary.ts';
import type { Style } from '../../report/text-layout.ts';
import type { RunJob } from '../../run/job.ts';
import { textSizeOf } from '../../run/run-inputs.ts';
import { createProgress, loadBars, type Progress } from '../../terminal/progress.ts';
import type { Context } from './command.ts';
import type { OutputOptions } from './options.ts';

/** Prints the result of a run. With `--json` or `--quiet` its text goes to stderr; with `--quiet` only after a failure. */
export function printResult(
  { streams }: Context,
  { json, quiet }: Pick<OutputOptions, 'json' | 'quiet'>,
  result: { readonly exitCode: number },
  textOf: (style: Style) => string,
  write = streams.out,
): void {
  if (json) streams.out(`${JSON.stringify(result)}\n`);
  if (quiet && result.exitCode === 0) return;
  if (json || quiet) streams.err(`${textOf(streams.style.err)}\n`);
  else write(`${textOf(streams.style.out)}\n`);
}

/** Reports a run that has nothing left to send. Returns its exit code. @param text default: it is complete */
export function reportFinished(
  context: Context,
  options: OutputOptions,
  { id, path: folder }: RunFolder,
  { ledger, seconds }: Pick<InspectedRun, 'ledger' | 'seconds'>,
  suggest: Suggest,
  text = `${printable(id)} is complete: there is nothing left to send.`,
): number {
  const exitCode = exitCodeOf(ledger, { failOn: options.failOn });
  const isComplete = ledger.state === 'complete';
  const more = isComplete && exitCode !== 0 ? `\nFor the outcome of its rows: ${suggest('runs', 'show', id)}` : '';
  printResult(context, options, summarise(ledger, { exitCode, folder, seconds, warnings: [] }), () => text + more);
  return exitCode;
}

export async function createRunProgress({ streams }: Context, job: RunJob, checking?: true): Promise<Progress> {
  return createProgress({
    stream: streams.stderr,
    bars: await loadBars(streams),
    now: () => performance.now(),
    type: job.contract.type,
    checking,
    totalBytes: textSizeOf(job),
  });
}
