/** The options of upload, resume and replay as values: the settings in effect, and the options that run.json records. */
import type { RunFile } from '../../journal/run-file.ts';
import { ProblemError } from '../../model/problem.ts';
import type { Shard } from '../../model/shard.ts';
import type { RowLimits } from '../../run/row-limits.ts';
import { count, duration, issue, type Parsed } from '../../settings/parse-values.ts';
import { type ResolvedSettings, resolveSettings, type SettingsInput } from '../../settings/resolve-settings.ts';
import { parseOption } from '../../settings/setting-table.ts';
import { parsePercent } from './option.ts';
import {
  type DeliveryOptions,
  givenSettings,
  type LimitOptions,
  type OutputOptions,
  type Resolve,
  type SettingOptions,
  type SettingsContext,
} from './options.ts';
import { divideSettings } from './shard.ts';

export interface SendRequest extends ResolvedSettings {
  readonly given: SettingsInput;
  /** Its settings are those of this shard. Absent if the run is not divided. */
  readonly shard?: Shard | undefined;
  /** How long requests in flight may continue after an interruption, in milliseconds. */
  readonly graceMs: number;
  readonly limits: RowLimits;
  readonly resolve?: Resolve | undefined;
  /** `--yes` */
  readonly yes: boolean;
}

type RequestOptions = SettingOptions &
  LimitOptions &
  Pick<DeliveryOptions, 'grace' | 'resolve'> &
  Pick<OutputOptions, 'yes'>;

/**
 * @param run the run that is resumed or replayed, or the shard of one that begins
 * @throws ProblemError for every flag and setting that is not valid
 */
export async function resolveRequest(
  context: SettingsContext,
  options: RequestOptions,
  run: Pick<RunFile, 'profile' | 'shard'> = {},
): Promise<SendRequest> {
  const { grace = '20s', maxInvalid, minRows, resolve, yes } = options;
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
    resolve,
    yes,
  };
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
