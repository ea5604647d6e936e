/**
 * What an entry of an option table says, and how the values of a command line are parsed by it. Shared options are in
 * option-table.ts, a command's own in its file. The start of every command loads this file, and not what parsers import.
 */
import { nearest } from '../lib/nearest.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import type { Parsed, ParseIssue, Parser } from './parse-values.ts';

/** An option, by its camel-cased name. Without `value`, `choices` and `list` it is a switch. */
export interface OptionSpec {
  /** For help: one sentence without its full stop. */
  readonly about: string;
  /** More about it, for the reference. Markdown. */
  readonly details?: string;
  readonly group?: string;
  readonly short?: string;
  readonly value?: string;
  readonly list?: true;
  /** The switch is on unless `--no-NAME` is given. */
  readonly off?: true;
  readonly choices?: readonly string[];
  readonly parse?: Parser<unknown>;
  readonly default?: string;
  /** What the default is, in words, if it is not a constant. */
  readonly defaultText?: string;
  /** A setting: it can come from the environment or a profile too. `only`: it has no flag, but `--setting KEY=VALUE`. */
  readonly setting?: 'also' | 'only';
  /** The environment variable of a setting, if it is not named like the setting. */
  readonly variable?: string;
  /** The value is never shown, and never an argument. */
  readonly secret?: true;
  /** A URL that may contain a password, which is never shown and never an argument: the process list would show it. */
  readonly mayHavePassword?: true;
  /** The commands that have it, if several share it. */
  readonly commands?: readonly string[];
  readonly common?: true;
  /** Every command accepts it, and only the help of the program lists it. */
  readonly everywhere?: true;
  /** run.json keeps a setting that was given, and a resume repeats it. */
  readonly record?: true;
  /** Suggestions of these commands repeat it. */
  readonly repeat?: readonly string[];
  /** Whether it decides how inputs are read and mapped, or what happens to their rows: `rows` are not in a mapping. */
  readonly reads?: 'mapping' | 'rows';
  /** The shards of an upload must agree on it, as run.json has it. The mapping is compared as a whole. */
  readonly agree?: true;
  /** The functions of the library that have it. */
  readonly library?: 'upload' | 'both';
}

export type OptionTable = Readonly<Record<string, OptionSpec>>;

/** The value of an option that is not a setting, or of a setting in effect. */
export type ParsedValue<S> = S extends { readonly list: true }
  ? readonly string[]
  : S extends { readonly parse: Parser<infer T> }
    ? T | undefined
    : S extends { readonly choices: readonly (infer C)[] }
      ? C | undefined
      : S extends { readonly value: string }
        ? string | undefined
        : boolean;

/** The options of a command. Settings stay text: what is in effect is known only after merging. */
export type OptionValues<T> = {
  readonly [K in keyof T as T[K] extends { readonly setting: string } ? never : K]: ParsedValue<T[K]>;
} & { readonly [K in keyof T as T[K] extends { readonly setting: string } ? K : never]?: string | undefined };

/** A value as typed. A repeatable option is an array; `--no-x` is `false`. */
export type RawValue = string | boolean | readonly string[] | undefined;

export type RawOptions = Readonly<Record<string, RawValue>>;

/** @throws ProblemError for the first value that is not valid */
export function parseOptions<T extends OptionTable>(table: T, given: RawOptions): OptionValues<T> {
  const raw = withSettings(table, given);
  const values = Object.entries(table).map(([name, spec]) => [name, parseRaw(name, spec, raw[name])]);
  return Object.fromEntries(values) as OptionValues<T>;
}

function parseRaw(name: string, spec: OptionSpec, raw: RawValue): unknown {
  if (spec.list) return Array.isArray(raw) ? raw : [];
  if (spec.value === undefined) return spec.off ? raw !== false : raw === true;
  if (typeof raw !== 'string') return undefined;
  // The command line refuses other values than the choices.
  return spec.setting === undefined && spec.parse !== undefined ? parseOption(flagOf(name), raw, spec.parse) : raw;
}

/** The options with the words of `--setting`, the last of each setting. A flag overrides them. */
function withSettings(table: OptionTable, given: RawOptions): RawOptions {
  const words = given['setting'];
  const settings = (Array.isArray(words) ? words : []).map((word) => readSettingWord(table, String(word)));
  return { ...Object.fromEntries(settings), ...given };
}

/** @throws ProblemError `usage` if the word is not KEY=VALUE */
function readSettingWord(table: OptionTable, word: string): readonly [name: string, text: string] {
  const at = word.indexOf('=');
  const key = at < 0 ? word : word.slice(0, at);
  const setting = settingNamed(table, key);
  if (setting.spec.secret) {
    throw usageError('The key is not accepted as an argument.', 'Set SIGNALS_API_KEY, or pass --api-key-file.');
  }
  if (at < 0) throw usageError(`--setting is "${key}": expected ${setting.key}=VALUE.`);
  return [setting.name, word.slice(at + 1)];
}

export type TypedOptions = ReadonlyMap<string, readonly string[]>;

export function typedOptions(table: OptionTable, given: RawOptions): TypedOptions {
  const raw = withSettings(table, given);
  return new Map(
    Object.entries(table).flatMap(([name, spec]) =>
      name === 'setting' ? [] : [[name, wordsOf(name, spec, raw[name])] as const],
    ),
  );
}

export function wordsOf(name: string, spec: OptionSpec, value: RawValue): readonly string[] {
  if (spec.setting === 'only') return typeof value === 'string' ? ['--setting', `${settingKey(name)}=${value}`] : [];
  if (typeof value !== 'boolean') return [value ?? []].flat().flatMap((each) => [flagOf(name), each]);
  return value === (spec.off === true) ? [] : [flagOf(name, spec)];
}

