/** What earlier runs sent: the records that a run skips. */
import path from 'node:path';
import { contracts } from '../contract/index.ts';
import type { Service } from '../history/delivered-index.ts';
import { checkRecording, type HistoryRequest, loadHistory } from '../history/index.ts';
import { SentRecords } from '../history/sent-records.ts';
import type { RunFile } from '../journal/run-file.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import type { OptionValues } from '../options/option-spec.ts';
import type { OptionsOf } from '../options/option-table.ts';
import { noStateFolder } from '../options/state-folder.ts';

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
 * passes `--again`, because the API documents no deduplication of them; signals, with `--skip-delivered`.
 *
 * @param folders the state folder, and the folder of runs
 * @param service without a base URL if it is unknown, and for the sandbox, which starts empty
 * @param now when the run begins
 * @returns also what run.json records
 */
export async function recall(
  folders: Folders,
  options: Pick<OptionValues<OptionsOf<'check'>>, 'again' | 'dedupe' | 'skipDelivered'>,
  { type, baseUrl }: Pick<Service, 'type'> & { readonly baseUrl: string | undefined },
  { now, isShard }: { readonly now: Date; readonly isShard: boolean },
): Promise<Recalled & { readonly recorded: Pick<RunFile, 'keys' | 'dedupe' | 'skipSent'> }> {
  const { dedupe } = options;
  const skips = options.skipDelivered || !contracts[type].deduplicates;
  const recorded = { dedupe: dedupe || undefined, keys: dedupe || (skips && baseUrl !== undefined) || undefined };
  if (!skips || baseUrl === undefined || options.again) {
    return { seen: dedupe ? new SentRecords({ dedupe }) : undefined, recorded, warnings: [] };
  }
  const { asOf, ...loaded } = await load(folders, { type, baseUrl, now: now.getTime() }, { dedupe, isShard });
  const skipSent = asOf === undefined ? undefined : new Date(asOf).toISOString();
  return { ...loaded, recorded: { ...recorded, skipSent } };
}

/** The same for a run that is resumed, as of the time when it began. */
export async function recallAgain(state: string | undefined, runFile: RunFile, ownFolder: string): Promise<Recalled> {
  const { type, baseUrl, startedAt, dedupe = false, skipSent, shard } = runFile;
  if (skipSent === undefined) return { seen: dedupe ? new SentRecords({ dedupe }) : undefined, warnings: [] };
  const request = { type, baseUrl, now: Date.parse(startedAt), asOf: Date.parse(skipSent), ownFolder };
  const root = path.dirname(path.resolve(ownFolder));
  return load({ state, root }, request, { dedupe, isShard: shard !== undefined });
}

/**
 * Refuses to send events, which nothing deduplicates, if it is not known what was sent, or if it could not be recorded.
 *
 * @param warnings of {@link recall}
 * @throws ProblemError
 */
export async function assertHistory(
  state: string | undefined,
  { type, baseUrl }: Service,
  warnings: readonly Problem[] = [],
  hint = '',
): Promise<void> {
  if (contracts[type].deduplicates) return;
  const [problem] =
    state === undefined
      ? [noStateFolder()]
      : warnings.length > 0
        ? warnings
        : await checkRecording(state, { type, baseUrl });
  if (problem === undefined) return;
  const message = `${problem.message} The API documents no deduplication of events, so nothing was sent.`;
  throw new ProblemError({ ...problem, message, hint: [problem.hint, hint].filter(Boolean).join(' ') });
}

interface Folders {
  /** The state folder. Undefined if there is none. */
  readonly state: string | undefined;
  /** The folder of runs. */
  readonly root: string;
}

async function load(
  { state, root }: Folders,
  request: Omit<HistoryRequest, 'state' | 'root'>,
  { dedupe, isShard }: { readonly dedupe: boolean; readonly isShard: boolean },
): Promise<Recalled & { readonly asOf?: number }> {
  const own = dedupe ? new SentRecords({ dedupe }) : undefined;
  if (state === undefined) return { seen: own, warnings: [noStateFolder()] };
  // Each machine has its own history, and all shards must cut the same batches.
  const sent = isShard ? new SentRecords({ dedupe: false }) : (own ?? new SentRecords({ dedupe }));
  const loaded = await loadHistory({ ...request, state, root }, sent);
  return { ...(isShard ? { seen: own, sent } : { seen: sent }), ...loaded };
}
