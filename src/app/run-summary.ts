/** What a run context needs from the folder of a run, and the summary of a run in all its forms. */
import path from 'node:path';
import { contracts } from '../contract/index.ts';
import type { RunFile } from '../journal/run-file.ts';
import type { Suggest } from '../lib/shell.ts';
import type { Problem } from '../model/problem.ts';
import { isRejectsFile } from '../model/results-line.ts';
import type { RunFacts, RunState } from '../model/run-state.ts';
import type { Summary } from '../model/summary.ts';
import { readMapping } from '../plan/index.ts';
import { missingFields } from '../questions/mapping-proposal.ts';
import { detailText, endingText } from '../report/ending-text.ts';
import type { RejectsCount } from '../report/next-step.ts';
import { isNothingAccepted, otherVariant } from '../report/next-step.ts';
import { type ExitOptions, type RunContext, summaryOf } from '../report/summary.ts';
import type { Style } from '../report/text-layout.ts';
import { rejectsFileNames, rejectsInputsOf } from '../run/rejects-folder.ts';
import { factsOf } from '../runs/catalogue.ts';
import type { NamedRow } from '../runs/explain-log.ts';

/** The rejects files of a run that hold rows: invalid ones, refused ones, and those that `runs explain` has added. */
export function rejectsOf(
  folder: string,
  runFile: RunFile,
  { rejectsRows = {} }: Pick<RunFacts, 'rejectsRows'>,
  explained: readonly NamedRow[] = [],
): readonly RejectsCount[] {
  return rejectsFileNames(rejectsInputsOf(runFile)).flatMap((name, source) => {
    const rows = (rejectsRows[source] ?? 0) + explained.filter((row) => row.source === source).length;
    return rows === 0 ? [] : [{ source, path: path.join(folder, 'rejects', name), rows }];
  });
}

/** What {@link contextOf} cannot find in the folder. */
export interface ContextParts {
  /** Path of the run folder. */
  readonly folder: string;
  readonly runFile: RunFile;
  readonly suggest: Suggest;
  /** See {@link RunContext}. */
  readonly name: readonly string[];
  readonly isRunning?: boolean | undefined;
  readonly isReported?: boolean | undefined;
  readonly rejects: readonly RejectsCount[];
  /** Rejected records that `runs explain` has named. */
  readonly explained?: number | undefined;
  readonly exit?: ExitOptions | undefined;
  readonly warnings?: readonly Problem[] | undefined;
}

export async function contextOf(
  run: Pick<RunFacts, 'rows' | 'service' | 'state'>,
  { folder, runFile, explained = 0, warnings = [], exit, isRunning = false, ...given }: ContextParts,
): Promise<RunContext> {
  const { sandbox, baseUrl, type, skippedFiles = [], inputs, argv, transform } = runFile;
  const canExplain = contracts[type].deduplicates && !sandbox && run.state === 'complete';
  return {
    ...given,
    folder,
    isRunning,
    sandbox,
    baseUrl,
    // Its command sends the same data, except from a pipe; a program has no command.
    again: argv.length > 0 && inputs.every((input) => input.path !== undefined) ? argv : undefined,
    missingInOther: await missingInOtherVariant(folder, runFile, run),
    isRepeat: inputs.every(({ columns }) => isRejectsFile(columns)),
    hasTransform: transform !== undefined,
    hasSkippedFiles: skippedFiles.length > 0,
    explained: canExplain ? explained : undefined,
    exit: { ...exit, skippedFiles: skippedFiles.length },
    warnings: [...skippedFiles, ...warnings],
  };
}

/** The summary of a run in all its forms. */
export interface SummarisedRun {
  readonly summary: Summary;
  /** What a run prints at its end. @param isDetailed with every count, reason and file */
  readonly text: (style: Style, isDetailed: boolean) => string;
}

export function summarise(runState: RunState, context: RunContext): SummarisedRun {
  return {
    summary: summaryOf(runState, context),
    text: (style, isDetailed) => {
      const ending = endingText(runState, context, style, { hasReasons: !isDetailed });
      return isDetailed ? `${ending}\n\n${detailText(runState, context, style)}` : ending;
    },
  };
}

/** The same for a run that ends now. */
export async function summariseRun(
  runState: RunState,
  parts: Omit<ContextParts, 'rejects'> & { readonly rejects?: readonly RejectsCount[] },
): Promise<SummarisedRun> {
  const facts = factsOf(runState);
  const rejects = rejectsOf(parts.folder, parts.runFile, facts);
  return summarise(runState, await contextOf(facts, { rejects, ...parts }));
}

/** Fields that the other variant requires and that the mapping in the run folder does not have. */
async function missingInOtherVariant(
  folder: string,
  { type, variant }: RunFile,
  run: Pick<RunFacts, 'rows' | 'service'>,
): Promise<readonly string[]> {
  if (variant === undefined || !isNothingAccepted(run)) return [];
  const mapping = await readMapping(path.join(folder, 'mapping.yaml')).catch(() => undefined);
  return mapping === undefined ? [] : missingFields(mapping, contracts[type], otherVariant(variant));
}