/** The options of a command that have a flag, without those of every command. */
export function ownFlags(table: OptionTable = {}): readonly (readonly [name: string, spec: OptionSpec])[] {
  return Object.entries(table).filter(([, { setting, everywhere }]) => setting !== 'only' && everywhere !== true);
}

export function flagsOf(name: string, spec: OptionSpec): string {
  const short = spec.short === undefined ? '' : `-${spec.short}, `;
  return `${short}${flagOf(name, spec)}${spec.value === undefined ? '' : ` <${spec.value}>`}`;
}

export function flagOf(name: string, spec: Pick<OptionSpec, 'off'> = {}): string {
  return `--${spec.off ? 'no-' : ''}${settingKey(name).replaceAll('_', '-')}`;
}

/** How a user gives an option or a setting on a command line: `--rate`, `--setting timeout`. */
export function whereOf(name: string, { setting }: Pick<OptionSpec, 'setting'>): string {
  return setting === 'only' ? `--setting ${settingKey(name)}` : flagOf(name);
}

/** The name of a setting for users: `max_bytes` for `maxBytes`. */
export function settingKey(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export interface Setting {
  readonly name: string;
  readonly key: string;
  readonly variable: string;
  readonly spec: OptionSpec;
}

export function settingsOf(table: OptionTable): readonly Setting[] {
  return Object.entries(table).flatMap(([name, spec]) => {
    const key = settingKey(name);
    const variable = spec.variable ?? `SIGNALS_${key.toUpperCase()}`;
    return spec.setting === undefined ? [] : [{ name, key, variable, spec }];
  });
}

/** `base-url` and `BASE_URL` are `base_url`. @throws ProblemError `usage` if there is none */
export function settingNamed(table: OptionTable, text: string): Setting {
  const wanted = text.trim().toLowerCase().replaceAll('-', '_');
  const settings = settingsOf(table);
  const found = settings.find(({ key }) => key === wanted);
  if (found !== undefined) return found;
  const message = `There is no setting "${text.slice(0, 40)}".`;
  const keys = settings.map(({ key }) => key);
  throw unknownWord(message, text, keys, 'For the settings: `signals help settings`.');
}

type More = Omit<OptionSpec, 'about'>;
type NoMore = Readonly<Record<never, never>>;

export function flag<const M extends More = NoMore>(
  about: string,
  more?: M & Known<M>,
): { readonly about: string } & NoInfer<M> {
  return { about, ...more } as { readonly about: string } & NoInfer<M>;
}

export function text<const V extends string, const M extends More = NoMore>(
  value: V,
  about: string,
  more?: M & Known<M>,
): { readonly value: V; readonly about: string } & NoInfer<M> {
  return { value, about, ...more } as { readonly value: V; readonly about: string } & NoInfer<M>;
}

export function repeated<const M extends More = NoMore>(value: string, about: string, more?: M & Known<M>) {
  return { list: true, ...text<string, M>(value, about, more) } as const;
}

/** One of a closed list. The command line refuses other values. */
export function choice<const T extends string, const M extends More = NoMore>(
  value: string,
  choices: readonly T[],
  about: string,
  more?: M & Known<M>,
) {
  return { choices, ...text<string, M>(value, about, more) } as const;
}

export function parsed<const V extends string, P extends Parser<unknown>, const M extends More = NoMore>(
  value: V,
  parse: P,
  about: string,
  more?: M & Known<M>,
) {
  return { parse, ...text<V, M>(value, about, more) } as const;
}

/** Refuses fields that no entry has. */
type Known<M> = { readonly [K in Exclude<keyof M, keyof More>]: never };

/** The entries, with what they have in common. An entry's own fields override it. */
export function sharing<const S extends More, T extends OptionTable>(shared: S & Known<S>, table: T) {
  const entries = Object.entries(table).map(([name, spec]) => [name, { ...shared, ...spec }]);
  return Object.fromEntries(entries) as { readonly [N in keyof T]: T[N] & Omit<S, keyof T[N]> };
}

export function under<T extends OptionTable>(group: string, table: T) {
  return sharing({ group }, table);
}

/** The options of every command. Apart from the option table, because they are known before a command is. */
export const screenOptions = sharing({ everywhere: true } as const, {
  quiet: flag('print nothing on exit code 0', {
    details: 'A failure of `--on-end`, `--metrics-file` or `--log-file` is still printed',
    short: 'q',
  }),
  verbose: flag('also print each failed request, settled batch, wait and finished input', { short: 'v' }),
  yes: flag('do not prompt', { short: 'y' }),
  progress: flag('hide the progress display', { off: true }),
  color: flag('disable colour', { off: true }),
});

export function usageError(message: string, hint?: string): ProblemError {
  return new ProblemError({ code: 'usage', message, hint });
}

export function unknownWord(message: string, word: string, known: readonly string[], hint?: string): ProblemError {
  const near = nearest(word, known);
  return usageError(near === undefined ? message : `${message} Did you mean ${near}?`, hint);
}

/** @param where where the text comes from: `--rate`, `SIGNALS_RATE`, `rate in profile default` */
export function settingProblem(issue: ParseIssue, where: string): Problem {
  const found = issue.found === '' ? 'Found an empty value, expected' : `Found "${issue.found}", expected`;
  return {
    code: 'settings.value',
    message: `${issue.found === undefined ? 'Expected' : found} ${issue.expected}.`,
    where,
    hint: issue.hint,
  };
}

/** @throws ProblemError `settings.value`, naming the option */
export function parseOption<T>(where: string, text: string, parse: (text: string) => Parsed<T>): T {
  const parsed = parse(text);
  if ('issue' in parsed) throw new ProblemError(settingProblem(parsed.issue, where));
  return parsed.value;
}
