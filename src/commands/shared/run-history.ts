/** What a command knows of earlier runs: the state folder, asked and told. Shared by the commands that prepare or send. */
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
import type { Context, Options } from './command.ts';

/** What a run asks of those before it, as run.json keeps it. */
export type Asks = Pick<RunFile, 'keys' | 'dedupe' | 'skipSent'>;

export interface Recalled {
  /** Absent where every record is sent. */
  readonly seen?: SentRecords;
  readonly asks: Asks;
  readonly warnings: readonly Problem[];
}

/**
 * What a run that begins asks of those before it. Events are skipped unless the user says `--again`, because the
 * interface documents no deduplication of them; signals are where the user says `--skip-delivered`.
 *
 * @param service absent where nobody knows where the records will go, and for the sandbox, which is empty each time
 * @param now when the run begins
 */
export async function recall(
  { env }: Context,
  options: Options,
  type: Service['type'],
  service: Service | undefined,
  now: Date,
): Promise<Recalled> {
  const dedupe = options['dedupe'] === true;
  const cares = options['skipDelivered'] === true || !contracts[type].deduplicates;
  const keeps = dedupe || (cares && service !== undefined);
  const asks: Asks = { ...(dedupe ? { dedupe } : {}), ...(keeps ? { keys: true } : {}) };
  if (!cares || service === undefined || options['again'] === true) {
    return { ...(dedupe ? { seen: new SentRecords({ dedupe }) } : {}), asks, warnings: [] };
  }
  const seen = new SentRecords({ dedupe });
  const state = stateFolder(env);
  if (state === undefined) return { ...(dedupe ? { seen } : {}), asks, warnings: [noStateFolder()] };
  const { asOf, warnings } = await loadHistory({ ...service, state, now: now.getTime() }, seen);
  return { seen, asks: { ...asks, skipSent: new Date(asOf).toISOString() }, warnings };
}

/** The same for a run that goes on: as of when it began. */
export async function recallAgain({ env }: Context, runFile: RunFile, folder: string): Promise<Recalled> {
  const { type, baseUrl, startedAt, keys, dedupe, skipSent } = runFile;
  const asks: Asks = {
    ...(keys === undefined ? {} : { keys }),
    ...(dedupe === undefined ? {} : { dedupe }),
    ...(skipSent === undefined ? {} : { skipSent }),
  };
  if (skipSent === undefined && dedupe === undefined) return { asks, warnings: [] };
  const seen = new SentRecords({ dedupe: dedupe === true });
  if (skipSent === undefined) return { seen, asks, warnings: [] };
  const state = stateFolder(env);
  if (state === undefined) return { seen, asks, warnings: [noStateFolder()] };
  const { warnings } = await loadHistory(
    { type, baseUrl, state, now: Date.parse(startedAt), asOf: Date.parse(skipSent), ownFolder: folder },
    seen,
  );
  return { seen, asks, warnings };
}

/** Enters a run in the list of runs, before it sends. */
export async function enter({ env }: Context, runFile: RunFile, folder: string): Promise<readonly Problem[]> {
  const state = stateFolder(env);
  return state === undefined ? [] : registerRun(state, runFile, folder);
}

/** Remembers what a run has sent, at its end. */
export async function remember(
  { env }: Context,
  runFile: RunFile,
  folder: string,
): Promise<readonly Problem[]> {
  const state = stateFolder(env);
  return state === undefined ? [] : indexRun(state, runFile, folder, Date.now());
}

/** Puts what a run knows of earlier ones into its folder, so that it can go on on another machine. */
export async function carry({ env }: Context, runFile: RunFile, folder: string): Promise<readonly Problem[]> {
  const state = stateFolder(env);
  return state === undefined ? [] : exportHistory(state, runFile, folder);
}

/**
 * The folder of a run: among those that are kept here, and else, where nobody has said with `--out` which are meant,
 * wherever this user has made it.
 *
 * @throws ProblemError `run.none`, `run.unknown`, `run.ambiguous`
 */
export function wantedFolder(
  { env }: Context,
  { settings, origins }: Pick<ResolvedSettings, 'settings' | 'origins'>,
  wanted: string,
): Promise<RunFolder> {
  const state = origins.out === 'flag' ? undefined : stateFolder(env);
  return findRun(settings.out, wanted, state);
}
