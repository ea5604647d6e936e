/** What the commands of `signals runs` share: their options, where runs are kept, and a run with its replays. */

import { readHandover } from '../../journal/handover.ts';
import { inspectStoredRun, type LineageRun, lineageOf, undeliveredBatches } from '../../journal/lineage.ts';
import type { RunFolder } from '../../journal/run-folder.ts';
import { type ListedRun, nextWords } from '../../report/runs-text.ts';
import { resolveSettings } from '../../settings/resolve-settings.ts';
import type { Context, Option, Options } from '../shared/command.ts';
import { JSON_OPTION, OUT, PROFILE, settingsAsked } from '../shared/options.ts';
import { wantedFolder } from '../shared/run-history.ts';

export const COMMON: readonly Option[] = [OUT, PROFILE, JSON_OPTION];

export async function rootOf(context: Context, options: Options): Promise<string> {
  const { settings } = await resolveSettings({ ...settingsAsked(context, options), allowHttp: true });
  return settings.out;
}

/** The folder of the run that is wanted. @throws ProblemError `run.none`, `run.unknown`, `run.ambiguous` */
export async function folderOf(context: Context, options: Options, wanted: string): Promise<RunFolder> {
  const resolved = await resolveSettings({ ...settingsAsked(context, options), allowHttp: true });
  return wantedFolder(context, resolved, wanted);
}

export interface Family {
  /** The run that was asked for, first, then its replays. */
  readonly members: readonly LineageRun[];
  readonly handedOver: string | undefined;
}

export async function familyOf(folder: RunFolder): Promise<Family> {
  const members: LineageRun[] = [];
  for (const kin of await lineageOf(folder)) members.push(await inspectStoredRun(kin));
  return { members, handedOver: (await readHandover(folder.path))?.time };
}

export function listed({ members, handedOver }: Family): ListedRun {
  const [self] = members;
  if (self === undefined) throw new Error('a run is missing from its own lineage');
  const { folder, file, inspected, isRunning } = self;
  const { ledger, ended } = inspected;
  const left = { refused: 0, exhausted: 0, unknown: 0, pending: 0 };
  for (const { owner, state, records } of undeliveredBatches(members)) {
    if (owner === self && state !== 'delivered') left[state] += records;
  }
  const facts = {
    run: file.run,
    folder: folder.path,
    startedAt: file.startedAt,
    ...(file.parent === undefined ? {} : { parent: file.parent }),
    type: file.type,
    ...(file.variant === undefined ? {} : { variant: file.variant }),
    inputs: file.inputs.map(({ source }) => source),
    state: isRunning ? 'running' : !ended || ledger.state === 'running' ? 'interrupted' : ledger.state,
    rows: ledger.rows,
    left,
    ...(handedOver === undefined ? {} : { handedOver }),
  } as const;
  return { ...facts, next: nextWords(facts) };
}

/** A member with those that come behind it: what was taken from it was taken later. */
export function replaysOf(members: readonly LineageRun[], self: LineageRun): readonly LineageRun[] {
  return [self, ...members.filter((member) => member !== self)];
}
