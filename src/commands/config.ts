/**
 * `signals config`: shows the settings in effect and their origin, and changes profiles (cli.md, "Commands"). The API key
 * is entered hidden and never printed.
 */
import type { Readable } from 'node:stream';
import { printable } from '../lib/printable.ts';
import { shellReading } from '../lib/shell.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import { describeProblem } from '../report/problem-text.ts';
import { table } from '../report/text-layout.ts';
import { cleanKey } from '../settings/api-key.ts';
import { hasPassword, hidePassword, parseKey } from '../settings/parse-values.ts';
import { isProfileName, openProfiles, readProfiles } from '../settings/profiles.ts';
import {
  type DescribedSetting,
  describeSettings,
  noSuchProfile,
  requestedProfile,
  textOf,
} from '../settings/resolve-settings.ts';
import {
  findSetting,
  parseOption,
  passwordProblem,
  type SettingName,
  settingNames,
  settingSpecs,
} from '../settings/setting-table.ts';
import { stateFolder } from '../settings/state-folder.ts';
import { createPrompts } from '../terminal/prompts.ts';
import { type Context, subcommand, type Work } from './shared/command.ts';
import { checkOf, initSettings, profileToChange, saveProfile } from './shared/init-settings.ts';
import { type OptionValues, text } from './shared/option.ts';
import { ALLOW_HTTP, givenSettings, JSON_OPTION } from './shared/options.ts';
import { createSuggest } from './shared/suggest.ts';

const PROFILE = text('--profile <name>', 'profile (default: the current one)');

/** The settings in effect, and the profile that `set` and `unset` change. */
const allOptions = { profile: PROFILE, json: JSON_OPTION, allowHttp: ALLOW_HTTP };

/** Some subcommands have fewer. */
type ConfigOptions = Partial<OptionValues<typeof allOptions>>;

/** Longest line that `config set api_key` reads from a pipe, in bytes. */
const LINE_LIMIT = 65_536;

export const command: Work = {
  more: [
    'Precedence: flag, environment variable, profile, default.',
    '',
    'Settings:',
    ...settingNames.map(
      (name) => `  ${name.padEnd(16)}${settingSpecs[name].variable.padEnd(24)}${settingSpecs[name].about}`,
    ),
  ].join('\n'),
  commands: [
    subcommand('init', 'set the base URL and the API key interactively', allOptions, init),
    subcommand('list', 'list every setting and its origin', allOptions, list),
    subcommand('get', 'print the effective value of a setting', allOptions, get, { arguments: '<name>' }),
    subcommand('set', 'save a setting (creates the profile if needed)', allOptions, set, {
      arguments: '<name> [value]',
      more: 'The API key is prompted for, or read from stdin: config set api_key < key.txt',
    }),
    subcommand('unset', 'remove a setting from a profile', { profile: PROFILE, json: JSON_OPTION }, unset, {
      arguments: '<name>',
    }),
    subcommand('use', 'switch to a profile', { json: JSON_OPTION }, use, { arguments: '<profile>' }),
    subcommand('path', 'print the paths of the settings file and of the state folder', { json: JSON_OPTION }, path),
  ],
};

