/**
 * The delivery options that run.json records when a run begins, so that a resume repeats them. Only flags are recorded:
 * the environment and the profile apply again. Options given to the resume override recorded ones.
 */
import { deliverySchema, type RunFile } from '../journal/run-file.ts';
import { flagOf } from './option-spec.ts';
import type { DeliveryOptions, LimitOptions } from './option-table.ts';
import { hasPassword } from './parse-values.ts';
import type { ResolvedSettings } from './resolve-settings.ts';

/** Values are recorded as typed. */
type RecordedOptions = NonNullable<RunFile['delivery']>;

type Options = Omit<RecordedOptions, 'isolate' | 'canary' | 'fsync'> &
  Pick<DeliveryOptions, 'isolate' | 'canary' | 'fsync'>;

/** What run.json records of the options of a run that begins. */
export function recordOptions(options: Options): Pick<RunFile, 'delivery'> {
  const { rateStore = '', isolate, canary, fsync } = options;
  const delivery = deliverySchema().parse({
    ...options,
    // Of a command the URL has no password, of the library it may: then it is not recorded.
    rateStore: rateStore === '' || hasPassword(rateStore) ? undefined : rateStore,
    isolate: isolate || undefined,
    canary: canary ? undefined : false,
    fsync: fsync || undefined,
  });
  return { delivery: Object.values(delivery).every((value) => value === undefined) ? undefined : delivery };
}

/** The profile in use, if a setting came from it: its base URL and its key belong together. */
export function recordProfile(resolved: Pick<ResolvedSettings, 'profile' | 'origins'>): Pick<RunFile, 'profile'> {
  const { profile, origins } = resolved;
  return { profile: Object.values(origins).includes(`profile ${profile}`) ? profile : undefined };
}

/** The options of a resumed run: recorded flags, unless they are given. `notes`: a line that lists them, if any. */
export function restoreOptions<T extends Options>(
  options: T,
  { delivery = {} }: Pick<RunFile, 'delivery'>,
): { readonly options: T & LimitOptions; readonly notes: readonly string[] } {
  const given: RecordedOptions = recordOptions(options).delivery ?? {};
  const missing = Object.entries(delivery).filter(
    ([name, value]) => value !== undefined && given[name as keyof RecordedOptions] === undefined,
  );
  const flags = missing.map(([name, value]) => {
    if (typeof value === 'string') return `${flagOf(name)} ${value}`;
    return value ? flagOf(name) : `--no-${name}`;
  });
  return {
    options: { ...options, ...Object.fromEntries(missing) },
    notes: flags.length === 0 ? [] : [`Using the original settings: ${flags.join(' ')}.`],
  };
}

/** The same run without `--max-invalid` and `--min-rows`. */
export function withoutLimits({ delivery = {} }: Pick<RunFile, 'delivery'>): Pick<RunFile, 'delivery'> {
  const { maxInvalid: _maxInvalid, minRows: _minRows, ...rest } = delivery;
  return { delivery: rest };
}

/**
 * What a replay takes over from the run it replays. It has no rows to count, and `--on-unknown resend` is consent for
 * that run only, because events may be counted twice.
 */
export function optionsForReplay({ delivery = {} }: Pick<RunFile, 'delivery'>): Pick<RunFile, 'delivery'> {
  const { onUnknown: _consent, ...rest } = delivery;
  return withoutLimits({ delivery: rest });
}
