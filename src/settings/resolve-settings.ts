/**
 * flag > environment > profile > default. Two steps: first the text of each setting with its origin, from wherever
 * it comes first; then what the text means. So a bad value that is not used harms nobody, and `config list` can
 * say of each value where it comes from.
 */
import { type Problem, ProblemError } from '../model/problem.ts';
import type { RecordType, Variant } from '../model/record.ts';
import type { Rate } from './parse-values.ts';
import { type Profile, type ProfilesRead, readProfiles } from './profiles.ts';
import { flagOf, problemOf, type SettingName, settingNames, specs, type Values } from './setting-table.ts';

/** What a command was given, unread. */
export interface Given {
  /** Texts of flags. The key has no flag: it would show in `ps`. */
  readonly flags: Readonly<Partial<Record<Exclude<SettingName, 'api_key'>, string | undefined>>>;
  /** `--api-key-file`. */
  readonly apiKeyFile?: string | undefined;
  /** `--profile`. */
  readonly profile?: string | undefined;
  /** The profile with which the run that goes on was begun. Before any other that `--profile` does not name. */
  readonly begunWith?: string | undefined;
  /** `--allow-http`. */
  readonly allowHttp?: boolean | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** How the program was called, for the commands in hints. Default: `signals`. */
  readonly invocation?: string | undefined;
}

export type Origin = 'flag' | 'environment' | `profile ${string}` | 'default';

/** Durations in milliseconds, sizes in bytes. Never the key: see settings/key.ts. */
export interface Settings {
  readonly baseUrl?: string;
  readonly type?: RecordType;
  readonly variant: Variant | 'auto';
  readonly concurrency: number;
  readonly rate?: Rate;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly maxWaitMs: number;
  /** Absent: the caller chooses, by whether there is a terminal (delivery.md, "Outages"). */
  readonly retryMaxTimeMs?: number;
  readonly batchSize: number;
  readonly maxBytes: number;
  readonly onUnknown: 'hold' | 'resend';
  readonly out: string;
}

export interface Resolved {
  readonly settings: Settings;
  /** Where each value comes from. A setting that nobody gave, and that has no default, is absent. */
  readonly origins: Readonly<Partial<Record<SettingName, Origin>>>;
  /** The profile in use, whether or not anything came from it. */
  readonly profile: string;
  readonly warnings: readonly Problem[];
}

/**
 * The settings of a command, all but the key.
 *
 * @throws ProblemError `settings.value` for each text that means nothing, `settings.profile` where a named profile
 *   does not exist
 */
export async function resolveSettings(given: Given): Promise<Resolved> {
  const { profile, raws, warnings } = await gather(given);
  const faults: Problem[] = [];
  const read = <N extends SettingName>(name: N): Values[N] | undefined => {
    const raw = raws.get(name);
    if (raw?.text === undefined) return undefined;
    const parsed = specs[name].parse(raw.text, optionsOf(given));
    if ('value' in parsed) return parsed.value;
    faults.push(problemOf(parsed.fault, raw.where));
    return undefined;
  };
  const found = {
    baseUrl: read('base_url'),
    type: read('type'),
    rate: read('rate'),
    retryMaxTimeMs: read('retry_max_time'),
    variant: read('variant'),
    concurrency: read('concurrency'),
    timeoutMs: read('timeout'),
    retries: read('retries'),
    maxWaitMs: read('max_wait'),
    batchSize: read('batch_size'),
    maxBytes: read('max_bytes'),
    onUnknown: read('on_unknown'),
    out: read('out'),
  };
  if (faults.length > 0) throw new ProblemError(faults);
  const { baseUrl, type, rate, retryMaxTimeMs } = found;
  return {
    settings: {
      ...(baseUrl === undefined ? {} : { baseUrl }),
      ...(type === undefined ? {} : { type }),
      ...(rate === undefined ? {} : { rate }),
      ...(retryMaxTimeMs === undefined ? {} : { retryMaxTimeMs }),
      variant: present('variant', found.variant),
      concurrency: present('concurrency', found.concurrency),
      timeoutMs: present('timeout', found.timeoutMs),
      retries: present('retries', found.retries),
      maxWaitMs: present('max_wait', found.maxWaitMs),
      batchSize: present('batch_size', found.batchSize),
      maxBytes: present('max_bytes', found.maxBytes),
      onUnknown: present('on_unknown', found.onUnknown),
      out: present('out', found.out),
    },
    origins: Object.fromEntries([...raws].map(([name, raw]) => [name, raw.origin])),
    profile,
    warnings,
  };
}

