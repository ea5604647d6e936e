/** The log of a run or a check for programs: its events, and its progress at every interval. */
import type { RunEvent } from '../../model/event.ts';
import type { Ledger } from '../../model/ledger.ts';
import type { LogEntry } from '../../model/log-line.ts';
import type { Stop } from '../../model/outcome.ts';
import { createLogReader, progressEntry, stopEntry } from '../../report/log-entry.ts';
import type { RunJob } from '../../run/job.ts';
import { ProgressMeter } from '../../terminal/progress-meter.ts';
import { renderPlain } from '../../terminal/progress-text.ts';
import type { Context } from './command.ts';
import type { OutputOptions } from './options.ts';
import { type MeterOptions, meterOptions } from './output.ts';

export interface RunLog {
  on(event: RunEvent, ledger: Ledger): void;
  onStop(stop: Stop): void;
  /** Called at every interval. */
  onInterval(): void;
}

/** Undefined if there is no log. */
export function createRunLog(
  { streams }: Context,
  { verbose }: Pick<OutputOptions, 'verbose'>,
  job: RunJob,
  options: MeterOptions,
): RunLog | undefined {
  if (!streams.hasLog) return undefined;
  const reader = createLogReader(verbose, options.checking === true);
  const meter = new ProgressMeter(meterOptions(job, options));
  let ledger: Ledger | undefined;
  const add = (entry: LogEntry): void => {
    streams.log(options.checking === true || ledger === undefined ? entry : { ...entry, run: ledger.run });
  };
  return {
    on(event, current) {
      ledger = current;
      meter.update(event, current);
      for (const entry of reader(event)) add(entry);
    },
    onStop: (stop) => add(stopEntry(stop)),
    onInterval() {
      const view = meter.view();
      if (ledger !== undefined && view !== undefined) add(progressEntry(ledger, view, renderPlain(view)));
    },
  };
}
