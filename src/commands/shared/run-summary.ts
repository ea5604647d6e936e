/** The summary of a run, as data and as text, for the commands that end or show one. */
import path from 'node:path';
import { contracts } from '../../contract/index.ts';
import { factsOf } from '../../journal/catalogue.ts';
import type { NamedRow } from '../../journal/explain-log.ts';
import type { RunFile } from '../../journal/run-file.ts';
import { UNDELIVERED } from '../../journal/undelivered.ts';
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
import type { Reasons } from '../../report/failure-reasons.ts';
import { endEntry } from '../../report/log-entry.ts';
import {
  isNothingAccepted,
  nextCommand,
  nextStep,
  nextSteps,
  otherVariant,
  type RunDetails,
  stateCounts,
} from '../../report/next-step.ts';
import {
  type Counts,
  countRun,
  type ExitOptions,
  exitCodeOf,
  type RejectsCount,
  summarise,
} from '../../report/summary.ts';
import { type SummaryContext, summaryText } from '../../report/summary-text.ts';
import { type Style, when } from '../../report/text-layout.ts';
import { rejectsFileNames, rejectsInputsOf } from '../../run/rejects-folder.ts';
import type { Context } from './command.ts';
import { runOnEnd } from './on-end.ts';
import { printResult, type ShownOptions, type ToldOptions } from './output.ts';

export interface ReportedRun {
  /** Path of the run folder. */
  readonly folder: string;
  readonly runFile: RunFile;
  readonly runState: RunState;
  /** What else decides its exit code. */
  readonly exit?: ExitOptions | undefined;
  readonly reasons: Reasons;
  readonly rejects: readonly RejectsCount[];
  /** Rejected records that `runs explain` has named. */
  readonly explained?: number | undefined;
  readonly warnings: readonly Problem[];
}

/** The rejects files of a run that hold rows: invalid ones, refused ones, and those that `runs explain` has added. */
export function rejectsOf(
  folder: string,
  runFile: RunFile,
  { rejects, undelivered }: Pick<RunState, 'rejects' | 'undelivered'>,
  explained: readonly NamedRow[] = [],
): readonly RejectsCount[] {
  // They are listed at the end of the run.
  const refused = rejects.listed === undefined ? [] : [...undelivered.values()].filter(({ isRejected }) => isRejected);
  return rejectsFileNames(rejectsInputsOf(runFile)).flatMap((name, source) => {
    const ofSource = refused.filter(({ ranges: [range] }) => range?.source === source);
    const named = explained.filter((row) => row.source === source);
    const rows = (rejects.rows[source] ?? 0) + named.length + ofSource.length;
    return rows === 0 ? [] : [{ source, path: path.join(folder, 'rejects', name), rows }];
  });
}

/** The summary of a run in all its forms. */
export interface SummarisedRun {
  readonly summary: Summary;
  readonly text: (style: Style) => string;
  readonly about: SummaryContext;
}

export async function summariseRun(
  run: ReportedRun,
  suggest: Suggest,
  { isRunning = false }: { readonly isRunning?: boolean } = {},
): Promise<SummarisedRun> {
  const { runFile, runState, reasons } = run;
  const { sandbox, baseUrl, skippedFiles = [] } = runFile;
  const counts = countRun(runState, {
    ...run,
    seconds: runState.workedMs / 1000,
    exitCode: exitCodeOf(runState, { ...run.exit, skippedFiles: skippedFiles.length }),
    warnings: [...skippedFiles, ...run.warnings],
  });
  const details = await detailsOf(run, counts);
  const { files } = details;
  const next = nextSteps({ ...counts, ...factsOf(runState), state: isRunning ? 'running' : counts.state }, details);
  const about = { destination: sandbox ? 'the sandbox' : baseUrl, sandbox, suggest, files, reasons, next };
  return {
    summary: summarise(counts, runState, {
      toolVersion: version,
      baseUrl,
      sandbox,
      reasons,
      next: nextCommand(next, suggest),
    }),
    text: (style) => summaryText(runState, counts, about, style),
    about,
  };
}