/** A setting as `config list` shows it. */
export interface Described {
  readonly name: SettingName;
  /** Absent where nobody gave it, and where it is a secret or cannot be used. */
  readonly text?: string;
  /** Absent where nobody gave it. */
  readonly origin?: Origin;
  /** What is wrong with it. */
  readonly problem?: Problem;
}

/**
 * Every setting in the order of the table, with its origin. A bad value is told and does not stop the rest.
 *
 * @throws ProblemError `settings.profile` where a named profile does not exist
 */
export async function describeSettings(given: Given): Promise<{
  readonly described: readonly Described[];
  readonly profile: string;
  readonly path?: string;
  readonly warnings: readonly Problem[];
}> {
  const { profile, path, raws, warnings } = await gather(given);
  const described = settingNames.map((name): Described => {
    const raw = raws.get(name);
    if (raw === undefined) return { name };
    const { origin, text } = raw;
    if (text === undefined) return { name, origin };
    const parsed = specs[name].parse(text, optionsOf(given));
    if ('fault' in parsed) return { name, origin, problem: problemOf(parsed.fault, raw.where) };
    return specs[name].secret ? { name, origin } : { name, origin, text: textOf(parsed.value, text) };
  });
  return { described, profile, ...(path === undefined ? {} : { path }), warnings };
}

/** The text of a value that was parsed: texts in their normal form, numbers as they were written. */
export function textOf(value: unknown, text: string): string {
  return typeof value === 'string' ? value : text.trim();
}

/** One setting's text, before anybody asked what it means. */
export interface Raw {
  readonly origin: Origin;
  /** For messages: `--rate`, `SIGNALS_RATE`, `rate in profile default`. */
  readonly where: string;
  /** Absent where it stands in a file of its own, `file`. */
  readonly text?: string;
  readonly file?: string;
}

/**
 * The first step: each setting's text, from the first origin that has it. An empty environment variable counts as
 * none, as is usual; an empty flag counts.
 */
export async function gather(given: Given): Promise<{
  readonly profile: string;
  readonly path?: string;
  readonly raws: ReadonlyMap<SettingName, Raw>;
  readonly warnings: readonly Problem[];
}> {
  const file = await readProfiles(given.env);
  const { name: profile, values, missing } = choose(given, file);
  const raws = new Map<SettingName, Raw>();
  for (const name of settingNames) {
    const raw =
      name === 'api_key' ? rawKey(given, profile, values) : rawSetting(name, given, profile, values);
    if (raw !== undefined) raws.set(name, raw);
  }
  const warnings = [...file.warnings, ...(missing ?? []), ...strangers(profile, values, file)];
  return { profile, ...(file.path === undefined ? {} : { path: file.path }), raws, warnings };
}

function rawSetting(
  name: Exclude<SettingName, 'api_key'>,
  given: Given,
  profile: string,
  values: Profile,
): Raw | undefined {
  const spec = specs[name];
  const flag = given.flags[name];
  if (flag !== undefined) return { origin: 'flag', where: flagOf(name), text: flag };
  const variable = given.env[spec.env];
  if (variable !== undefined && variable !== '') {
    return { origin: 'environment', where: spec.env, text: variable };
  }
  const kept = rawKept(name, profile, values);
  if (kept !== undefined) return kept;
  return spec.default === undefined ? undefined : { origin: 'default', where: name, text: spec.default };
}

