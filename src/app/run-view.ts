/** A run as `runs show` and `report` describe it: its state, read once, and its summary. */

import { type LoadedRun, loadRun } from '../journal/read-journal.ts';
import type { RunFolder } from '../journal/run-folder.ts';
import type { Suggest } from '../lib/shell.ts';
import type { RunReader } from '../model/run-state.ts';
import { createReasons, type Reasons } from '../report/failure-reasons.ts';
import type { ListedRun } from '../report/runs-text.ts';
import { factsOf } from '../runs/catalogue.ts';
import { type NamedRow, readExplained } from '../runs/explain-log.ts';
import type { Surroundings } from './context.ts';
import { suggestAbout } from './foreign-run.ts';
import { withUploads } from './rejects-uploads.ts';
import { rejectsOf, type SummarisedRun, summariseRun } from './run-summary.ts';
import { type CommonOptions, listed } from './stored-runs.ts';

export interface RunView extends LoadedRun, SummarisedRun {
  readonly reasons: Reasons;
  readonly line: ListedRun;
  readonly suggest: Suggest;
}

/** @param onEvent also receives each event of the run's journal */
export async function viewRun(
  context: Surroundings,
  options: Partial<CommonOptions>,
  folder: RunFolder,
  onEvent?: RunReader,
): Promise<RunView> {
  const reasons = createReasons();
  const run = await loadRun(folder, (...read) => {
    reasons.on(...read);
    onEvent?.(...read);
  });
  const { file, isRunning, runState } = run;
  const suggest = await suggestAbout(context, options, folder, file);
  const explained: readonly NamedRow[] = (await readExplained(folder.path)).rows;
  const rejects = await withUploads(folder, file, rejectsOf(folder.path, file, runState, explained));
  const line = listed({ folder, file, isRunning, ...factsOf(runState) });
  const summarised = await summariseRun(
    { folder: folder.path, runFile: file, runState, reasons, rejects, explained: explained.length, warnings: [] },
    suggest,
    { isRunning },
  );
  return { ...run, ...summarised, reasons, line, suggest };
}

/** What to know before the summary. */
export function introduction({ isRunning, runState }: LoadedRun): readonly string[] {
  if (isRunning) return ['A process is working on this run: the counts are not final.'];
  if (runState.state !== 'running') return [];
  const isInFlight = [...runState.undelivered.values()].some(({ isLost }) => isLost);
  return [
    `The program was killed, or the machine went down${isInFlight ? ': the outcome of requests in flight is unknown' : ' while no request was in flight'}.`,
  ];
}
