/** The options of upload, resume and replay as values: the settings in effect, and the options that run.json records. */
import { type RunFile, readRunFile } from '../../journal/run-file.ts';
import { assertPlainFiles, type RunFolder } from '../../journal/run-folder.ts';
import type { Suggest } from '../../lib/shell.ts';
import { ProblemError } from '../../model/problem.ts';
import type { Shard } from '../../model/shard.ts';
import { type OptionValues, parsePercent } from '../../options/option-spec.ts';
import {
  type DeliveryOptions,
  givenSettings,
  type LimitOptions,
  type leftoverOptions,
  type OutputOptions,
  type SettingOptions,
  type SettingsContext,
} from '../../options/option-table.ts';
import { count, duration, issue, type Parsed } from '../../options/parse-values.ts';
import { type ResolvedSettings, resolveSettings, type SettingsInput } from '../../options/resolve-settings.ts';
import { restoreOptions } from '../../options/run-options.ts';
import { parseOption } from '../../options/setting-table.ts';
import { createSuggest, destinationOptions } from '../../options/suggest.ts';
import type { RowLimits } from '../../run/row-limits.ts';
import type { Context } from './command.ts';
import { divideSettings } from './shard.ts';

/** Options that are passed on as they are. */
type PassedOn = Pick<DeliveryOptions, 'isolate' | 'canary' | 'resolve'> & Pick<OutputOptions, 'failOn' | 'yes'>;

export interface SendRequest extends ResolvedSettings, PassedOn {
  readonly given: SettingsInput;
  /** Its settings are those of this shard. Absent if the run is not divided. */
  readonly shard?: Shard | undefined;
  /** How long requests in flight may continue after an interruption, in milliseconds. */
  readonly graceMs: number;
  readonly limits: RowLimits;
}

/**
 * @param run the run that is resumed or replayed, or the shard of one that begins
 * @throws ProblemError for every flag and setting that is not valid
 */
export async function resolveRequest(
  context: SettingsContext,
  options: SettingOptions & LimitOptions & PassedOn & Pick<DeliveryOptions, 'grace'>,
  run: Pick<RunFile, 'profile' | 'shard'> = {},
): Promise<SendRequest> {
  const { grace = '20s', maxInvalid, minRows, isolate, canary, resolve, failOn, yes } = options;
  const given = givenSettings(context, options, run.profile);
  const resolved = await resolveSettings(given);
  if (resolved.settings.rateStore !== undefined && resolved.settings.rate === undefined) {
    throw new ProblemError({
      code: 'settings.rate_store',
      message: '--rate-store (SIGNALS_RATE_STORE) needs --rate: the rate that all processes share.',
      hint: 'Add --rate, such as --rate 100/s: the same for all.',
    });
  }
  return {
    ...resolved,
    settings: divideSettings(resolved.settings, run.shard),
    given,
    shard: run.shard,
    graceMs: parseOption('--grace', grace, duration({ min: '0s', max: '1h' })),
    limits: {
      maxInvalid: maxInvalid === undefined ? undefined : parseOption('--max-invalid', maxInvalid, parseInvalidLimit),
      minRows: minRows === undefined ? undefined : parseOption('--min-rows', minRows, parseRows),
    },
    isolate,
    canary,
    resolve,
    failOn,
    yes,
  };
}

/** A run that is resumed, replayed or explained. */
export interface ReopenedRun {
  readonly folder: RunFolder;
  readonly runFile: RunFile;
  /** The words of this command, for a suggestion. */
  readonly words: readonly string[];
  readonly suggest: Suggest;
  readonly request: SendRequest;
}

/**
 * @param restored what the command takes over from the options that the run was started with
 * @returns also the options in effect, and a line that lists the restored ones
 */
export async function reopenRun<T extends OptionValues<typeof leftoverOptions>>(
  context: Context,
  given: T,
  folder: RunFolder,
  restored: (runFile: RunFile) => Pick<RunFile, 'delivery'> = (runFile) => runFile,
) {
  assertPlainFiles(folder.path);
  const runFile = await readRunFile(folder.path);
  const { options, notes } = restoreOptions(given, restored(runFile));
  const suggest = createSuggest(context, options, { again: false, ...destinationOptions(runFile) });
  const request = await resolveRequest(context, options, runFile);
  const words = context.argv.includes('--all') ? ['resume', folder.id] : context.argv;
  const run: ReopenedRun = { folder, runFile, words, suggest, request };
  return { run, options, notes };
}

const parseRows = count(0, Number.MAX_SAFE_INTEGER);

/** `N` rows or `N%`. */
function parseInvalidLimit(text: string): Parsed<NonNullable<RowLimits['maxInvalid']>> {
  const percent = parsePercent(text);
  if (percent !== undefined) return { value: { percent } };
  const rows = parseRows(text);
  return 'value' in rows
    ? { value: { rows: rows.value } }
    : issue(text, 'a number of rows, or a percentage such as 5%');
}
