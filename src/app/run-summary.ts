/** The summary of a run, as data and as text, for the commands that end or show one. */
import path from 'node:path';
import { contracts } from '../contract/index.ts';
import type { RunFile } from '../journal/run-file.ts';
import { UNDELIVERED } from '../journal/undelivered.ts';
import type { Suggest } from '../lib/shell.ts';
import { version } from '../lib/version.ts';
import type { Problem } from '../model/problem.ts';
import { isRejectsFile } from '../model/results-line.ts';
import type { RunState } from '../model/run-state.ts';
import type { Summary } from '../model/summary.ts';
import { readMapping } from '../plan/index.ts';
import { missingFields } from '../questions/mapping-proposal.ts';
import type { Reasons } from '../report/failure-reasons.ts';
import { isNothingAccepted, nextCommand, nextSteps, otherVariant, type RunDetails } from '../report/next-step.ts';
import {
  type Counts,
  countRun,
  type ExitOptions,
  exitCodeOf,
  type RejectsCount,
  summarise,
} from '../report/summary.ts';
import { type SummaryContext, summaryText } from '../report/summary-text.ts';
import type { Style } from '../report/text-layout.ts';
import { rejectsFileNames, rejectsInputsOf } from '../run/rejects-folder.ts';
import { factsOf } from '../runs/catalogue.ts';
import type { NamedRow } from '../runs/explain-log.ts';

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
