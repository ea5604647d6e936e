/**
 * Resolves the settings of the option table: option > environment > profile > default. First the text of each is read from
 * the first origin that has it, then it is parsed. So an invalid value that is not used does no harm, and `config list`
 * shows origins.
 */
import { type Problem, ProblemError } from '../model/problem.ts';
import {
  type OptionSpec,
  type OptionTable,
  type Setting,
  settingProblem,
  settingsOf,
  usageError,
  whereOf,
} from './option-spec.ts';
import { optionTable, type SettingName, type SettingOptions, type Settings } from './option-table.ts';
import { hasPassword, hidePassword, type Parsed, type ParseOptions, parseChoice } from './parse-values.ts';
import { type LoadedProfiles, NO_PROFILES, type Profile, type Profiles, readProfiles } from './profiles.ts';

export type SettingsInput = SettingOptions & {
  readonly sandbox?: boolean | undefined;
  /** Absent: neither the environment nor the profiles are read. */
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** How the program was called, for the commands in hints. Default: `signals`. */
  readonly invocation?: string | undefined;
  /** The profile that the resumed run was started with. Only `--profile` takes precedence over it. */
  readonly runProfile?: string | undefined;
};

export type Origin = 'flag' | 'environment' | `profile ${string}` | 'default';

export interface ResolvedSettings {
  /** Never the key: see api-key.ts. */
  readonly settings: Settings;
  /** Absent for settings without a value. */
  readonly origins: Readonly<Partial<Record<SettingName, Origin>>>;
  /** The profile in use, even if no setting came from it. */
  readonly profile: string;
  readonly warnings: readonly Problem[];
}

/**
 * @throws ProblemError `settings.value` for each invalid value, `settings.password` for an option that contains one,
 *   `settings.profile` if a named profile does not exist, `usage` if the options name two destinations
 */
export async function resolveSettings(
  given: SettingsInput,
  table: OptionTable = optionTable,
): Promise<ResolvedSettings> {
  if (given.sandbox === true && given.baseUrl !== undefined) {
    throw usageError('Pass either --sandbox or --base-url, not both: the sandbox has its own URL.');
  }
  const { described, profile, warnings } = await describeSettings(given, table);
  const settings = described.filter(({ name }) => table[name]?.secret !== true);
  const problems = settings.flatMap(({ problem }) => problem ?? []);
  if (problems.length > 0) throw new ProblemError(problems);
  const values = settings.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]]));
  const origins = described.flatMap(({ name, origin }) => (origin === undefined ? [] : [[name, origin]]));
  return {
    settings: Object.fromEntries(values) as Settings,
    origins: Object.fromEntries(origins),
    profile,
    warnings,
  };
}

interface DescribedSetting {
  readonly name: string;
  readonly key: string;
  readonly origin?: Origin;
  /** A secret is only reported as set. Absent without a value, and for an invalid value. */
  readonly text?: string;
  readonly value?: unknown;
  readonly problem?: Problem;
}

/** Reports invalid values, and does not throw. @throws ProblemError `settings.profile` if a named profile does not exist */
export async function describeSettings(given: SettingsInput, table: OptionTable = optionTable) {
  const { profile, path, raws, warnings } = await readSettingTexts(given, table);
  const described = settingsOf(table).map((setting): DescribedSetting => {
    const { name, key, spec } = setting;
    const raw = raws.get(name);
    if (raw === undefined) return { name, key };
    const { origin, text, where } = raw;
    if (text === undefined) return { name, key, origin, text: 'set' };
    const parsed = parseSetting(spec, text, given);
    if ('issue' in parsed) return { name, key, origin, problem: settingProblem(parsed.issue, where) };
    const isVisible = origin === 'flag' && given.env !== undefined && spec.mayHavePassword && hasPassword(text);
    if (isVisible) return { name, key, origin, problem: passwordProblem(setting, where) };
    if (spec.secret) return { name, key, origin, text: 'set' };
    return { name, key, origin, text: hidePassword(textOf(parsed.value, text)), value: parsed.value };
  });
  return { described, profile, path, warnings };
}

export function parseSetting({ parse, choices }: OptionSpec, text: string, given: ParseOptions): Parsed<unknown> {
  if (parse !== undefined) return parse(text, given);
  return choices === undefined ? { value: text } : parseChoice(choices)(text);
}

/** A password in an argument: other users see it in the process list, and the shell saves it in its history. */
export function passwordProblem({ key, variable }: Setting, where: string): Problem {
  return {
    code: 'settings.password',
    message: 'The URL contains a password, and other users can see arguments in the process list.',
    where,
    hint: `Set ${variable} instead, or save it with \`config set ${key}\`, which reads it from a prompt or a pipe.`,
  };
}