/** What decides what to do next, besides the facts that the catalogue keeps. */
async function detailsOf(run: ReportedRun, { balanced, inputs, ...counts }: Counts): Promise<RunDetails> {
  const { folder, runFile, runState, reasons, rejects, explained = 0 } = run;
  const at = (name: string): string => path.join(folder, name);
  const canExplain = contracts[runState.type].deduplicates && !runFile.sandbox && runState.state === 'complete';
  return {
    balanced,
    inputs,
    files: {
      folder,
      results: at('results.csv'),
      mapping: at('mapping.yaml'),
      rejects,
      undelivered: hasUndelivered(runState) ? at(UNDELIVERED) : undefined,
    },
    again: isRepeatable(runFile) ? runFile.argv : undefined,
    missingInOther: await missingInOtherVariant(folder, runFile, counts),
    isRepeat: runFile.inputs.every(({ columns }) => isRejectsFile(columns)),
    reasons: runFile.transform === undefined ? reasons : undefined,
    explained: canExplain ? explained : undefined,
    sentBefore: runState.sentBefore,
    hasSkippedFiles: (runFile.skippedFiles ?? []).length > 0,
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
 * Reports a run of which nothing is sent now.
 *
 * @param text default: what is left of it
 * @returns its exit code
 */
export async function reportFinished(
  context: Context,
  options: ShownOptions & Partial<ToldOptions>,
  run: Pick<ReportedRun, 'runFile' | 'runState' | 'reasons'> & { readonly id: string; readonly folder: string },
  { suggest, text }: { readonly suggest: Suggest; readonly text?: string | undefined },
): Promise<number> {
  const { runFile, runState, id, folder } = run;
  const reported = {
    ...run,
    exit: { failOn: options.failOn },
    rejects: rejectsOf(folder, runFile, runState),
    warnings: [],
  };
  const { summary, about } = await summariseRun(reported, suggest);
  const { exitCode } = summary;
  const lines = text === undefined ? finishedLines(id, summary, about) : [text];
  context.streams.log(endEntry(summary));
  printResult(context, options, summary, { textOf: () => lines.join('\n') });
  await runOnEnd(context, options, summary);
  return exitCode;
}

function finishedLines(
  id: string,
  { rows, service, exitCode }: Summary,
  { next, suggest }: SummaryContext,
): readonly string[] {
  const { read, ...states } = rows;
  const { rejected, unaccounted } = service;
  const step = nextStep(next);
  const left = states.exhausted + states.unknown;
  return [
    `${printable(id)} is complete: ${left === 0 ? 'there is nothing left to send' : 'nothing was sent now'}.`,
    ...when(
      exitCode !== 0,
      `Of ${plural(read, 'row')}: ${stateCounts({ ...states, 'rejected by the service': rejected, unaccounted })} (exit code ${exitCode}).`,
    ),
    ...(step === undefined
      ? []
      : [[step.reason, ...(step.words === undefined ? [] : [suggest(...step.words)])].join(' ')]),
  ];
}

/** Whether its command sends the same data: not for a pipe, and a program has no command. */
function isRepeatable({ inputs, argv }: RunFile): boolean {
  return argv.length > 0 && inputs.every((input) => input.path !== undefined);
}

function hasUndelivered({ undelivered }: RunState): boolean {
  return [...undelivered.values()].some(({ state, isLost }) => state !== 'pending' && isLost !== true);
}

/** Fields that the other variant requires and that the mapping in the run folder does not have. */
async function missingInOtherVariant(
  folder: string,
  { type, variant }: RunFile,
  counts: Pick<Counts, 'rows' | 'service'>,
): Promise<readonly string[]> {
  if (variant === undefined || !isNothingAccepted(counts)) return [];
  const mapping = await readMapping(path.join(folder, 'mapping.yaml')).catch(() => undefined);
  return mapping === undefined ? [] : missingFields(mapping, contracts[type], otherVariant(variant));
}