async function init(context: Context, _args: readonly string[], options: ConfigOptions): Promise<number> {
  const { streams } = context;
  const suggest = createSuggest(context, options);
  if (!streams.interactive) {
    const commands = [suggest('config', 'set', 'base_url', 'URL'), setCommand(context, options, 'api_key')];
    throw noTerminal(`Run ${commands.map((command) => `\`${command}\``).join(' and ')}.`);
  }
  const { file, name } = await initSettings(context, options);
  const lines = [
    `Saved profile ${name} in ${printable(file.path)}.`,
    ...(name === file.current ? [] : [`To switch to it: ${suggest('config', 'use', name)}`]),
    `To try a file without sending it: ${suggest('check', 'FILE')}`,
  ];
  return print(context, options, { profile: name, path: file.path, current: name === file.current }, lines.join('\n'));
}

/** Exits with 2 if a setting is invalid, because an upload would. */
async function list(context: Context, _args: readonly string[], options: ConfigOptions): Promise<number> {
  const { described, profile, path = null, warnings } = await describeSettings(givenSettings(context, options));
  warn(context, warnings);
  const settings = described.map((setting) => {
    return { name: setting.name, value: shownOf(setting) ?? null, origin: setting.origin ?? null };
  });
  const rows = described.map((setting) => {
    const value = setting.problem === undefined ? printable(shownOf(setting) ?? 'not set') : '(invalid)';
    return [setting.name, value, setting.origin ?? ''];
  });
  const lines = table(rows).map((line) => line.trimStart());
  print(context, options, { profile, path, settings }, lines.join('\n'));
  const problems = described.flatMap(({ problem }) => problem ?? []);
  warn(context, problems);
  return problems.length === 0 ? 0 : 2;
}

async function get(context: Context, args: readonly string[], options: ConfigOptions): Promise<number> {
  const name = nameOf(args[0]);
  const { described, warnings } = await describeSettings(givenSettings(context, options));
  warn(context, warnings);
  const setting = described.find((other) => other.name === name) ?? { name };
  if (setting.problem !== undefined) throw new ProblemError(setting.problem);
  const value = shownOf(setting);
  if (value === undefined) {
    throw new ProblemError({
      code: 'config.unset',
      message: `${name} is not set.`,
      hint: `Set ${settingSpecs[name].variable}, or run \`${setCommand(context, options, name)}\`.`,
    });
  }
  return print(context, options, { name, value, origin: setting.origin ?? null }, printable(value));
}

async function set(context: Context, args: readonly string[], options: ConfigOptions): Promise<number> {
  const name = nameOf(args[0]);
  const file = await openProfiles(context.env);
  const profile = profileToChange(context, options, file);
  const text =
    name === 'api_key'
      ? await readKey(context, args[1], options)
      : valueToSave(context, name, args[1] ?? (await readUrl(context, name)), options);
  if (args[1] !== undefined && hasPassword(text)) throw new ProblemError(passwordProblem(name, name));
  await saveProfile(file, profile, new Map(file.byName.get(profile)).set(name, text));

  const { secret, variable } = settingSpecs[name];
  const value = secret ? 'set' : hidePassword(text);
  print(context, options, { profile, name, value }, `${name} is ${printable(value)} in profile ${profile}.`);
  const variables = name === 'api_key' ? [variable, 'SIGNALS_API_KEY_FILE'] : [variable];
  const overriding = variables.find((candidate) => (context.env[candidate] ?? '') !== '');
  if (overriding !== undefined) warnOverridden(context, `${overriding} is set in the environment`);
  return 0;
}

async function unset(context: Context, args: readonly string[], options: ConfigOptions): Promise<number> {
  const name = nameOf(args[0]);
  const file = await openProfiles(context.env);
  const profile = requestedProfile(givenSettings(context, options)) ?? file.current;
  const values = new Map(file.byName.get(profile));
  if (!file.byName.has(profile) && profile !== file.current) {
    throw new ProblemError(noSuchProfile(profile, file, context.invocation));
  }
  const was = values.delete(name);
  if (was) await saveProfile(file, profile, values);
  const text = `${name} ${was ? 'is no longer' : 'was not'} set in profile ${profile}.`;
  return print(context, options, { profile, name, was }, text);
}

async function use(context: Context, args: readonly string[], options: ConfigOptions): Promise<number> {
  const name = args[0] ?? '';
  const file = await openProfiles(context.env);
  if (!file.byName.has(name)) {
    const problem = noSuchProfile(name, file, context.invocation);
    const create = createSuggest(context, {})('config', 'set', 'base_url', 'URL', '--profile', name);
    throw new ProblemError(isProfileName(name) ? { ...problem, hint: `To create it: \`${create}\`.` } : problem);
  }
  await file.save({ current: name, byName: file.byName });
  print(context, options, { profile: name }, `Profile ${name} is now current.`);
  const variable = context.env['SIGNALS_PROFILE'] ?? '';
  if (variable !== '' && variable !== name) {
    warnOverridden(context, `SIGNALS_PROFILE=${variable} is set in the environment`);
  }
  return 0;
}

/** Also works if the file is damaged: the user needs its path to fix it. */
async function path(context: Context, _args: readonly string[], options: ConfigOptions): Promise<number> {
  const file = await readProfiles(context.env);
  if (file.path === undefined) throw new ProblemError(file.warnings);
  warn(context, file.warnings);
  const state = stateFolder(context.env);
  const paths = [file.path, ...(state === undefined ? [] : [state])];
  return print(
    context,
    options,
    { path: file.path, state: state ?? null },
    paths.map((one) => printable(one)).join('\n'),
  );
}

