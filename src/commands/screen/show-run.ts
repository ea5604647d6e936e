/** Runs with a screen: shows progress and prints the summary. */
import type { ShownOptions } from '../../app/context.ts';
import { type Intent, prepareResume, type ResumeOptions } from '../../app/resume-run.ts';
import type { SummarisedRun } from '../../app/run-context.ts';
import { type RunEnvironment, sendRun } from '../../app/send-run.ts';
import type { RunFolder } from '../../journal/run-folder.ts';
import { printable } from '../../lib/printable.ts';
import { withResources } from '../../lib/resources.ts';
import type { Problem } from '../../model/problem.ts';
import { stateFolder } from '../../options/state-folder.ts';
import { endEntry } from '../../report/log-entry.ts';
import { nameList } from '../../report/text-layout.ts';
import type { Context } from '../command.ts';
import { type Observed, observe } from './observers.ts';
import { runOnEnd } from './on-end.ts';
import { type EndOptions, printResult } from './print.ts';

export function announce({ streams }: Context, warnings: readonly Problem[], lines: readonly string[]): void {
  for (const problem of warnings) streams.problem('warning', problem);
  for (const line of lines) streams.note(`${printable(line)}\n`);
}

/** Runs `work` with a progress display, and prints its summary. Resolves to the exit code. */
export async function showRun(
  context: Context,
  options: ShownOptions & EndOptions,
  observed: Observed,
  work: (environment: RunEnvironment) => Promise<SummarisedRun>,
): Promise<number> {
  const { signal, env, takeSignals } = context;
  const { quiet, verbose } = options;
  const done = await observe(context, options, observed, async ({ progress, readers, onStop }) => {
    const onInterrupt = (): void => {
      const more = signal.reason === 'SIGINT' ? ' Press Ctrl-C again to stop immediately.' : '';
      if (!quiet) progress.note(`Stopping: waiting for requests in flight.${more}`);
    };
    signal.addEventListener('abort', onInterrupt, { once: true });
    const retryMaxTimeMs = longestOutage(context);
    try {
      return await work({ signal, readers, onStop, onBegin: takeSignals, state: stateFolder(env), retryMaxTimeMs });
    } finally {
      signal.removeEventListener('abort', onInterrupt);
    }
  });
  // Other than with --quiet, a line names the inputs before the run.
  const names = quiet ? `${nameList(observed.job.inputs.map(({ source }) => source.name))}\n` : '';
  const shown = { ...options, isSummary: true };
  printResult(context, shown, done.summary, (style) => names + done.text(style, verbose));
  await runOnEnd(context, options, done.summary);
  return done.summary.exitCode;
}

/** How long an outage may last, in milliseconds, if no setting says so. Without a terminal, no person is waiting. */
export function longestOutage({ streams }: Pick<Context, 'streams'>): number {
  return streams.isTTY.stderr ? 120_000 : 1_800_000;
}

/** Resolves to the exit code; undefined if the run was skipped, or is replaced. */
export async function showResume(
  context: Context,
  options: ResumeOptions,
  folder: RunFolder,
  intent: Intent,
): Promise<number | undefined> {
  return withResources(async (adopt) => {
    const prepared = await prepareResume(adopt, context, folder, { given: options, intent });
    if (prepared === undefined) return undefined;
    if (prepared.next === 'report') return reportFinished(context, options, prepared.ended, prepared.text);
    const { sending, lines } = prepared;
    announce(context, sending.warnings, lines);
    const { job, request } = sending;
    return showRun(context, options, { job, logIntervalMs: request.settings.logInterval }, (environment) =>
      sendRun(environment, sending),
    );
  });
}

/** Reports a run of which nothing is sent now. @param text default: how it ended */
async function reportFinished(
  context: Context,
  options: ResumeOptions,
  { summary, text: textOf }: SummarisedRun,
  text?: string,
): Promise<number> {
  context.streams.log(endEntry(summary));
  printResult(context, options, summary, (style) => text ?? `Nothing was sent now. ${textOf(style, options.verbose)}`);
  await runOnEnd(context, options, summary);
  return summary.exitCode;
}
