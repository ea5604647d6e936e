/** `--metrics-file`: the metrics of a run, for node_exporter. */
import path from 'node:path';
import { readTextFile, replaceFile } from '../../journal/file-system.ts';
import { messageOf } from '../../lib/text.ts';
import type { Problem } from '../../model/problem.ts';
import type { RunReader } from '../../model/run-state.ts';
import { type MetricsEnd, RunMetrics, readLastSuccess } from '../../report/metrics.ts';

/** @param warn called once, if the file cannot be written */
export function createMetricsFile(file: string, warn: (problem: Problem) => void) {
  const metrics = new RunMetrics(path.basename(file).replace(/\.prom$/, ''));
  const lastSuccess = readLastSuccess(readTextFile(file) ?? '');
  let hasWarned = false;
  const write = (success: number | undefined, end: MetricsEnd | undefined): void => {
    const text = metrics.text(success, end);
    if (text === undefined) return;
    try {
      // The collector runs as another user, and reads files whose names end in .prom.
      replaceFile(file, text, 0o644);
    } catch (error) {
      if (!hasWarned)
        warn({ code: 'metrics.write', message: `Cannot write the metrics to ${file}: ${messageOf(error)}.` });
      hasWarned = true;
    }
  };
  return {
    on: ((event, ...read) => {
      metrics.on(event, ...read);
      if (event.event === 'run.started' || event.event === 'run.resumed') write(lastSuccess, undefined);
    }) satisfies RunReader,
    /** Writes the metrics of the run so far. */
    onInterval: () => write(lastSuccess, undefined),
    /** Writes the metrics of the run that ended. */
    end(exitCode: number): void {
      const at = Date.now() / 1000;
      write(exitCode === 0 ? at : lastSuccess, { exitCode, at });
    },
  };
}
