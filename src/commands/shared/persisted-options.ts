/**
 * What was said of delivery when a run began, and holds when it goes on. Flags alone are kept: what the environment and
 * a profile say, they say again. What is said when the run goes on comes before what is kept. Consent is kept for the
 * run that it was given to, and for no replay: `--on-unknown resend` may count events twice.
 */
import type { RunFile } from '../../journal/run-file.ts';
import type { ResolvedSettings } from '../../settings/resolve-settings.ts';
import type { Options } from './command.ts';
import { flagNamed, text } from './options.ts';

/** As run.json keeps it. */
export type Said = NonNullable<RunFile['delivery']>;

const TEXTS = [
  'concurrency',
  'rate',
  'timeout',
  'retries',
  'retryMaxTime',
  'maxWait',
  'onUnknown',
  'grace',
  'maxInvalid',
  'minRows',
] as const satisfies readonly (keyof Said)[];

/** What run.json keeps of the options of a run that begins. */
export function saidOf(options: Options): Pick<RunFile, 'delivery'> {
  const delivery: Said = {
    ...Object.fromEntries(
      TEXTS.flatMap((name) => {
        const given = text(options, name);
        return given === undefined ? [] : [[name, given]];
      }),
    ),
    ...(options['isolate'] === true ? { isolate: true } : {}),
    ...(options['canary'] === false ? { canary: false } : {}),
    ...(options['fsync'] === true ? { fsync: true } : {}),
  };
  return Object.keys(delivery).length === 0 ? {} : { delivery };
}

/** The profile in use, where something came from it: its address and its key belong together. */
export function profileOf({
  profile,
  origins,
}: Pick<ResolvedSettings, 'profile' | 'origins'>): Pick<RunFile, 'profile'> {
  return Object.values(origins).includes(`profile ${profile}`) ? { profile } : {};
}

export interface Heard {
  /** What was said now, and of the rest what is kept. */
  readonly options: Options;
  /** The kept flags among them, as typed. */
  readonly kept: readonly string[];
}

/** The options of a run that goes on. */
export function heardAgain(options: Options, { delivery = {} }: Pick<RunFile, 'delivery'>): Heard {
  const kept = Object.entries(delivery).filter(([name, value]) =>
    value === false ? options[name] !== false : options[name] === undefined,
  );
  return {
    options: { ...options, ...Object.fromEntries(kept) },
    kept: kept.flatMap(([name, value]) => {
      if (typeof value === 'string') return [flagNamed(name), value];
      return [value === false ? flagNamed(`no-${name}`) : flagNamed(name)];
    }),
  };
}

/** The same run without its limits of rows. */
export function withoutLimits({ delivery = {} }: Pick<RunFile, 'delivery'>): Pick<RunFile, 'delivery'> {
  const { maxInvalid: _invalid, minRows: _rows, ...rest } = delivery;
  return { delivery: rest };
}

/** What a replay keeps of the run that it replays: it has no rows to count, and asks for consent of its own. */
export function ofReplay({ delivery = {} }: Pick<RunFile, 'delivery'>): Pick<RunFile, 'delivery'> {
  const { onUnknown: _consent, ...rest } = delivery;
  return withoutLimits({ delivery: rest });
}
