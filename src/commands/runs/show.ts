/** `signals runs show`: the summary of a run and its replays, or its rows one by one. */
import path from 'node:path';
import { exists } from '../../journal/file-system.ts';
import { readHandover } from '../../journal/handover.ts';
import { type InspectedRun, inspectRun } from '../../journal/inspect-run.ts';
import { type LineageRun, lineageOf, lineageRows, replayedBatches, rootRunOf } from '../../journal/lineage.ts';
import { lockHolder } from '../../journal/lock.ts';
import type { RunFolder } from '../../journal/run-folder.ts';
import { findRows, ROW_STATES, type RowState } from '../../journal/run-rows.ts';
import { printable } from '../../lib/printable.ts';
import { exitCodeOf } from '../../report/exit-code.ts';
import { createReasons, type Reasons } from '../../report/failure-reasons.ts';
import { lineageText, type RowStretch, rowLines, rowObjects, stepOf } from '../../report/runs-text.ts';
import { rowReason } from '../../run/locate-rows.ts';
import { type Context, subcommand } from '../shared/command.ts';
import { destinationOptions } from '../shared/destination.ts';
import { choice, type OptionValues } from '../shared/option.ts';
import { findRunFolder } from '../shared/run-argument.ts';
import { type ReportedRun, rejectsOf, summariseRun } from '../shared/run-summary.ts';
import { createSuggest } from '../shared/suggest.ts';
import { commonOptions, listed, readLineage, summaryOf } from './stored-runs.ts';

const showOptions = {
  rows: choice('--rows <state>', 'list the rows in this state: file:line and reason', ROW_STATES),
  ...commonOptions,
};

type ShowOptions = OptionValues<typeof showOptions>;

const SUMMARY = 'show the summary of a run and its replays, or list its rows';

export const show = subcommand('show', SUMMARY, showOptions, run, { arguments: '<run>' });

async function run(context: Context, [wanted = 'last']: readonly string[], options: ShowOptions): Promise<number> {
  const folder = await findRunFolder(context, options, wanted);
  const { rows } = options;
  return rows === undefined ? showSummary(context, options, folder) : showRows(context, options, folder, rows);
}

async function showSummary(context: Context, options: ShowOptions, folder: RunFolder): Promise<number> {
  const { streams } = context;
  const runs = await readLineage(await rootRunOf(folder));
  const self = runs.find((run) => run.folder.id === folder.id);
  if (self === undefined) throw new Error(`${folder.id} is missing from its own lineage`);
  const handedOver = readHandover(folder.path)?.time;
  const reasons = createReasons();
  const inspected = await inspectRun(folder.path, self.isRunning, { onEvent: reasons.on });
  const summaries = runs.map(summaryOf);
  const lines = summaries.map((run) => listed(run, summaries, handedOver));
  const totals = runs.length > 1 ? lineageRows(runs) : undefined;
  const suggest = createSuggest(context, options, destinationOptions(self.file));
  // The ledger of one run does not include what its replays delivered.
  const isOwnLedger = totals === undefined && handedOver === undefined && !self.isRunning;
  const next = lines.map((line) => stepOf(line, suggest)).filter((step) => step.length > 0);
  const { summary, text } = await summariseRun(await reportedOf(self, inspected, reasons), suggest, {
    next: isOwnLedger ? undefined : next,
  });

  if (options.json) {
    const about = {
      state: self.isRunning ? 'running' : summary.state,
      parent: self.file.parent,
      handedOver,
      left: lines.find(({ run }) => run === self.file.run)?.left,
      lineage: totals && {
        rows: totals,
        runs: lines.map(({ run, parent, state, rows, left, next }) => {
          return { run, parent, state, rows, left, next: next && suggest(...next) };
        }),
      },
    };
    streams.out(`${JSON.stringify({ ...summary, ...about })}\n`);
    return 0;
  }
  const style = streams.style.out;
  const parts = [
    ...introduction(self, inspected),
    text(style),
    ...(totals === undefined ? [] : [lineageText(lines, totals, style)]),
  ];
  streams.out(`${parts.join('\n\n')}\n`);
  return 0;
}

/** One paragraph, or none. */
function introduction({ file, isRunning }: LineageRun, { ended }: InspectedRun): readonly string[] {
  const lines = [
    ...(file.parent === undefined ? [] : [`A replay of ${printable(file.parent)}.`]),
    ...(isRunning ? ['A process is working on this run: the counts are not final.'] : []),
    ...(ended || isRunning
      ? []
      : ['The program was killed, or the machine went down: the outcome of requests in flight is unknown.']),
  ];
  return lines.length === 0 ? [] : [lines.join('\n')];
}

async function reportedOf(
  { folder: { path: folder }, file: runFile }: LineageRun,
  { ledger, seconds, rejectedRows }: InspectedRun,
  reasons: Reasons,
): Promise<ReportedRun> {
  const { refused, exhausted, unknown } = ledger.batches;
  return {
    ...{ folder, runFile, ledger, seconds, reasons, exitCode: exitCodeOf(ledger), warnings: [] },
    rejects: rejectsOf(folder, runFile, rejectedRows),
    // If the run was killed, a resume writes the batches that were in flight.
    hasUndelivered: refused + exhausted + unknown > 0 && (await exists(path.join(folder, 'undelivered.ndjson'))),
  };
}

async function showRows(context: Context, options: ShowOptions, folder: RunFolder, state: RowState): Promise<number> {
  const { streams } = context;
  const [self, ...replays] = await lineageOf(folder);
  const names = self.file.inputs.map(({ source }) => source);
  const isRunning = lockHolder(folder.path) !== undefined;
  const found = await findRows(folder.path, isRunning, new Set([state]));
  const taken = replayedBatches(replays, self.file.run);
  const stretches = found.map((rows): RowStretch => {
    const replay = rows.batch === undefined ? undefined : taken.get(rows.batch.batch);
    return {
      source: rows.source,
      span: rows.span,
      batch: rows.batch?.batch,
      lastLine: rows.skipped?.lastLine,
      reason: rowReason(rows, names) + (replay === undefined ? '' : `; replayed by ${replay}`),
    };
  });
  if (!options.json) {
    for (const stretch of stretches) {
      for (const line of rowLines(names, stretch)) streams.out(`${line}\n`);
    }
    return 0;
  }
  // Written row by row: there may be millions.
  streams.out(`{"run":${JSON.stringify(self.file.run)},"state":"${state}","rows":[`);
  let first = true;
  for (const stretch of stretches) {
    for (const row of rowObjects(names, stretch)) {
      streams.out(`${first ? '' : ','}${JSON.stringify(row)}`);
      first = false;
    }
  }
  streams.out(']}\n');
  return 0;
}