/** `--api-key-file` > SIGNALS_API_KEY > SIGNALS_API_KEY_FILE > profile. */
function rawKey(given: Given, profile: string, values: Profile): Raw | undefined {
  if (given.apiKeyFile !== undefined) {
    return { origin: 'flag', where: '--api-key-file', file: given.apiKeyFile };
  }
  const { SIGNALS_API_KEY: text, SIGNALS_API_KEY_FILE: file } = given.env;
  if (text !== undefined && text !== '') return { origin: 'environment', where: 'SIGNALS_API_KEY', text };
  if (file !== undefined && file !== '')
    return { origin: 'environment', where: 'SIGNALS_API_KEY_FILE', file };
  return rawKept('api_key', profile, values);
}

function rawKept(name: SettingName, profile: string, values: Profile): Raw | undefined {
  const text = values.get(name);
  if (text === undefined) return undefined;
  return { origin: `profile ${profile}`, where: `${name} in profile ${profile}`, text };
}

interface Chosen {
  readonly name: string;
  readonly values: Profile;
  /** That the run was begun with a profile which is not here. */
  readonly missing?: readonly Problem[];
}

/**
 * The profile in use: `--profile` > that of the run > SIGNALS_PROFILE > the file's current one. One that was asked for
 * must exist; that of a run need not, because whoever goes on with it may have another machine and a key of their own.
 */
function choose(given: Given, file: ProfilesRead): Chosen {
  const { begunWith } = given;
  if (given.profile === undefined && begunWith !== undefined) {
    const values = file.byName.get(begunWith);
    if (values !== undefined) return { name: begunWith, values };
  }
  const asked = askedProfile(given);
  const name = asked ?? file.current;
  const values = file.byName.get(name);
  if (values !== undefined || asked === undefined) {
    const isMissing = given.profile === undefined && begunWith !== undefined;
    return {
      name,
      values: values ?? new Map(),
      ...(isMissing ? { missing: [notHere(begunWith, name)] } : {}),
    };
  }
  if (file.problem !== undefined) throw new ProblemError(file.problem);
  throw new ProblemError(noSuchProfile(asked, file, given.invocation ?? 'signals'));
}

/** The profile that flag or environment names. */
export function askedProfile(given: Pick<Given, 'profile' | 'env'>): string | undefined {
  const variable = given.env['SIGNALS_PROFILE'];
  return given.profile ?? (variable === '' ? undefined : variable);
}

export function noSuchProfile(
  name: string,
  file: { readonly byName: ReadonlyMap<string, Profile> },
  invocation: string,
): Problem {
  const names = [...file.byName.keys()];
  const there = names.length === 0 ? 'no profiles exist yet' : `the profiles are: ${names.join(', ')}`;
  return {
    code: 'settings.profile',
    message: `Profile "${name}" does not exist; ${there}.`,
    hint: `To create a profile, save a setting in it: \`${invocation} config set --profile NAME base_url https://…\`.`,
  };
}

function notHere(begunWith: string, used: string): Problem {
  return {
    code: 'settings.profile',
    message: `The run was started with profile ${begunWith}, which does not exist here; using profile ${used}.`,
    hint: 'To use another key, pass --profile or --api-key-file.',
  };
}

/** Warnings for what a profile holds and nobody reads, such as a name with a typing mistake. */
function strangers(profile: string, values: Profile, file: ProfilesRead): readonly Problem[] {
  const known: ReadonlySet<string> = new Set(settingNames);
  const names = [...values.keys()].filter((name) => !known.has(name));
  if (names.length === 0) return [];
  return [
    {
      code: 'settings.name',
      message: `Profile ${profile} contains unknown settings, which are ignored: ${names.join(', ')}.`,
      ...(file.path === undefined ? {} : { where: file.path }),
      hint: `Known settings: ${settingNames.join(', ')}.`,
    },
  ];
}

function optionsOf(given: Given): { allowHttp?: boolean } {
  return given.allowHttp === true ? { allowHttp: true } : {};
}

/** A setting with a default has a value, or the table of settings is wrong. */
function present<T>(name: SettingName, value: T | undefined): T {
  if (value === undefined) throw new Error(`setting ${name} has no default`);
  return value;
}
