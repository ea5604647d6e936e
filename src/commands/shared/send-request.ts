/** The options of upload, resume and replay as values: the settings in effect, and the options that run.json records. */
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
  type SettingOptions,
  type SettingsContext,
} from './options.ts';
import { readTlsFiles, type TlsFiles } from './tls-files.ts';

export interface SendRequest extends ResolvedSettings {
  readonly given: SettingsInput;
  /** How long requests in flight may continue after an interruption, in milliseconds. */
  readonly graceMs: number;
  readonly limits: RowLimits;
  readonly tls: TlsFiles;
  /** `--yes` */
  readonly yes: boolean;
}

type RequestOptions = SettingOptions &
  LimitOptions &
  Pick<DeliveryOptions, 'grace' | 'caFile' | 'clientCert' | 'clientKey'> &
  Pick<OutputOptions, 'yes'>;

/**
 * @param runProfile the profile of the run that is resumed or replayed
 * @throws ProblemError for every flag and setting that is not valid
 */
export async function resolveRequest(
  context: SettingsContext,
  options: RequestOptions,
  runProfile?: string,
): Promise<SendRequest> {
  const { grace = '20s', maxInvalid, minRows, yes } = options;
  const given = givenSettings(context, options, runProfile);
  return {
    ...(await resolveSettings(given)),
    given,
    graceMs: parseOption('--grace', grace, duration({ min: '0s', max: '1h' })),
    limits: {
      maxInvalid: maxInvalid === undefined ? undefined : parseOption('--max-invalid', maxInvalid, parseInvalidLimit),
      minRows: minRows === undefined ? undefined : parseOption('--min-rows', minRows, parseRows),
    },
    tls: readTlsFiles(options),
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
