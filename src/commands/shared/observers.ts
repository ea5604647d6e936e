/** What tells other programs about a run or a check: the log and the metrics, at events and at every `--log-interval`. */
import type { RunEvent } from '../../model/event.ts';
import type { Ledger, RunReader } from '../../model/ledger.ts';
import type { LogEntry } from '../../model/log-line.ts';
import type { Stop } from '../../model/outcome.ts';
import type { Problem } from '../../model/problem.ts';
import type { CheckSummary, Summary } from '../../model/summary.ts';
import { createLogReader, endEntry, progressEntry, stopEntry } from '../../report/log-entry.ts';
import type { RunJob } from '../../run/job.ts';
import { ProgressMeter } from '../../terminal/progress-meter.ts';
import { renderPlain } from '../../terminal/progress-text.ts';
import { reportIntervalMs } from '../../terminal/report-interval.ts';
import type { Streams } from '../../terminal/streams.ts';
import { createMetricsFile } from './metrics-file.ts';
import type { ObserverOptions, OutputOptions } from './options.ts';
import { type MeterOptions, meterOptions } from './output.ts';

export interface Observers {
  readonly readers: readonly RunReader[];
  readonly onStop: (stop: Stop) => void;
  /** Called when no event follows, also after a bug. */
  stop(): void;
  end(result: Summary | CheckSummary): void;
}

type Options = Pick<OutputOptions, 'verbose' | 'logInterval'> & Partial<Pick<ObserverOptions, 'metricsFile'>>;

/** @param warn shows a warning while the run continues */
export function createObservers(
  streams: Streams,
  { verbose, logInterval, metricsFile }: Options,
  job: RunJob,
  settings: MeterOptions,
  warn: (problem: Problem) => void = () => undefined,
): Observers {
  const log = streams.hasLog ? createRunLog(streams, verbose, job, settings) : undefined;
  const metrics = metricsFile === undefined ? undefined : createMetricsFile(metricsFile, warn);
  const observers = [log, metrics].filter((each) => each !== undefined);
  const stop = everyInterval(logInterval, () => {
    for (const each of observers) each.onInterval();
  });
  return {
    readers: observers.map(({ on }) => on),
    onStop: (reason) => log?.onStop(reason),
    stop,
    end(result) {
      metrics?.end(result.exitCode);
      streams.log(endEntry(result));
    },
  };
}

function createRunLog(streams: Streams, verbose: boolean, job: RunJob, settings: MeterOptions) {
  const checking = settings.checking === true;
  const reader = createLogReader(verbose, checking);
  const meter = new ProgressMeter(meterOptions(job, settings));
  let ledger: Ledger | undefined;
  const add = (entry: LogEntry): void => {
    streams.log(checking || ledger === undefined ? entry : { ...entry, run: ledger.run });
  };
  return {
    on(event: RunEvent, current: Ledger): void {
      ledger = current;
      meter.update(event, current);
      for (const entry of reader(event, current)) add(entry);
    },
    onStop: (stop: Stop): void => add(stopEntry(stop)),
    onInterval(): void {
      const view = meter.view();
      if (ledger !== undefined && view !== undefined) add(progressEntry(ledger, view, renderPlain(view)));
    },
  };
}

/** Returns a function that ends it. */
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
