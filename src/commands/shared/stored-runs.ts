/** Shared by `runs` and `report`: their options, and a run with its replays. */
import path from 'node:path';
import { inspectLineage, type Lineage, type LineageRun, lineageOf, replayedBatches } from '../../journal/lineage.ts';
import { resolveRun } from '../../journal/resolve-run.ts';
import type { RunFolder } from '../../journal/run-folder.ts';
import { factsOf, type RunSummary, readRuns } from '../../journal/run-index.ts';
import { readRunList } from '../../journal/run-list.ts';
import { isArchive, unpackRun } from '../../journal/unpack-run.ts';
import { printable } from '../../lib/printable.ts';
import { count } from '../../lib/units.ts';
import { type OptionValues, usageError } from '../../options/option-spec.ts';
import { type SettingOptions, sharedOptions } from '../../options/option-table.ts';
import { duration, issue, type Parsed } from '../../options/parse-values.ts';
import { givenSettings, type ResolvedSettings, resolveSettings } from '../../options/resolve-settings.ts';
import { stateFolder } from '../../options/state-folder.ts';
import { createSuggest } from '../../options/suggest.ts';
import { nextArguments } from '../../report/next-steps.ts';
import type { ListedRun } from '../../report/runs-text.ts';
import { nameList } from '../../report/text-layout.ts';
import { createPrompts } from '../../terminal/prompts.ts';
import type { Context } from './command.ts';

export const commonOptions = sharedOptions('runs');

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
  const { folder, file, isRunning, ended, state, stop, rows, service, isRestLost, undelivered } = self;
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
    stop,
    rows,
    rejected: service.rejected,
    unaccounted: service.unaccounted,
    left,
    isRestLost,
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

export async function runsRoot(context: Context, options: SettingOptions): Promise<string> {
  return (await resolveOut(context, options)).settings.out;
}

/**
 * The folder of a run: in the folder of runs, and without `--out` wherever this user created it. An archive of `runs pack` is
 * unpacked into the folder of runs.
 *
 * @throws ProblemError `run.none`, `run.unknown`, `run.ambiguous`
 */
export async function findRunFolder(context: Context, options: SettingOptions, wanted: string): Promise<RunFolder> {
  const { settings, origins } = await resolveOut(context, options);
  if (isArchive(wanted)) {
    const { folder, isNew } = await unpackRun(wanted, settings.out);
    if (isNew) context.streams.err(`Unpacked ${printable(wanted)} into ${printable(folder.path)}.\n`);
    return folder;
  }
  return resolveRun(settings.out, wanted, origins['out'] === 'flag' ? undefined : stateFolder(context.env));
}

/** Nothing is sent here, so a configured http:// URL is allowed. */
function resolveOut(context: Context, options: SettingOptions): Promise<ResolvedSettings> {
  return resolveSettings(givenSettings(context, { ...options, allowHttp: true }));
}

/**
 * The run to resume, replay or fix. On a terminal, the user chooses among several that could be continued, or among those of
 * other folders if there are no runs here; otherwise it is the last run, so that the command can say why there is nothing
 * to do.
 *
 * @throws ProblemError `usage` without a terminal
 */
export async function requestedRun(
  context: Context,
  options: SettingOptions,
  command: 'resume' | 'replay' | 'fix',
  [wanted]: readonly string[],
): Promise<RunFolder> {
  const { streams } = context;
  if (wanted !== undefined) return findRunFolder(context, options, wanted);
  if (!streams.interactive) {
    throw usageError(
      `Without a terminal, \`${command}\` needs the id of a run.`,
      `For the latest run: \`${createSuggest(context, options)(command, 'last')}\`.`,
    );
  }
  const { settings, origins } = await resolveOut(context, options);
  const here = await readRuns(settings.out);
  const isHere = here.length > 0 || origins['out'] === 'flag';
  const runs = isHere ? here : await runsElsewhere(stateFolder(context.env));
  const open = runs.filter((run) => 'rows' in run).filter((run) => canContinue(run, command));
  const [only] = open;
  if (only === undefined) return findRunFolder(context, options, 'last');
  if (open.length === 1 && isHere) return only.folder;
  const choices = open.toReversed().map(({ folder, file: { inputs }, rows }) => {
    const where = isHere ? '' : `${printable(path.dirname(folder.path))}: `;
    const hint = `${where}${nameList(inputs.map(({ source }) => source))}; ${count(rows.delivered)} rows delivered`;
    return { value: folder, label: printable(folder.id), hint };
  });
  return createPrompts(context).select(`Which run do you want to ${command}?`, choices);
}

/** The runs of the user in other folders, those of one folder together. */
async function runsElsewhere(state: string | undefined): ReturnType<typeof readRuns> {
  const list = state === undefined ? [] : await readRunList(state);
  const roots = [...new Set(list.map(({ folder }) => path.dirname(folder)))];
  return (await Promise.all(roots.map(readRuns))).flat();
}

function canContinue(
  { isRunning, state, isRestLost, undelivered }: RunSummary,
  command: 'resume' | 'replay' | 'fix',
): boolean {
  // Invalid rows stay invalid, so every old run would be in the list.
  if (isRunning || command === 'fix') return false;
  return command === 'resume' ? state !== 'complete' && !isRestLost : state === 'complete' && undelivered.length > 0;
}
