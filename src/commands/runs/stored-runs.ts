/** Shared by the subcommands of `runs`: their options, the folder of runs, and a run with its replays. */
import { readHandover } from '../../journal/handover.ts';
import { inspectStoredRun, type LineageRun, lineageOf, undeliveredBatches } from '../../journal/lineage.ts';
import type { RunFolder } from '../../journal/run-folder.ts';
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

/** The first run as a line of the list. */
export function listed({ runs, handedOver }: RunLineage): ListedRun {
  const [self] = runs;
  if (self === undefined) throw new Error('a run is missing from its own lineage');
  const { folder, file, inspected, isRunning } = self;
  const { ledger, ended } = inspected;
  const left = { refused: 0, exhausted: 0, unknown: 0, pending: 0 };
  for (const { owner, state, records } of undeliveredBatches(runs)) {
    if (owner === self && state !== 'delivered') left[state] += records;
  }
  const facts = {
    run: file.run,
    folder: folder.path,
    startedAt: file.startedAt,
    parent: file.parent,
    type: file.type,
    variant: file.variant,
    inputs: file.inputs.map(({ source }) => source),
    state: isRunning ? 'running' : !ended || ledger.state === 'running' ? 'interrupted' : ledger.state,
    rows: ledger.rows,
    left,
    handedOver,
  } as const;
  return { ...facts, next: nextArguments(facts) };
}

/** The same runs with `self` first: `undeliveredBatches` gives a batch to the last run that claimed it. */
export function selfFirst(runs: readonly LineageRun[], self: LineageRun): readonly LineageRun[] {
  return [self, ...runs.filter((run) => run !== self)];
}
