/** Shared by `runs` and `report`: their options, and a run with its replays. */
import { inspectLineage, type Lineage, type LineageRun, lineageOf, replayedBatches } from '../../journal/lineage.ts';
import type { RunFolder } from '../../journal/run-folder.ts';
import { factsOf, type RunSummary } from '../../journal/run-index.ts';
import { nextArguments } from '../../report/next-steps.ts';
import type { ListedRun } from '../../report/runs-text.ts';
import { duration, issue, type Parsed } from '../../settings/parse-values.ts';
import type { OptionValues } from './option.ts';
import { JSON_OPTION, OUT, PROFILE } from './options.ts';

export const commonOptions = { out: OUT, profile: PROFILE, json: JSON_OPTION };

export type CommonOptions = OptionValues<typeof commonOptions>;

/** A run, then its replays. */
export async function readLineage(folder: RunFolder): Promise<Lineage> {
  return inspectLineage(await lineageOf(folder));
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

/** A unit is required: elsewhere a bare number means seconds, but the user may mean days. */
export function parseAge(text: string): Parsed<number> {
  return /[a-z]\s*$/i.test(text)
    ? duration({ min: '0s', max: '36500d' })(text)
    : issue(text, 'a duration with a unit, such as 30d or 12h');
}
