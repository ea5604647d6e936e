/** Shared by the subcommands of `runs`: their options, and a run with its replays. */
import { inspectLineage, type Lineage, type LineageRun, lineageOf, undeliveredBatches } from '../../journal/lineage.ts';
import type { RunFolder } from '../../journal/run-folder.ts';
import { nextArguments } from '../../report/next-steps.ts';
import type { ListedRun } from '../../report/runs-text.ts';
import type { OptionValues } from '../shared/option.ts';
import { JSON_OPTION, OUT, PROFILE } from '../shared/options.ts';

export const commonOptions = { out: OUT, profile: PROFILE, json: JSON_OPTION };

export type CommonOptions = OptionValues<typeof commonOptions>;

/** A run, then its replays. */
export async function readLineage(folder: RunFolder): Promise<Lineage> {
  return inspectLineage(await lineageOf(folder));
}

/** The first run as a line of the list. */
export function listed(runs: Lineage, handedOver?: string): ListedRun {
  const [self] = runs;
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
export function selfFirst(runs: Lineage, self: LineageRun): Lineage {
  return [self, ...runs.filter((run) => run !== self)];
}
