/** The summary of a run, as data and as text, for the commands that end or show one. */
import path from 'node:path';
import { contracts } from '../../contract/index.ts';
import type { NamedRow } from '../../journal/explain-log.ts';
import type { InspectedRun } from '../../journal/inspect-run.ts';
import { inspectLineage, lineageOf, lineageRunState } from '../../journal/lineage.ts';
import type { RunFile } from '../../journal/run-file.ts';
import type { RunFolder } from '../../journal/run-folder.ts';
import { isRestLost } from '../../journal/run-index.ts';
import { printable } from '../../lib/printable.ts';
import { isRejectsFile } from '../../lib/rejects-columns.ts';
import type { Suggest } from '../../lib/shell.ts';
import { plural } from '../../lib/units.ts';
import { errorObject, version } from '../../lib/version.ts';
import type { Problem } from '../../model/problem.ts';
import type { RunState } from '../../model/run-state.ts';
import type { Summary } from '../../model/summary.ts';
import { readMapping } from '../../plan/index.ts';
import { missingFields } from '../../questions/mapping-proposal.ts';
import { type ExitOptions, exitCodeOf } from '../../report/exit-code.ts';
import type { Reasons } from '../../report/failure-reasons.ts';
import { endEntry } from '../../report/log-entry.ts';
import {
  firstCommand,
  isNothingAccepted,
  type NextStepsContext,
  nextSteps,
  otherVariant,
  stateCounts,
} from '../../report/next-steps.ts';
import { type Counts, countRun, type RejectsCount, summarise } from '../../report/summary.ts';
import { type SummaryContext, summaryText } from '../../report/summary-text.ts';
import { type Style, when } from '../../report/text-layout.ts';
import { rejectsFileNames, rejectsInputsOf } from '../../run/rejects-folder.ts';
import type { Context } from './command.ts';
import { runOnEnd } from './on-end.ts';
import type { ShownOptions, ToldOptions } from './output.ts';
import { printResult } from './output.ts';

export interface ReportedRun {
  /** Path of the run folder. */
  readonly folder: string;
  readonly runFile: RunFile;
  readonly runState: RunState;
  /** What else decides its exit code. */
  readonly exit?: ExitOptions | undefined;
  readonly seconds: number;
  readonly reasons: Reasons;
  readonly rejects: readonly RejectsCount[];
  /** Rejected records that `runs explain` has named. */
  readonly explained?: number | undefined;
  /** Whether undelivered.ndjson holds batches. */
  readonly hasUndelivered: boolean;
  readonly warnings: readonly Problem[];
}

/**
 * The rejects files of a stored run that hold rows: invalid ones, refused ones, and those that `runs explain` has added.
 *
 * @param replayed batches that replays have taken
 */
export function rejectsOf(
  folder: string,
  runFile: RunFile,
  { rejectedRows, batches, ended }: Pick<InspectedRun, 'rejectedRows' | 'batches' | 'ended'>,
  explained: readonly NamedRow[] = [],
  replayed: ReadonlyMap<string, string> = new Map(),
): readonly RejectsCount[] {
  // They are listed at the end of the run.
  const refused = ended ? [...batches.values()].filter(({ isRejected }) => isRejected) : [];
  return rejectsFileNames(rejectsInputsOf(runFile)).flatMap((name, source) => {
    const ofSource = refused.filter(({ ranges: [range] }) => range?.source === source);
    const sent = ofSource.filter(({ batch }) => replayed.has(batch)).length;
    const named = explained.filter((row) => row.source === source).length;
    const rows = (rejectedRows[source] ?? 0) + named + ofSource.length - sent;
    return rows + sent === 0 ? [] : [{ source, path: path.join(folder, 'rejects', name), rows, replayed: sent }];
  });
}

/** The summary of a run in all its forms. */
export interface SummarisedRun {
  readonly summary: Summary;
  readonly text: (style: Style) => string;
  readonly about: SummaryContext;
}

/**
 * @param again the arguments of this run, as typed; absent if they cannot be repeated
 */
