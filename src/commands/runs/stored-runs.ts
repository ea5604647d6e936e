/** Shared by the subcommands of `runs`: their options, the folder of runs, and a run with its replays. */
import { readHandover } from '../../journal/handover.ts';
import { inspectStoredRun, type LineageRun, lineageOf, replayedBatches } from '../../journal/lineage.ts';
import type { RunFolder } from '../../journal/run-folder.ts';
import { factsOf, type RunSummary } from '../../journal/run-index.ts';
import { nextArguments } from '../../report/next-steps.ts';
import type { ListedRun } from '../../report/runs-text.ts';
import { type ResolvedSettings, resolveSettings } from '../../settings/resolve-settings.ts';
import type { Context } from '../shared/command.ts';
import type { OptionValues } from '../shared/option.ts';
import { givenSettings, JSON_OPTION, OUT, PROFILE } from '../shared/options.ts';
import { findRunFolder } from '../shared/run-history.ts';

export const commonOptions = { out: OUT, profile: PROFILE, json: JSON_OPTION };

export type CommonOptions = OptionValues<typeof commonOptions>;

/** The folder of runs. */
export async function rootOf(context: Context, options: CommonOptions): Promise<string> {
  return (await resolveOut(context, options)).settings.out;
}

/** @throws ProblemError `run.none`, `run.unknown`, `run.ambiguous` */
export async function folderOf(context: Context, options: CommonOptions, wanted: string): Promise<RunFolder> {
  return findRunFolder(context, await resolveOut(context, options), wanted);
}

/** Nothing is sent, so a configured http:// URL is no error. */
function resolveOut(context: Context, options: CommonOptions): Promise<ResolvedSettings> {
  return resolveSettings(givenSettings(context, { ...options, allowHttp: true }));
}

/** A run with its replays. */
export interface RunLineage {
  /** The requested run, then its replays. */
  readonly runs: readonly LineageRun[];
  readonly handedOver: string | undefined;
}

export async function readLineage(folder: RunFolder): Promise<RunLineage> {
  const runs: LineageRun[] = [];
  for (const run of await lineageOf(folder)) runs.push(await inspectStoredRun(run));
  return { runs, handedOver: (await readHandover(folder.path))?.time };
}

/** A run of the list, or one whose journal was read. */
type Listable = Omit<RunSummary, 'journal'>;

export function summaryOf({ folder, file, isRunning, inspected }: LineageRun): Listable {
  return { folder, file, isRunning, ...factsOf(inspected) };
}

/** A run as a line of the list. @param lineage includes its replays */
export function listed(self: Listable, lineage: readonly Listable[], handedOver: string | undefined): ListedRun {
  const { folder, file, isRunning, ended, state, rows, undelivered } = self;
  const left = { refused: 0, exhausted: 0, unknown: 0, pending: 0 };
  const replayed = replayedBatches(lineage, file.run);
  for (const { batch, state, records } of undelivered) {
    if (state !== 'delivered' && !replayed.has(batch)) left[state] += records;
  }
  const facts = {
    run: file.run,
    folder: folder.path,
    startedAt: file.startedAt,
    parent: file.parent,
    type: file.type,
    variant: file.variant,
    inputs: file.inputs.map(({ source }) => source),
    state: isRunning ? 'running' : !ended || state === 'running' ? 'interrupted' : state,
    rows,
    left,
    handedOver,
  } as const;
  return { ...facts, next: nextArguments(facts) };
}
