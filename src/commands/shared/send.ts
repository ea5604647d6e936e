/**
 * Sends the batches of a run while somebody watches, and tells what it came to. Shared by upload, resume and replay, with
 * what these are told by flags and settings alike.
 */
import path from 'node:path';
import { createTransport, systemClock } from '../../deliver/index.ts';
import { printable } from '../../lib/printable.ts';
import type { Suggest } from '../../lib/shell.ts';
import { messageOf } from '../../lib/text.ts';
import { version } from '../../lib/version.ts';
import type { RunEvent } from '../../model/event.ts';
import type { Ledger } from '../../model/ledger.ts';
import type { Problem } from '../../model/problem.ts';
import type { Reasons } from '../../report/failure-reasons.ts';
import { describeProblem } from '../../report/problem-text.ts';
import { exitCodeOf, type FailOn, summarise } from '../../report/summary.ts';
import { type SummaryContext, summaryText } from '../../report/summary-text.ts';
import { narrate } from '../../report/verbose-line.ts';
import type { RunJob } from '../../run/job.ts';
import type { RowLimits } from '../../run/row-limits.ts';
import type { RunFiles } from '../../run/run-files.ts';
import { textSizeOf } from '../../run/run-inputs.ts';
import { type ResumeState, type UploadJob, upload } from '../../run/upload-run.ts';
import {
  type Given,
  type Resolved,
  resolveSettings,
  type Settings,
} from '../../settings/resolve-settings.ts';
import { createProgress, loadBars } from '../../terminal/progress.ts';
import type { Context, Options } from './command.ts';
import type { Destination } from './destination.ts';
import { failOn, graceOf, settingsAsked } from './options.ts';

export interface Sending {
  readonly job: RunJob;
  readonly prepare: UploadJob['prepare'];
  readonly settings: Settings;
  readonly target: Destination;
  readonly runFiles: RunFiles;
  /** Has read what an earlier part of the run recorded. */
  readonly reasons: Reasons;
  readonly resume?: ResumeState;
  /** Whether the journal tells the keys of the records. */
  readonly keys: boolean;
  /** Remembers what the run has sent, for later runs; resolves to why that was not possible. */
  readonly remember: () => Promise<readonly Problem[]>;
  /** Its batches are those of another run: there are no rows and no mapping. */
  readonly isReplay?: boolean;
  readonly graceMs: number;
  readonly limits?: RowLimits;
  readonly judged: FailOn;
  readonly warnings: readonly Problem[];
  readonly suggest: Suggest;
  /** The arguments of this run, as typed. Absent where they cannot be repeated: the data came through a pipe. */
  readonly again?: readonly string[];
}

/** What every command that sends is told. */
export interface Asked extends Resolved {
  readonly given: Given;
  readonly judged: FailOn;
  readonly graceMs: number;
}

/**
 * @param begunWith the profile of the run that goes on, where there is one
 * @throws ProblemError for every flag and setting that makes no sense
 */
export async function readAsked(context: Context, options: Options, begunWith?: string): Promise<Asked> {
  const given = settingsAsked(context, options, begunWith);
  const resolved = await resolveSettings(given);
  return { ...resolved, given, judged: failOn(options), graceMs: graceOf(options) };
}

/** Says what is worth knowing before anything is sent, unless nobody wants to hear it. */
export function announce(
  { streams }: Context,
  options: Options,
  warnings: readonly Problem[],
  lines: readonly string[],
): void {
  if (options['quiet'] === true) return;
  for (const warning of warnings) {
    streams.err(`${streams.style.err.yellow('warning')}: ${describeProblem(warning)}\n`);
  }
  for (const line of lines) streams.err(`${printable(line)}\n`);
}

