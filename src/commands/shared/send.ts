/** Runs with a screen: shows progress and prints the summary. Shared by upload, resume and replay. */
import { printable } from '../../lib/printable.ts';
import type { RunEvent } from '../../model/event.ts';
import type { Ledger } from '../../model/ledger.ts';
import type { Problem } from '../../model/problem.ts';
import { describeProblem } from '../../report/problem-text.ts';
import { narrate } from '../../report/verbose-line.ts';
import type { RunJob } from '../../run/job.ts';
import type { Settings } from '../../settings/setting-table.ts';
import { stateFolder } from '../../settings/state-folder.ts';
import { problemEntry } from '../../terminal/log.ts';
import type { Context } from './command.ts';
import { createObservers } from './observers.ts';
import { runOnEnd } from './on-end.ts';
import type { DeliveryOptions, ObserverOptions, OutputOptions } from './options.ts';
import { createRunProgress, printResult } from './output.ts';
import type { SummarisedRun } from './run-summary.ts';
import { type RunEnvironment, type Sending, sendRun } from './send-run.ts';

/** Prints warnings and what the run is about to do. */
export function announce({ streams }: Context, warnings: readonly Problem[], lines: readonly string[]): void {
  for (const problem of warnings) streams.problem('warning', problem);
  for (const line of lines) streams.note(`${printable(line)}\n`);
}

/** Resolves to the exit code. */
export function send(
  context: Context,
  options: DeliveryOptions & OutputOptions & ObserverOptions,
  sending: Sending,
): Promise<number> {
  return showRun(context, options, { job: sending.job, settings: sending.request.settings }, (environment) =>
    sendRun(environment, options, sending),
  );
}

/** Runs `work` with a progress display, and prints its summary. Resolves to the exit code. */
export async function showRun(
  context: Context,
  options: OutputOptions & ObserverOptions,
  { job, settings }: { readonly job: RunJob; readonly settings: Pick<Settings, 'rate' | 'timeout'> },
  work: (environment: RunEnvironment) => Promise<SummarisedRun>,
): Promise<number> {
  const { streams, signal, env, takeSignals } = context;
  const { quiet, verbose } = options;
  const metered = { rate: settings.rate, timeoutMs: settings.timeout };
  const progress = await createRunProgress(context, options, job, metered);
  const noteRun = ({ event }: RunEvent, { run }: Ledger): void => {
    if (event === 'run.started' || event === 'run.resumed') progress.note(`Run ${printable(run)}`);
  };
  const noteVerbose = (event: RunEvent): void => {
    const line = narrate(event);
    if (line !== undefined) progress.note(line);
  };
  const onInterrupt = (): void => {
    const more = signal.reason === 'SIGINT' ? ' Press Ctrl-C again to stop immediately.' : '';
    if (!quiet) progress.note(`Stopping: waiting for requests in flight.${more}`);
  };
  const observers = createObservers(streams, options, job, metered, (problem) => {
    if (!quiet) progress.note(`warning: ${describeProblem(problem)}`);
    streams.log(problemEntry('warning', problem));
  });
  signal.addEventListener('abort', onInterrupt, { once: true });
  let done: SummarisedRun;
  try {
    done = await work({
      ...{ signal, onBegin: takeSignals, state: stateFolder(env) },
      readers: [
        ...observers.readers,
        ...(quiet ? [] : [noteRun]),
        ...(verbose ? [noteVerbose] : []),
        ...(options.progress && !quiet ? [progress.on] : []),
      ],
      onStop: observers.onStop,
      retryMaxTimeMs: longestOutage(context),
    });
  } finally {
    signal.removeEventListener('abort', onInterrupt);
    progress.stop();
    observers.stop();
  }
  observers.end(done.summary);
  // On one screen, an empty line separates the plan from the summary.
  if (streams.isTTY.stdout && !quiet && !options.json) streams.printSummary('\n');
  printResult(context, options, done.summary, done.text, true);
  await runOnEnd(context, options, done.summary);
  return done.summary.exitCode;
}

/** How long an outage may last, in milliseconds, if no setting says so. Without a terminal, no person is waiting. */
export function longestOutage({ streams }: Context): number {
  return streams.isTTY.stderr ? 120_000 : 1_800_000;
}
