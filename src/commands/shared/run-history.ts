/** What earlier runs sent: the records that a run skips. */
import { contracts } from '../../contract/index.ts';
import type { Service } from '../../history/delivered-index.ts';
import { type HistoryRequest, loadHistory } from '../../history/index.ts';
import { SentRecords } from '../../history/sent-records.ts';
import type { RunFile } from '../../journal/run-file.ts';
import type { Problem } from '../../model/problem.ts';
import { noStateFolder } from '../../settings/state-folder.ts';
import type { PlanOptions } from './options.ts';

export interface Recalled {
  /** Records that were sent before. Undefined if every record is sent. */
  readonly seen?: SentRecords | undefined;
  /** Of a shard, for which `seen` has the records of this run only: records that earlier runs have sent. */
  readonly sent?: SentRecords | undefined;
  readonly warnings: readonly Problem[];
}

/** What a run compares its records with. */
export function dividedJob(
  { seen, sent }: Omit<Recalled, 'warnings'>,
  { shard, dedupe }: Pick<RunFile, 'shard' | 'dedupe'>,
) {
  return { seen: seen?.filter, shard: shard && { ...shard, sent: sent?.filter, recordKeys: dedupe === true } };
}

/**
 * Reads what earlier runs sent to the same service, for a run that begins. Delivered events are skipped unless the user
 * passes `--again`, because the interface documents no deduplication of them; signals, with `--skip-delivered`.
 *
 * @param state the state folder
 * @param service without a base URL if it is unknown, and for the sandbox, which starts empty
 * @param now when the run begins
 * @returns also what run.json records
 */
export async function recall(
  state: string | undefined,
  options: Pick<PlanOptions, 'again' | 'dedupe' | 'skipDelivered'>,
  { type, baseUrl }: Pick<Service, 'type'> & { readonly baseUrl: string | undefined },
  now: Date,
  isShard: boolean,
): Promise<Recalled & { readonly recorded: Pick<RunFile, 'keys' | 'dedupe' | 'skipSent'> }> {
  const { dedupe } = options;
  const skips = options.skipDelivered || !contracts[type].deduplicates;
  const recorded = { dedupe: dedupe || undefined, keys: dedupe || (skips && baseUrl !== undefined) || undefined };
  if (!skips || baseUrl === undefined || options.again) {
    return { seen: dedupe ? new SentRecords({ dedupe }) : undefined, recorded, warnings: [] };
  }
  const { asOf, ...loaded } = await load(state, { type, baseUrl, now: now.getTime() }, { dedupe, isShard });
  const skipSent = asOf === undefined ? undefined : new Date(asOf).toISOString();
  return { ...loaded, recorded: { ...recorded, skipSent } };
}

/** The same for a run that is resumed, as of the time when it began. */
export async function recallAgain(state: string | undefined, runFile: RunFile, ownFolder: string): Promise<Recalled> {
  const { type, baseUrl, startedAt, dedupe = false, skipSent, shard } = runFile;
  if (skipSent === undefined) return { seen: dedupe ? new SentRecords({ dedupe }) : undefined, warnings: [] };
  const request = { type, baseUrl, now: Date.parse(startedAt), asOf: Date.parse(skipSent), ownFolder };
  return load(state, request, { dedupe, isShard: shard !== undefined });
}

async function load(
  state: string | undefined,
  request: Omit<HistoryRequest, 'state'>,
  { dedupe, isShard }: { readonly dedupe: boolean; readonly isShard: boolean },
): Promise<Recalled & { readonly asOf?: number }> {
  const own = dedupe ? new SentRecords({ dedupe }) : undefined;
  if (state === undefined) return { seen: own, warnings: [noStateFolder()] };
  // Each machine has its own history, and all shards must cut the same batches.
  const sent = isShard ? new SentRecords({ dedupe: false }) : (own ?? new SentRecords({ dedupe }));
  const loaded = await loadHistory({ ...request, state }, sent);
  return { ...(isShard ? { seen: own, sent } : { seen: sent }), ...loaded };
}
