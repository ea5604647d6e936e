/** What a command reads from the history of earlier runs in the state folder, and what it adds to it. */
import { contracts } from '../../contract/index.ts';
import type { Service } from '../../history/delivered-index.ts';
import { exportHistory, indexRun, loadHistory, registerRun } from '../../history/index.ts';
import { SentRecords } from '../../history/sent-records.ts';
import { findRun } from '../../journal/find-run.ts';
import type { RunFile } from '../../journal/run-file.ts';
import type { RunFolder } from '../../journal/run-folder.ts';
import type { Problem } from '../../model/problem.ts';
import type { ResolvedSettings } from '../../settings/resolve-settings.ts';
import { noStateFolder, stateFolder } from '../../settings/state-folder.ts';
import type { Context } from './command.ts';
import type { PlanOptions } from './options.ts';

export interface Recalled {
  /** Records that were sent before. Absent if every record is sent. */
  readonly seen?: SentRecords;
  /** What the run compares with, for run.json. */
  readonly recorded: Pick<RunFile, 'keys' | 'dedupe' | 'skipSent'>;
  readonly warnings: readonly Problem[];
}

/**
 * Reads what earlier runs sent to the same service, for a run that begins. Delivered events are skipped unless the user
 * passes `--again`, because the interface documents no deduplication of them; signals, with `--skip-delivered`.
 *
 * @param service absent if it is not known, and for the sandbox, which starts empty
 * @param now when the run begins
 */
export async function recall(
  { env }: Context,
  { again, dedupe, skipDelivered }: Pick<PlanOptions, 'again' | 'dedupe' | 'skipDelivered'>,
  type: Service['type'],
  service: Service | undefined,
  now: Date,
): Promise<Recalled> {
  const skips = skipDelivered || !contracts[type].deduplicates;
  const persisted: Recalled['recorded'] = {
    ...(dedupe ? { dedupe } : {}),
    ...(dedupe || (skips && service !== undefined) ? { keys: true } : {}),
  };
  const seen = new SentRecords({ dedupe });
  if (!skips || service === undefined || again) {
    return { ...(dedupe ? { seen } : {}), recorded: persisted, warnings: [] };
  }
  const state = stateFolder(env);
  if (state === undefined) return { ...(dedupe ? { seen } : {}), recorded: persisted, warnings: [noStateFolder()] };
  const { asOf, warnings } = await loadHistory({ ...service, state, now: now.getTime() }, seen);
  return { seen, recorded: { ...persisted, skipSent: new Date(asOf).toISOString() }, warnings };
}

/** The same for a run that is resumed, as of the time when it began. */
export async function recallAgain(
  { env }: Context,
  { type, baseUrl, startedAt, keys, dedupe, skipSent }: RunFile,
  folder: string,
): Promise<Recalled> {
  const persisted = { keys, dedupe, skipSent };
  if (skipSent === undefined && dedupe === undefined) return { recorded: persisted, warnings: [] };
  const seen = new SentRecords({ dedupe: dedupe === true });
  if (skipSent === undefined) return { seen, recorded: persisted, warnings: [] };
  const state = stateFolder(env);
  if (state === undefined) return { seen, recorded: persisted, warnings: [noStateFolder()] };
  const { warnings } = await loadHistory(
    { type, baseUrl, state, now: Date.parse(startedAt), asOf: Date.parse(skipSent), ownFolder: folder },
    seen,
  );
  return { seen, recorded: persisted, warnings };
}

/** Adds a run to the index of runs, before it sends. */
export async function enterHistory({ env }: Context, runFile: RunFile, folder: string): Promise<readonly Problem[]> {
  const state = stateFolder(env);
  return state === undefined ? [] : registerRun(state, runFile, folder);
}

/** Adds what a run sent to the history, at its end. */
export async function rememberSent({ env }: Context, runFile: RunFile, folder: string): Promise<readonly Problem[]> {
  const state = stateFolder(env);
  return state === undefined ? [] : indexRun(state, runFile, folder, Date.now());
}

/** Copies what a run needs from the history into its folder, so that another machine can resume it. */
export async function exportRunHistory(
  { env }: Context,
  runFile: RunFile,
  folder: string,
): Promise<readonly Problem[]> {
  const state = stateFolder(env);
  return state === undefined ? [] : exportHistory(state, runFile, folder);
}

/**
 * The folder of a run: in the folder of runs, and without `--out` wherever this user created it.
 *
 * @throws ProblemError `run.none`, `run.unknown`, `run.ambiguous`
 */
export function findRunFolder(
  { env }: Context,
  { settings, origins }: Pick<ResolvedSettings, 'settings' | 'origins'>,
  wanted: string,
): Promise<RunFolder> {
  const state = origins.out === 'flag' ? undefined : stateFolder(env);
  return findRun(settings.out, wanted, state);
}