function nameOf(text = ''): SettingName {
  const name = findSetting(text);
  if (name !== undefined) return name;
  throw new ProblemError({
    code: 'config.name',
    message: `There is no setting "${text.slice(0, 40)}".`,
    hint: `The settings are ${settingNames.join(', ')}.`,
  });
}

function valueToSave(
  context: Context,
  name: SettingName,
  text: string | undefined,
  { allowHttp, ...options }: ConfigOptions,
): string {
  if (text === undefined) {
    throw new ProblemError({
      code: 'config.value',
      message: `A value for ${name} is missing.`,
      hint: `Run \`${setCommand(context, options, name)}\`.`,
    });
  }
  const value = parseOption<unknown>(name, text, (other) => settingSpecs[name].parse(other, { allowHttp }));
  return textOf(value, text);
}

/** A URL that contains a password is entered as an API key is. */
async function readUrl({ streams, signal }: Context, name: SettingName): Promise<string | undefined> {
  if (!settingSpecs[name].mayHavePassword) return undefined;
  if (streams.interactive) return createPrompts(streams, signal).askHidden(name, () => undefined);
  return streams.isTTY.stdin ? undefined : firstLine(streams.stdin);
}

async function readKey(context: Context, text: string | undefined, options: ConfigOptions): Promise<string> {
  const { streams } = context;
  const command = setCommand(context, options, 'api_key');
  if (text !== undefined) {
    throw new ProblemError({
      code: 'config.key',
      message:
        'The key is not accepted as an argument: the shell would save it in its history, and other users could see it in the process list.',
      hint: `Run \`${command}\`. If that was a real key, remove it from your shell history.`,
    });
  }
  if (streams.interactive) {
    const answer = await createPrompts(streams, context.signal).askHidden('API key', checkOf(parseKey));
    return cleanKey(answer, 'api_key');
  }
  if (streams.isTTY.stdin) throw noTerminal(`Run \`${command}\`.`);
  return cleanKey(await firstLine(streams.stdin), 'api_key, read from the pipe');
}

function noTerminal(hint: string): ProblemError {
  const message = 'Cannot prompt: stdin and stderr must be a terminal, and CI must not be set.';
  return new ProblemError({ code: 'config.terminal', message, hint });
}

/** The command that sets a setting, with a placeholder for its value. */
function setCommand(context: Context, options: ConfigOptions, name: SettingName): string {
  const suggest = createSuggest(context, options);
  if (name === 'api_key') {
    const command = suggest('config', 'set', name);
    return context.streams.interactive ? command : shellReading(command, 'key.txt', context.shell);
  }
  return suggest('config', 'set', name, name === 'base_url' ? 'URL' : (settingSpecs[name].default ?? 'VALUE'));
}

/** Everything up to the first line end, or {@link LINE_LIMIT} bytes. */
async function firstLine(stdin: Readable): Promise<string> {
  let bytes = Buffer.alloc(0);
  for await (const chunk of stdin) {
    bytes = Buffer.concat([bytes, Buffer.from(chunk)]);
    if (bytes.includes(0x0a) || bytes.length > LINE_LIMIT) break;
  }
  return bytes.toString('utf8').split('\n', 1)[0] ?? '';
}

/** The value to display. An API key is only reported as set. */
function shownOf({ name, text, origin, problem }: DescribedSetting): string | undefined {
  if (problem !== undefined || origin === undefined) return undefined;
  return settingSpecs[name].secret ? 'set' : text;
}

function warn({ streams }: Context, problems: readonly Problem[]): void {
  for (const problem of problems) streams.err(`${describeProblem(problem, streams.style.err)}\n`);
}

function warnOverridden(context: Context, what: string): void {
  warn(context, [{ code: 'config.hidden', message: `${what} and overrides the profile.` }]);
}

/** Prints the result as JSON or as text. Returns exit code 0. */
function print({ streams }: Context, { json }: ConfigOptions, result: object, text: string): number {
  if (json) streams.out(`${JSON.stringify(result)}\n`);
  else streams.print(`${text}\n`);
  return 0;
}
