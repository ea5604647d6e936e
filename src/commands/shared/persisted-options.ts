/**
 * The options of delivery that run.json records when a run begins, so that a resume repeats them. Only flags are
 * recorded: the environment and the profile apply again. Options given to the resume override recorded ones.
 */
import type { RunFile } from '../../journal/run-file.ts';
import type { ResolvedSettings } from '../../settings/resolve-settings.ts';
import { flagNamed } from './option.ts';
import type { DeliveryOptions, LimitOptions } from './options.ts';

/** As typed, as run.json records them. */
export type PersistedOptions = NonNullable<RunFile['delivery']>;

type Options = LimitOptions & { readonly rate?: string | undefined } & Pick<
    DeliveryOptions,
    Exclude<keyof PersistedOptions, keyof LimitOptions | 'rate'>
  >;

/** What run.json records of the options of a run that begins. */
export function persistOptions(options: Options): Pick<RunFile, 'delivery'> {
  const { isolate, canary, fsync } = options;
  const delivery: PersistedOptions = {
    concurrency: options.concurrency,
    rate: options.rate,
    timeout: options.timeout,
    retries: options.retries,
    retryMaxTime: options.retryMaxTime,
    maxWait: options.maxWait,
    onUnknown: options.onUnknown,
    grace: options.grace,
    maxInvalid: options.maxInvalid,
    minRows: options.minRows,
    isolate: isolate ? true : undefined,
    canary: canary ? undefined : false,
    fsync: fsync ? true : undefined,
  };
  return Object.values(delivery).every((value) => value === undefined) ? {} : { delivery };
}

/** The profile in use, if a setting came from it: its base URL and its key belong together. */
export function persistProfile({
  profile,
  origins,
}: Pick<ResolvedSettings, 'profile' | 'origins'>): Pick<RunFile, 'profile'> {
  return Object.values(origins).includes(`profile ${profile}`) ? { profile } : {};
}

/** The options of a resumed run, and the recorded flags among them, as typed. */
export function restoreOptions<T extends Options>(
  options: T,
  { delivery = {} }: Pick<RunFile, 'delivery'>,
): { readonly options: T & LimitOptions; readonly restored: readonly string[] } {
  const given: PersistedOptions = persistOptions(options).delivery ?? {};
  const missing = Object.entries(delivery).filter(
    ([name, value]) => value !== undefined && given[name as keyof PersistedOptions] === undefined,
  );
  return {
    options: { ...options, ...Object.fromEntries(missing) },
    restored: missing.flatMap(([name, value]) => {
      if (typeof value === 'string') return [flagNamed(name), value];
      return [value === false ? flagNamed(`no-${name}`) : flagNamed(name)];
    }),
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
