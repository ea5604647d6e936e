/** What tells about a run or a check, at events and at every `log_interval`: the progress display, the log and the metrics. */
import path from 'node:path';
import type { ShownOptions } from '../../app/context.ts';
import { readTextFile, replaceFile } from '../../journal/file-system.ts';
import { printable } from '../../lib/printable.ts';
import { messageOf } from '../../lib/text.ts';
import type { RunEvent } from '../../model/event.ts';
import type { Stop } from '../../model/outcome.ts';
import type { Problem } from '../../model/problem.ts';
import type { LogEntry } from '../../model/published-schemas.ts';
import type { RunReader, RunState } from '../../model/run-state.ts';
import type { CheckSummary, Summary } from '../../model/summary.ts';
import { createLogReader, endEntry, narrate, progressEntry } from '../../report/log-entry.ts';
import { type MetricsEnd, metricsText, readLastSuccess } from '../../report/metrics.ts';
import { describeProblem } from '../../report/problem-text.ts';
import type { RunJob } from '../../run/job.ts';
import { problemEntry } from '../../terminal/log.ts';
import { createProgress, loadBars, type Progress, reportIntervalMs } from '../../terminal/progress.ts';
import { ProgressMeter, type ProgressMeterOptions, renderPlain } from '../../terminal/progress-meter.ts';
import type { Streams } from '../../terminal/streams.ts';
import type { Context } from '../command.ts';
import { limitMemory } from './limit-memory.ts';

export interface Observed extends Pick<ProgressMeterOptions, 'checking'> {
  readonly job: RunJob;
  readonly logIntervalMs?: number | undefined;
}

interface Observers {
  readonly readers: readonly RunReader[];
  readonly onStop: (stop: Stop) => void;
  readonly progress: Progress;
}

export async function observe<T extends { readonly summary: Summary | CheckSummary }>(
  { streams }: Context,
  options: ShownOptions & { readonly metricsFile?: string | undefined },
  { job, logIntervalMs, checking }: Observed,
  work: (observers: Observers) => Promise<T>,
): Promise<T> {
  const { quiet, verbose, metricsFile } = options;
  const { skip = 0, limit = Number.POSITIVE_INFINITY } = job;
  const now = (): number => performance.now();
  // Unknown for a pipe, and for packed data: then undefined is one of the sizes.
  const sizes = job.inputs.map(({ textSize }) => textSize ?? Number.NaN);
  const sum = sizes.reduce((all, size) => all + size, 0);
  const metered = { checking, now, totalBytes: Number.isNaN(sum) ? undefined : sum, lastRow: skip + limit };
  const shown = { ...metered, stream: streams.stderr, everyMs: logIntervalMs };
  const progress = streams.isLog ? NO_PROGRESS : createProgress({ ...shown, bars: await loadBars(streams) });
  const log = streams.hasLog ? createRunLog(streams, verbose, metered) : undefined;
  const metrics =
    metricsFile === undefined
      ? undefined
      : createMetricsFile(metricsFile, (problem) => {
          progress.note(`warning: ${describeProblem(problem)}`);
          streams.log(problemEntry('warning', problem));
        });
  const observers = [log, metrics].filter((each) => each !== undefined);
  const stop = everyInterval(logIntervalMs, () => {
    for (const each of observers) each.onInterval();
  });
  const drawn = options.progress && !quiet ? [progress.on] : [];
  let done: T;
  try {
    const noted = verbose && checking !== true ? [narrator(progress)] : [];
    const readers = [onFirstRows, ...observers.map(({ on }) => on), ...noted, ...drawn];
    done = await work({ readers, onStop: (reason) => log?.onStop(reason), progress });
  } finally {
    progress.stop();
    stop();
  }
  metrics?.end(done.summary.exitCode);
  streams.log(endEntry(done.summary));
  return done;
}

/** Not in the library, whose caller's process it is. */
const onFirstRows: RunReader = ({ event }) => {
  if (!event.startsWith('run.')) limitMemory();
};

/** Where stderr is a log for programs. */
const NO_PROGRESS: Progress = { on: () => undefined, note: () => undefined, stop: () => undefined };

/** Writes a line for each event that `--verbose` shows. */
function narrator({ note }: Progress): RunReader {
  return (event, { run }) => {
    const hasBegun = event.event === 'run.started' || event.event === 'run.resumed';
    const line = hasBegun ? `Run ${printable(run)}` : narrate(event);
    if (line !== undefined) note(line);
  };
}

function createRunLog(streams: Streams, verbose: boolean, options: ProgressMeterOptions) {
  const checking = options.checking === true;
  const reader = createLogReader(verbose, checking);
  const meter = new ProgressMeter(options);
  let runState: RunState | undefined;
  const add = (entry: LogEntry): void => {
    streams.log(checking || runState === undefined ? entry : { ...entry, run: runState.run });
  };
  return {
    on(event: RunEvent, current: RunState): void {
      runState = current;
      meter.update(event, current);
      for (const entry of reader(event, current)) add(entry);
    },
    onStop: (stop: Stop): void => add({ event: 'run.stopping', level: 'warning', message: stop.message, stop }),
    onInterval(): void {
      const view = meter.view();
      if (runState !== undefined && view !== undefined) add(progressEntry(runState, view, renderPlain(view)));
    },
  };
}

function everyInterval(intervalMs: number | undefined, work: () => void): () => void {
  const began = performance.now();
  let timer: NodeJS.Timeout;
  const schedule = (): void => {
    timer = setTimeout(
      () => {
        work();
        schedule();
      },
      reportIntervalMs(performance.now() - began, intervalMs),
    ).unref();
  };
  schedule();
  return () => clearTimeout(timer);
}

/** @param warn called once, if the file cannot be written */
function createMetricsFile(file: string, warn: (problem: Problem) => void) {
  const upload = path.basename(file).replace(/\.prom$/, '');
  const lastSuccess = readLastSuccess(readTextFile(file) ?? '');
  let state: RunState | undefined;
  let hasWarned = false;
  const write = (success: number | undefined, end: MetricsEnd | undefined): void => {
    if (state === undefined) return;
    try {
      // The collector runs as another user, and reads files whose names end in .prom.
      replaceFile(file, metricsText(upload, state, success, end), 0o644);
    } catch (error) {
      if (!hasWarned)
        warn({ code: 'metrics.write', message: `Cannot write the metrics to ${file}: ${messageOf(error)}.` });
      hasWarned = true;
    }
  };
  return {
    on: ((event, runState) => {
      state = runState;
      if (event.event === 'run.started' || event.event === 'run.resumed') write(lastSuccess, undefined);
    }) satisfies RunReader,
    onInterval: () => write(lastSuccess, undefined),
    end(exitCode: number): void {
      const at = Date.now() / 1000;
      write(exitCode === 0 ? at : lastSuccess, { exitCode, at });
    },
  };
}
