/**
 * Sends the batches of a run: shows progress, writes summary.json and prints the summary. Shared by upload, resume and
 * replay, which open the run's resources and say what to send.
 */
import { systemClock } from '../../deliver/index.ts';
import { indexRun, registerRun } from '../../history/index.ts';
import { markComplete } from '../../journal/complete-runs.ts';
import type { Lock } from '../../journal/lock.ts';
import type { RunFile } from '../../journal/run-file.ts';
import { addToIndex } from '../../journal/run-index.ts';
import { printable } from '../../lib/printable.ts';
import type { Suggest } from '../../lib/shell.ts';
import { messageOf } from '../../lib/text.ts';
import { userAgent } from '../../lib/version.ts';
import type { RunEvent } from '../../model/event.ts';
import type { Ledger } from '../../model/ledger.ts';
import type { Problem } from '../../model/problem.ts';
import { exitCodeOf } from '../../report/exit-code.ts';
import type { Reasons } from '../../report/failure-reasons.ts';
import { describeProblem } from '../../report/problem-text.ts';
import { narrate } from '../../report/verbose-line.ts';
import type { ResumeState, RunJob, UploadJob } from '../../run/job.ts';
import type { RunFiles } from '../../run/run-files.ts';
import { upload } from '../../run/upload-run.ts';
import { stateFolder } from '../../settings/state-folder.ts';
import type { Context } from './command.ts';
import type { Destination } from './destination.ts';
import type { DeliveryOptions, OutputOptions } from './options.ts';
import { createRunProgress, printResult } from './output.ts';
import { summariseRun } from './run-summary.ts';
import type { SendRequest } from './send-request.ts';

export interface Sending {
  readonly request: SendRequest;
  readonly job: RunJob;
  readonly prepare: UploadJob['prepare'];
  readonly destination: Destination;
  readonly runFile: RunFile;
  readonly lock: Lock;
  /** Closed at the end. */
  readonly runFiles: RunFiles;
  /** Has read the events of earlier parts of the run. */
  readonly reasons: Reasons;
  readonly resume?: ResumeState;
  readonly warnings: readonly Problem[];
  readonly suggest: Suggest;
  /** The arguments of this run as typed, unless its data came through a pipe. */
  readonly argv?: readonly string[] | undefined;
}

/** Prints warnings and what the run is about to do, unless `--quiet`. */
export function announce(
  context: Context,
  { quiet }: OutputOptions,
  warnings: readonly Problem[],
  lines: readonly string[],
): void {
  if (quiet) return;
  for (const problem of warnings) warn(context, describeProblem(problem));
  for (const line of lines) context.streams.err(`${printable(line)}\n`);
}

/** Resolves to the exit code. */
export async function send(
  context: Context,
  options: DeliveryOptions & OutputOptions,
  sending: Sending,
): Promise<number> {
  const { runFile, runFiles, reasons, suggest, argv } = sending;
  const folder = runFiles.folder.path;
  const state = stateFolder(context.env);
  const started = performance.now();
  context.takeSignals();
  const warnings = [...sending.warnings];
  if (state !== undefined) warnings.push(...(await registerRun(state, runFile, folder)));
  const ledger = await deliver(context, options, sending);

  const signal = context.signal.reason as NodeJS.Signals | undefined;
  const exitCode = exitCodeOf(ledger, { failOn: options.failOn, signal });
  const seconds = (performance.now() - started) / 1000;
  // The folder belongs to the process that took over the run, or has another path.
  const isLost = ledger.stop?.code === 'lost' || ledger.stop?.code === 'folder';
  if (!isLost && state !== undefined) warnings.push(...(await indexRun(state, runFile, folder, Date.now())));
  const isGone = ledger.stop?.code === 'folder';
  const { summary, text } = await summariseRun(
    {
      ...{ folder, runFile, ledger, exitCode, seconds, reasons, warnings },
      rejects: isGone ? [] : runFiles.rejects.list(),
      hasUndelivered: !isGone && runFiles.undelivered.path !== undefined,
    },
    suggest,
    { again: argv },
  );
  try {
    if (!isLost) await runFiles.write('summary.json', `${JSON.stringify(summary, null, 2)}\n`);
  } catch (error) {
    // The journal holds the same facts. A run that stopped because of the same failure reports it already.
    if (ledger.stop?.code !== 'storage') warn(context, `Cannot write summary.json: ${printable(messageOf(error))}.`);
  }
  if (ledger.state === 'complete' && ledger.rows.exhausted + ledger.rows.unknown === 0) await runFiles.dropSpool();
  await runFiles.close();
  if (!isLost && ledger.state === 'complete') markComplete(runFiles.folder);
  if (!isLost) addToIndex(sending.request.settings.out, runFiles.folder, runFile, ledger);
  printResult(context, options, summary, text, context.streams.printSummary);
  return exitCode;
}

/** Runs the upload with a progress display. */
async function deliver(context: Context, options: DeliveryOptions & OutputOptions, sending: Sending): Promise<Ledger> {
  const { job, prepare, request, destination, lock, runFile, runFiles, reasons, resume } = sending;
  const { isolate, canary, quiet, verbose } = options;
  const { signal } = context;
  const progress = await createRunProgress(context, job);
  const noteVerbose = (event: RunEvent): void => {
    const line = narrate(event);
    if (line !== undefined) progress.note(line);
  };
  const onInterrupt = (): void => {
    const more = signal.reason === 'SIGINT' ? ' Press Ctrl-C again to stop immediately.' : '';
    if (!quiet) progress.note(`Stopping: waiting for requests in flight.${more}`);
  };
  const readers = [reasons.on, ...(verbose ? [noteVerbose] : []), ...(options.progress && !quiet ? [progress.on] : [])];
  const transport = await openTransport(request, destination);
  signal.addEventListener('abort', onInterrupt, { once: true });
  try {
    return await upload(
      {
        ...job,
        prepare,
        run: runFiles.folder.id,
        graceMs: request.graceMs,
        limits: request.limits,
        recordKeys: runFile.keys === true,
        delivery: { ...deliverySettings(context, request), isolate, canary },
        resume,
      },
      { transport, clock: systemClock, lock, runFiles, readers, signal },
    );
  } finally {
    signal.removeEventListener('abort', onInterrupt);
    progress.stop();
    await transport.close();
  }
}

export async function openTransport({ settings, tls }: SendRequest, { baseUrl, key }: Destination) {
  // undici is a third of the program, and only sending needs it.
  const { createTransport } = await import('../../deliver/http.ts');
  const { concurrency: connections, timeoutMs } = settings;
  return createTransport({ baseUrl, key, agent: userAgent, connections, timeoutMs, tls });
}

export function deliverySettings({ streams }: Context, { settings }: SendRequest): UploadJob['delivery'] {
  const { concurrency, rate, retries, maxWaitMs, timeoutMs, retryMaxTimeMs, onUnknown } = settings;
  return {
    ...{ concurrency, rate, retries, maxWaitMs, timeoutMs },
    retryMaxTimeMs: retryMaxTimeMs ?? (streams.isTTY.stderr ? 120_000 : 1_800_000),
    resendUnknown: onUnknown === 'resend',
  };
}

function warn({ streams }: Context, text: string): void {
  streams.err(`${streams.style.err.yellow('warning')}: ${text}\n`);
}