export async function summariseRun(
  run: ReportedRun,
  suggest: Suggest,
  { again, resend }: Pick<NextStepsContext, 'again' | 'resend'>,
): Promise<SummarisedRun> {
  const { folder, runFile, runState, reasons, rejects, hasUndelivered } = run;
  const { sandbox, baseUrl } = runFile;
  const { skippedFiles = [] } = runFile;
  const counts = countRun(runState, {
    ...run,
    exitCode: exitCodeOf(runState, { ...run.exit, skippedFiles: skippedFiles.length }),
    warnings: [...skippedFiles, ...run.warnings],
  });
  const at = (name: string): string => path.join(folder, name);
  const files = {
    folder,
    results: at('results.csv'),
    mapping: runFile.parent === undefined ? at('mapping.yaml') : undefined,
    rejects,
    undelivered: hasUndelivered ? at('undelivered.ndjson') : undefined,
  };
  const missingInOther = await missingInOtherVariant(folder, runFile, counts);
  const repairable = runFile.transform === undefined ? reasons : undefined;
  const canExplain = contracts[runState.type].deduplicates && !sandbox && runState.state === 'complete';
  const explained = canExplain ? (run.explained ?? 0) : undefined;
  const isRejects = runFile.inputs.every(({ columns }) => isRejectsFile(columns));
  const context = {
    suggest,
    again,
    isRepeat: runFile.parent !== undefined || isRejects,
    missingInOther,
    files,
    reasons: repairable,
    explained,
    resend,
    isRestLost: isRestLost(runState),
    sentBefore: runState.sentBefore,
  };
  const skipped = skippedFiles.length === 0 ? [] : [['Correct the skipped files, then upload them.']];
  const steps = [...nextSteps(counts, runState.stop, context), ...skipped];
  const destination = sandbox ? 'the sandbox' : baseUrl;
  const about = { destination, sandbox, suggest, files, reasons, next: steps };
  return {
    summary: summarise(counts, runState, { toolVersion: version, baseUrl, reasons, next: firstCommand(steps) }),
    text: (style) => summaryText(runState, counts, about, style),
    about,
  };
}

/** Reports that there is nothing to send. Returns exit code 0. @param lines for people */
export async function reportNothing(
  context: Context,
  options: ShownOptions & Partial<ToldOptions>,
  lines: readonly string[],
  run?: string,
): Promise<number> {
  const nothing = errorObject(0, [], run);
  if (options.json) context.streams.json(nothing);
  else if (!options.quiet) for (const line of lines) context.streams.print(`${line}\n`);
  await runOnEnd(context, options, nothing);
  return 0;
}

/**
 * Reports a run that has nothing left to send.
 *
 * @param text default: it is complete
 * @returns its exit code, with what its replays delivered
 */
export async function reportFinished(
  context: Context,
  options: ShownOptions & Partial<ToldOptions>,
  run: Pick<ReportedRun, 'runFile' | 'runState' | 'seconds' | 'reasons'> & Parameters<typeof rejectsOf>[2],
  { id, path: folder }: RunFolder,
  suggest: Suggest,
  text?: string,
): Promise<number> {
  const { runFile } = run;
  const stored = await lineageOf({ id, path: folder });
  // Without replays, what the caller has read is enough.
  const lineage = stored.length === 1 ? undefined : await inspectLineage(stored, true);
  const runState = (lineage && lineageRunState(lineage, run.runState)) ?? run.runState;
  const rejects = rejectsOf(folder, runFile, run);
  const exit = { failOn: options.failOn };
  const reported = { ...run, runState, folder, exit, rejects, hasUndelivered: false, warnings: [] };
  const { summary } = await summariseRun(reported, suggest, {});
  const { exitCode } = summary;
  const { read, ...states } = runState.rows;
  const { rejected, unaccounted } = runState.service;
  const left = states.exhausted + states.unknown;
  const lines =
    text === undefined
      ? [
          `${printable(id)} is complete: ${left === 0 ? 'there is nothing left to send' : 'nothing was sent now'}.`,
          ...when(
            exitCode !== 0,
            `Of ${plural(read, 'row')}: ${stateCounts({ ...states, 'rejected by the service': rejected, unaccounted })} (exit code ${exitCode}).`,
            `What to do: ${suggest('runs', 'show', id)}`,
          ),
        ]
      : [text];
  context.streams.log(endEntry(summary));
  printResult(context, options, summary, () => lines.join('\n'));
  await runOnEnd(context, options, summary);
  return exitCode;
}

/** Fields that the other variant requires and that the mapping in the run folder does not have. */
async function missingInOtherVariant(
  folder: string,
  { type, variant }: RunFile,
  counts: Counts,
): Promise<readonly string[]> {
  if (variant === undefined || !isNothingAccepted(counts)) return [];
  // The folder of a replay may have none.
  const mapping = await readMapping(path.join(folder, 'mapping.yaml')).catch(() => undefined);
  return mapping === undefined ? [] : missingFields(mapping, contracts[type], otherVariant(variant));
}
