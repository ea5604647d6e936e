/** Runs with a screen: shows progress and prints the summary. */
import type { ShownOptions } from '../../app/context.ts';
import type { SummarisedRun } from '../../app/run-context.ts';
import type { RunEnvironment } from '../../app/send-run.ts';
import { printable } from '../../lib/printable.ts';
import type { Problem } from '../../model/problem.ts';
import type { RunReader } from '../../model/run-state.ts';
import type { Settings } from '../../options/option-table.ts';
import { stateFolder } from '../../options/state-folder.ts';
import { narrate } from '../../report/log-entry.ts';
import type { RunJob } from '../../run/job.ts';
import type { Progress } from '../../terminal/progress.ts';
import type { Context } from '../command.ts';
import { observe } from './observers.ts';
import { runOnEnd } from './on-end.ts';
import { printResult, type ToldOptions } from './print.ts';

/** Prints warnings and what the run is about to do. */
export function announce({ streams }: Context, warnings: readonly Problem[], lines: readonly string[]): void {
  for (const problem of warnings) streams.problem('warning', problem);
  for (const line of lines) streams.note(`${printable(line)}\n`);
}

/** Runs `work` with a progress display, and prints its summary. Resolves to the exit code. */
export async function showRun(
  context: Context,
  options: ShownOptions & ToldOptions,
  { job, settings }: { readonly job: RunJob; readonly settings: Pick<Settings, 'rate' | 'timeout' | 'logInterval'> },
  work: (environment: RunEnvironment) => Promise<SummarisedRun>,
): Promise<number> {
  const { signal, env, takeSignals } = context;
  const { quiet, verbose } = options;
  const notes = ({ note }: Progress): readonly RunReader[] => [
    ({ event }, { run }) => {
      if (verbose && (event === 'run.started' || event === 'run.resumed')) note(`Run ${printable(run)}`);
    },
    (event) => {
      const line = verbose ? narrate(event) : undefined;
      if (line !== undefined) note(line);
    },
  ];
  const observed = {
    job,
    rate: settings.rate,
    timeoutMs: settings.timeout,
    logIntervalMs: settings.logInterval,
    notes,
  };
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
  printResult(context, options, done.summary, { textOf: (style) => done.text(style, verbose), isSummary: true });
  await runOnEnd(context, options, done.summary);
  return done.summary.exitCode;
}

/** How long an outage may last, in milliseconds, if no setting says so. Without a terminal, no person is waiting. */
export function longestOutage({ streams }: Pick<Context, 'streams'>): number {
  return streams.isTTY.stderr ? 120_000 : 1_800_000;
}
