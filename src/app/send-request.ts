/** The options of upload and resume as values: the settings in effect, and the options that run.json records. */
import type { RunFile, StoredRun } from '../journal/run-file.ts';
import type { RunFolder } from '../journal/run-folder.ts';
import type { Suggest } from '../lib/shell.ts';
import type { Shard } from '../model/batch.ts';
import { ProblemError } from '../model/problem.ts';
import type { SettingOptions } from '../options/option-table.ts';
import { type ResolvedSettings, resolveSettings, type SettingsInput } from '../options/resolve-settings.ts';
import { restoreOptions } from '../options/run-options.ts';
import { createSuggest, destinationOptions } from '../options/suggest.ts';
import type { FailOn } from '../report/run-summary.ts';
import type { Surroundings } from './context.ts';
import { readStoredRun } from './open-run.ts';
import { divideSettings, parseShard } from './shard.ts';

/** Options that are no settings, and are passed on as they are. */
interface PassedOn {
  readonly shard?: string | undefined;
  readonly failOn?: FailOn | undefined;
  readonly yes?: boolean | undefined;
}

export interface SendRequest extends ResolvedSettings, Omit<PassedOn, 'shard'> {
  readonly given: SettingsInput;
  /** Its settings are those of this shard. Absent if the run is not divided. */
  readonly shard?: Shard | undefined;
}

/**
 * @param run the run that is resumed. Absent: a new one, whose shard is an option
 * @throws ProblemError for every setting that is not valid
 */
export async function resolveRequest(
  context: Pick<SettingsInput, 'env' | 'invocation'>,
  options: SettingOptions & PassedOn,
  run?: Pick<RunFile, 'profile' | 'shard'>,
): Promise<SendRequest> {
  const { failOn, yes } = options;
  const shard = run === undefined ? parseShard(options.shard, context.env ?? {}) : run.shard;
  const given = { ...context, ...options, runProfile: run?.profile };
  const resolved = await resolveSettings(given);
  const { settings } = resolved;
  if (settings.rateStore !== undefined && settings.rate === undefined) {
    throw new ProblemError({
      code: 'settings.rate_store',
      message: 'The setting rate_store needs --rate: the rate that all processes share.',
      hint: 'Add --rate, such as --rate 100/s: the same for all.',
    });
  }
  return { ...resolved, settings: divideSettings(settings, shard), given, shard, failOn, yes };
}

/** A run that is resumed or explained. */
export interface ReopenedRun extends StoredRun {
  /** The words of this command, for a suggestion. */
  readonly words: readonly string[];
  readonly suggest: Suggest;
  readonly request: SendRequest;
}

export interface Reopened<T> {
  readonly run: ReopenedRun;
  readonly given: T;
  /** Those in effect: with those that run.json keeps. */
  readonly options: T;
}

/** @param restored what the command takes over from the options that the run was started with */
export async function reopenRun<T extends SettingOptions & PassedOn & { readonly again: boolean }>(
  context: Surroundings,
  given: T,
  folder: RunFolder,
  restored: (file: RunFile) => Pick<RunFile, 'settings'> = (file) => file,
): Promise<Reopened<T>> {
  const { file } = await readStoredRun(folder);
  const { options } = restoreOptions(given, restored(file));
  const suggest = createSuggest(context, options, { again: false, ...destinationOptions(file) });
  const request = await resolveRequest(context, options, file);
  const words = context.argv.includes('--all') ? ['resume', folder.id] : context.argv;
  return { run: { folder, file, words, suggest, request }, given, options };
}
