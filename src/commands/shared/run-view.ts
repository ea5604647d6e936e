/** A run as `runs show` and `report` describe it: its journal, its replays and its summary. */
import path from 'node:path';
import { type NamedRow, readExplained } from '../../journal/explain-log.ts';
import { exists } from '../../journal/file-system.ts';
import { readHandover } from '../../journal/handover.ts';
import { type InspectedRun, inspectRun } from '../../journal/inspect-run.ts';
import { type LineageRun, lineageRows, replayedBatches, rootRunOf } from '../../journal/lineage.ts';
import type { RunFolder } from '../../journal/run-folder.ts';
import { printable } from '../../lib/printable.ts';
import type { RunReader } from '../../model/run-state.ts';

import { createReasons, type Reasons } from '../../report/failure-reasons.ts';
import { stepOf } from '../../report/runs-text.ts';
import type { RejectsCount } from '../../report/summary.ts';
import type { Context } from './command.ts';
import { suggestAbout } from './foreign-run.ts';
import { withUploads } from './rejects-uploads.ts';
import { type ReportedRun, rejectsOf, summariseRun } from './run-summary.ts';
import { type CommonOptions, listed, readLineage, summaryOf } from './stored-runs.ts';

/** `runs` and `lines` are the root run of the lineage, then its replays. */
export type RunView = Awaited<ReturnType<typeof viewRun>>;

/** @param onEvent also receives each event of the run's journal */
export async function viewRun(
  context: Context,
  options: Partial<CommonOptions>,
  folder: RunFolder,
  onEvent?: RunReader,
) {
  const runs = await readLineage(await rootRunOf(folder));
  const self = runs.find((run) => run.folder.id === folder.id);
  if (self === undefined) throw new Error(`${folder.id} is missing from its own lineage`);
  const handedOver = readHandover(folder.path)?.time;
  const reasons = createReasons();
  const inspected = await inspectRun(folder.path, self.isRunning, {
    onEvent(...read) {
      reasons.on(...read);
      onEvent?.(...read);
    },
  });
  const summaries = runs.map(summaryOf);
  const lines = summaries.map((run) => listed(run, summaries, handedOver));
  // The current state of all rows of the root run.
  const totals = runs.length > 1 ? lineageRows(runs) : undefined;
  const suggest = await suggestAbout(context, options, folder, self.file);
  // The run state of one run does not include what its replays delivered.
  const isFinal = handedOver !== undefined || self.isRunning;
  const steps = lines.map((line) => stepOf(line, suggest));
  const explained = (await readExplained(folder.path)).rows;
  const replayed = replayedBatches(runs, self.file.run);
  const stored = rejectsOf(folder.path, self.file, inspected, explained, replayed);
  const rejects = await withUploads(folder, self.file, stored);
  const summarised = await summariseRun(await reportedOf(self, inspected, reasons, explained, rejects), suggest, {
    resend: totals === undefined && !isFinal ? undefined : { steps, isFinal },
  });
  return { ...summarised, runs, self, inspected, reasons, suggest, handedOver, lines, totals };
}

/** What to know before the summary. */
export function introduction({ self: { file, isRunning }, inspected: { ended, batches } }: RunView): readonly string[] {
  const isInFlight = [...batches.values()].some(({ lost }) => lost);
  return [
    ...(file.parent === undefined ? [] : [`A replay of ${printable(file.parent)}.`]),
    ...(isRunning ? ['A process is working on this run: the counts are not final.'] : []),
    ...(ended || isRunning
      ? []
      : [
          `The program was killed, or the machine went down${isInFlight ? ': the outcome of requests in flight is unknown' : ' while no request was in flight'}.`,
        ]),
  ];
}

async function reportedOf(
  { folder: { path: folder }, file: runFile }: LineageRun,
  { runState, seconds }: InspectedRun,
  reasons: Reasons,
  explained: readonly NamedRow[],
  rejects: readonly RejectsCount[],
): Promise<ReportedRun> {
  const { refused, exhausted, unknown } = runState.batches;
  return {
    folder,
    runFile,
    runState,
    seconds,
    reasons,
    warnings: [],
    rejects,
    explained: explained.length,
    // If the run was killed, a resume writes the batches that were in flight.
    hasUndelivered: refused + exhausted + unknown > 0 && (await exists(path.join(folder, 'undelivered.ndjson'))),
  };
}