/** A parsed value as text: normalised if it is text, else as written. */
export function textOf(value: unknown, text: string): string {
  return typeof value === 'string' ? value : text.trim();
}

interface SettingText {
  readonly origin: Origin;
  /** For messages: `--rate`, `SIGNALS_RATE`, `rate in profile default`. */
  readonly where: string;
  /** Absent if the value is in `file`. */
  readonly text?: string | undefined;
  readonly file?: string | undefined;
}

/** Reads each setting's text from the first origin that has it. An empty environment variable counts as unset. */
export async function readSettingTexts(given: SettingsInput, table: OptionTable = optionTable) {
  const file = given.env === undefined ? NO_PROFILES : await readProfiles(given.env);
  const { name: profile, warnings } = choose(given, file);
  const values: Profile = file.byName.get(profile) ?? new Map();
  const raws = new Map<string, SettingText>();
  for (const setting of settingsOf(table)) {
    const raw = settingTexts(setting, given, { profile, values }).find(
      ({ text, file }) => text !== undefined || file !== undefined,
    );
    if (raw !== undefined) raws.set(setting.name, raw);
  }
  const unknown = unknownSettings(profile, values, file, table);
  return { profile, values, path: file.path, raws, warnings: [...file.warnings, ...warnings, ...unknown] };
}

function settingTexts(
  { name, key, variable, spec }: Setting,
  given: SettingsInput,
  { profile, values }: { readonly profile: string; readonly values: Profile },
): readonly SettingText[] {
  const { apiKeyFile, env = {} } = given;
  const options: Readonly<Record<string, unknown>> = given;
  const option = options[name];
  return [
    spec.secret
      ? { origin: 'flag', where: '--api-key-file', file: apiKeyFile }
      : { origin: 'flag', where: whereOf(name, spec), text: typeof option === 'string' ? option : undefined },
    { origin: 'environment', where: variable, text: env[variable] || undefined },
    ...(spec.secret ? [{ origin: 'environment', where: KEY_FILE, file: env[KEY_FILE] || undefined } as const] : []),
    { origin: `profile ${profile}`, where: `${key} in profile ${profile}`, text: values.get(key) },
    { origin: 'default', where: key, text: spec.default },
  ];
}

const KEY_FILE = 'SIGNALS_API_KEY_FILE';

/** `--profile` > that of the run, which may be missing on this machine > SIGNALS_PROFILE > the current one. */
function choose(
  given: SettingsInput,
  file: LoadedProfiles,
): { readonly name: string; readonly warnings: readonly Problem[] } {
  const runProfile = given.profile === undefined ? given.runProfile : undefined;
  if (runProfile !== undefined && file.byName.has(runProfile)) return { name: runProfile, warnings: [] };
  const requested = requestedProfile(given);
  if (requested !== undefined && !file.byName.has(requested)) {
    throw new ProblemError(file.problem ?? noSuchProfile(requested, file, given.invocation ?? 'signals'));
  }
  const name = requested ?? file.current;
  if (runProfile === undefined) return { name, warnings: [] };
  const warning = {
    code: 'settings.profile',
    message: `The run was started with profile ${runProfile}, which does not exist here; using profile ${name}.`,
    hint: 'To use another key, pass --profile or --api-key-file.',
  };
  return { name, warnings: [warning] };
}

export function requestedProfile(given: Pick<SettingsInput, 'profile' | 'env'>): string | undefined {
  const variable = given.env?.['SIGNALS_PROFILE'];
  return given.profile ?? (variable === '' ? undefined : variable);
}

export function noSuchProfile(name: string, { byName }: Profiles, invocation: string): Problem {
  const names = [...byName.keys()];
  const there = names.length === 0 ? 'no profiles exist yet' : `the profiles are: ${names.join(', ')}`;
  return {
    code: 'settings.profile',
    message: `Profile "${name}" does not exist; ${there}.`,
    hint: `To create a profile, save a setting in it: \`${invocation} config set --profile NAME base_url https://…\`.`,
  };
}

function unknownSettings(profile: string, values: Profile, file: LoadedProfiles, table: OptionTable) {
  const names = [...values.keys()].filter((name) => !settingsOf(table).some(({ key }) => key === name));
  if (names.length === 0) return [];
  const message = `Profile ${profile} contains unknown settings, which are ignored: ${names.join(', ')}.`;
  return [
    { code: 'settings.name', message, where: file.path, hint: 'For the settings: `signals help settings`.' },
  ] satisfies readonly Problem[];
}