/** Resolves to the exit code. Closes the run files. */
export async function send(context: Context, options: Options, sending: Sending): Promise<number> {
  const { runFiles, target, reasons } = sending;
  const { streams } = context;
  const started = performance.now();
  context.takeSignals();
  const ledger = await deliver(context, options, sending);

  const exitCode = exitCodeOf(ledger, {
    failOn: sending.judged,
    ...(context.signal.aborted ? { signal: context.signal.reason as NodeJS.Signals } : {}),
  });
  const seconds = (performance.now() - started) / 1000;
  const summary = summarise(ledger, {
    exitCode,
    folder: runFiles.folder.path,
    seconds,
    warnings: [...sending.warnings, ...(await sending.remember())],
  });
  try {
    await runFiles.write('summary.json', `${JSON.stringify(summary, null, 2)}\n`);
  } catch (error) {
    // Everything in it is in the journal too. Where the run itself was stopped by the same fault, it says so already.
    if (ledger.stop?.code !== 'storage') {
      const why = messageOf(error);
      streams.err(
        `${streams.style.err.yellow('warning')}: summary.json cannot be written: ${printable(why)}.\n`,
      );
    }
  }
  if (ledger.state === 'complete' && ledger.rows.exhausted + ledger.rows.unknown === 0)
    await runFiles.dropSpool();
  await runFiles.close();

  if (options['json'] === true) streams.out(`${JSON.stringify(summary)}\n`);
  if (options['quiet'] === true && exitCode === 0) return exitCode;
  const undelivered = runFiles.undeliveredFile();
  const words: SummaryContext = {
    destination: target.sandbox ? 'the sandbox' : target.baseUrl,
    sandbox: target.sandbox,
    suggest: sending.suggest,
    ...(sending.again === undefined ? {} : { again: sending.again }),
    files: {
      results: path.join(runFiles.folder.path, 'results.csv'),
      ...(sending.isReplay === true ? {} : { mapping: path.join(runFiles.folder.path, 'mapping.yaml') }),
      rejects: runFiles.rejectsFiles(),
      ...(undelivered === undefined ? {} : { undelivered }),
    },
    reasons,
  };
  const toStderr = options['json'] === true || options['quiet'] === true;
  const text = `${summaryText(ledger, summary, words, toStderr ? streams.style.err : streams.style.out)}\n`;
  if (toStderr) streams.err(text);
  else streams.out(text);
  return exitCode;
}

/** The upload itself, under the eyes of whoever sits at the terminal. */
async function deliver(context: Context, options: Options, sending: Sending): Promise<Ledger> {
  const { job, prepare, settings, target, runFiles, reasons, resume } = sending;
  const { streams, signal } = context;
  const progress = createProgress({
    stream: streams.stderr,
    bars: await loadBars(streams),
    now: () => performance.now(),
    type: job.contract.type,
    totalBytes: textSizeOf(job),
  });
  const tell = (event: RunEvent): void => {
    const line = narrate(event);
    if (line !== undefined) progress.note(line);
  };
  const onInterrupt = (): void => {
    const more = signal.reason === 'SIGINT' ? ' Ctrl-C once more ends at once.' : '';
    if (options['quiet'] !== true) progress.note(`Stopping: requests under way may finish.${more}`);
  };
  const showing = options['progress'] !== false && options['quiet'] !== true;
  const readers = [
    reasons.on,
    ...(options['verbose'] === true ? [tell] : []),
    ...(showing ? [progress.on] : []),
  ];
  const transport = createTransport({
    baseUrl: target.baseUrl,
    key: target.key,
    agent: `signals-upload/${version}`,
    connections: settings.concurrency,
    timeoutMs: settings.timeoutMs,
  });
  signal.addEventListener('abort', onInterrupt, { once: true });
  try {
    const delivery = {
      concurrency: settings.concurrency,
      ...(settings.rate === undefined ? {} : { rate: settings.rate }),
      retries: settings.retries,
      maxWaitMs: settings.maxWaitMs,
      retryMaxTimeMs: settings.retryMaxTimeMs ?? (streams.isTTY.stderr ? 120_000 : 1_800_000),
      resendUnknown: settings.onUnknown === 'resend',
      isolate: options['isolate'] === true,
      canary: options['canary'] !== false,
      timeoutMs: settings.timeoutMs,
    };
    const { graceMs, limits = {}, keys } = sending;
    return await upload(
      {
        ...job,
        prepare,
        run: runFiles.folder.id,
        graceMs,
        limits,
        recordKeys: keys,
        delivery,
        ...(resume === undefined ? {} : { resume }),
      },
      { transport, clock: systemClock, runFiles, readers, signal },
    );
  } finally {
    signal.removeEventListener('abort', onInterrupt);
    progress.stop();
    await transport.close();
  }
}
