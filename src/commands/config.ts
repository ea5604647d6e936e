/**
 * `signals config`: shows the settings in effect and their origin, and changes profiles (cli.md, "Commands"). The API key
 * is entered hidden and never printed.
 */
import type { Readable } from 'node:stream';
import { recordTypes } from '../contract/index.ts';
import { printable } from '../lib/printable.ts';
import { shellReading } from '../lib/shell.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import { describeProblem } from '../report/problem-text.ts';
import { cleanKey } from '../settings/api-key.ts';
import { type Parsed, parseBaseUrl, parseKey } from '../settings/parse-values.ts';
import { isProfileName, openProfiles, type Profile, type ProfilesFile, readProfiles } from '../settings/profiles.ts';
import {
  type DescribedSetting,
  describeSettings,
  noSuchProfile,
  requestedProfile,
  textOf,
} from '../settings/resolve-settings.ts';
import { findSetting, parseOption, type SettingName, settingNames, settingSpecs } from '../settings/setting-table.ts';
import { stateFolder } from '../settings/state-folder.ts';
import { type Check, createPrompts } from '../terminal/prompts.ts';
import { type Context, type Work, withOptions } from './shared/command.ts';
import { flag, type OptionValues, text } from './shared/option.ts';
import { givenSettings, JSON_OPTION } from './shared/options.ts';
import { createSuggest } from './shared/suggest.ts';

const PROFILE = text('--profile <name>', 'profile (default: the current one)');
const ALLOW_HTTP = flag('--allow-http', 'allow http:// (the key is sent unencrypted)');

/** Longest line that `config set api_key` reads from a pipe, in bytes. */
const LINE_LIMIT = 65_536;

/** Settings in effect, and the profile that `set` and `unset` change. */
const readOptions = { profile: PROFILE, json: JSON_OPTION, allowHttp: ALLOW_HTTP };
const initOptions = { profile: PROFILE, allowHttp: ALLOW_HTTP };
const jsonOptions = { json: JSON_OPTION };

/** The options that choose and check settings. */
type ConfigOptions = Partial<Pick<ReadOptions, 'profile' | 'allowHttp'>>;

type ReadOptions = OptionValues<typeof readOptions>;
type InitOptions = OptionValues<typeof initOptions>;
type JsonOptions = OptionValues<typeof jsonOptions>;

export const config: Work = {
  more: [
    'Precedence: flag, environment variable, profile, default.',
    '',
    'Settings:',
    ...settingNames.map(
      (name) => `  ${name.padEnd(16)}${settingSpecs[name].variable.padEnd(24)}${settingSpecs[name].about}`,
    ),
  ].join('\n'),
  commands: [
    {
      name: 'init',
      summary: 'set the base URL and the API key interactively',
      ...withOptions(initOptions, init),
    },
    { name: 'list', summary: 'list every setting and its origin', ...withOptions(readOptions, list) },
    {
      name: 'get',
      arguments: '<name>',
      summary: 'print the effective value of a setting',
      ...withOptions(readOptions, get),
    },
    {
      name: 'set',
      arguments: '<name> [value]',
      summary: 'save a setting (creates the profile if needed)',
      more: 'The API key is prompted for, or read from stdin: config set api_key < key.txt',
      ...withOptions(readOptions, set),
    },
    {
      name: 'unset',
      arguments: '<name>',
      summary: 'remove a setting from a profile',
      ...withOptions({ profile: PROFILE, json: JSON_OPTION }, unset),
    },
    {
      name: 'use',
      arguments: '<profile>',
      summary: 'switch to a profile',
      ...withOptions(jsonOptions, use),
    },
    {
      name: 'path',
      summary: 'print the path of the settings file, then that of the state folder',
      ...withOptions(jsonOptions, path),
    },
  ],
};

async function init(context: Context, _args: readonly string[], options: InitOptions): Promise<number> {
  const { streams } = context;
  const suggest = createSuggest(context, options);
  if (!streams.interactive) {
    const commands = [
      suggest('config', 'set', 'base_url', 'URL'),
      shellReading(suggest('config', 'set', 'api_key'), 'key.txt', context.shell),
    ];
    throw new ProblemError({
      code: 'config.terminal',
      message: 'There is no terminal to ask on.',
      hint: `Type ${commands.map((one) => `\`${one}\``).join(' and ')}.`,
    });
  }
  const file = await openProfiles(context.env);
  const name = profileToChange(context, options, file);
  const before = file.byName.get(name) ?? new Map<string, string>();
  const prompts = createPrompts(streams, context.signal);
  const { allowHttp } = options;

  const address = (text: string): Parsed<string> => parseBaseUrl(text, { allowHttp });
  const current = before.get('base_url');
  const baseUrl = await prompts.text('Address of the service (base URL)', {
    ...(current === undefined ? {} : { default: current }),
    check: checkOf(address),
  });
  const hasKey = before.has('api_key');
  const key = await prompts.askHidden(
    hasKey ? 'API key (leave empty to keep the one there is)' : 'API key (leave empty to give it later)',
    (text) => (text === '' ? undefined : checkOf(parseKey)(text)),
  );
  const type = await prompts.select(
    'What do you upload, mostly?',
    [
      ...recordTypes.map((value) => ({ value, label: value })),
      { value: 'both' as const, label: 'both', hint: 'recognised from the columns each time' },
    ],
    { initial: 'both' },
  );

  const profile = new Map(before);
  profile.set('base_url', parseOption('base_url', baseUrl, address));
  if (key !== '') profile.set('api_key', cleanKey(key, 'api_key'));
  if (type === 'both') profile.delete('type');
  else profile.set('type', type);
  await save(file, name, profile);
  streams.out(`Profile ${name} is kept in ${printable(file.path)}.\n`);
  if (name !== file.current) {
    streams.out(`To use it from now on: ${suggest('config', 'use', name)}\n`);
  }
  streams.out(`To try a file without sending it: ${suggest('check', 'FILE')}\n`);
  return 0;
}

/** Exit code 2 where a setting cannot be used: an upload would stop at it. */
async function list(context: Context, _args: readonly string[], options: ReadOptions): Promise<number> {
  const { streams } = context;
  const { described, profile, path: place, warnings } = await describeSettings(givenSettings(context, options));
  warn(context, warnings);
  const problems = described.flatMap(({ problem }) => problem ?? []);
  if (options.json) {
    const settings = described.map((setting) => ({
      name: setting.name,
      value: shownOf(setting) ?? null,
      origin: setting.origin ?? null,
    }));
    json(context, { profile, path: place ?? null, settings });
  } else {
    const rows = described.map((setting) => [
      setting.name,
      setting.problem === undefined ? printable(shownOf(setting) ?? 'not set') : 'cannot be used',
      setting.origin ?? '',
    ]);
    streams.out(table(rows));
  }
  warn(context, problems);
  return problems.length === 0 ? 0 : 2;
}

async function get(context: Context, args: readonly string[], options: ReadOptions): Promise<number> {
  const name = nameOf(args[0]);
  const { described, warnings } = await describeSettings(givenSettings(context, options));
  warn(context, warnings);
  const setting = described.find((other) => other.name === name);
  if (setting?.problem !== undefined) throw new ProblemError(setting.problem);
  const value = setting === undefined ? undefined : shownOf(setting);
  if (value === undefined) {
    throw new ProblemError({
      code: 'config.unset',
      message: `${name} is not set.`,
      hint: `Set it in the environment (${settingSpecs[name].variable}) or type \`${setCommand(context, options, name)}\`.`,
    });
  }
  if (options.json) json(context, { name, value, origin: setting?.origin ?? null });
  else context.streams.out(`${printable(value)}\n`);
  return 0;
}

async function set(context: Context, args: readonly string[], options: ReadOptions): Promise<number> {
  const { streams } = context;
  const name = nameOf(args[0]);
  const file = await openProfiles(context.env);
  const profile = profileToChange(context, options, file);
  const text =
    name === 'api_key' ? await keyToKeep(context, args[1], options) : valueToKeep(context, name, args[1], options);
  await save(file, profile, new Map(file.byName.get(profile)).set(name, text));

  const shown = settingSpecs[name].secret ? 'set' : text;
  if (options.json) {
    json(context, { profile, name, value: shown });
  } else {
    const sentence = settingSpecs[name].secret ? `${name} is set` : `${name} is ${printable(text)}`;
    streams.out(`${sentence}, in profile ${profile}.\n`);
  }
  const variable = [settingSpecs[name].variable, ...(name === 'api_key' ? ['SIGNALS_API_KEY_FILE'] : [])].find(
    (candidate) => (context.env[candidate] ?? '') !== '',
  );
  if (variable !== undefined) {
    warn(context, [
      {
        code: 'config.hidden',
        message: `${variable} is set in the environment, and goes before the profile.`,
      },
    ]);
  }
  return 0;
}

async function unset(
  context: Context,
  args: readonly string[],
  options: Omit<ReadOptions, 'allowHttp'>,
): Promise<number> {
  const name = nameOf(args[0]);
  const file = await openProfiles(context.env);
  const profile = requestedProfile(givenSettings(context, options)) ?? file.current;
  const values = file.byName.get(profile);
  if (values === undefined && profile !== file.current) {
    throw new ProblemError(noSuchProfile(profile, file, context.invocation));
  }
  const was = values?.has(name) === true;
  if (was) {
    const next = new Map(values);
    next.delete(name);
    await save(file, profile, next);
  }
  if (options.json) json(context, { profile, name, was });
  else context.streams.out(`${name} ${was ? 'is no longer' : 'was not'} set in profile ${profile}.\n`);
  return 0;
}

async function use(context: Context, args: readonly string[], options: JsonOptions): Promise<number> {
  const name = args[0] ?? '';
  const file = await openProfiles(context.env);
  if (!file.byName.has(name)) {
    const hint = isProfileName(name)
      ? {
          hint: `To create it: \`${createSuggest(context, {})('config', 'set', 'base_url', 'URL', '--profile', name)}\`.`,
        }
      : {};
    throw new ProblemError({ ...noSuchProfile(name, file, context.invocation), ...hint });
  }
  await file.save({ current: name, byName: file.byName });
  if (options.json) json(context, { profile: name });
  else context.streams.out(`Profile ${name} is the current one.\n`);
  const variable = context.env['SIGNALS_PROFILE'] ?? '';
  if (variable !== '' && variable !== name) {
    warn(context, [
      {
        code: 'config.hidden',
        message: `SIGNALS_PROFILE names ${variable} in the environment, and goes before the current profile.`,
      },
    ]);
  }
  return 0;
}

/** Also works if the file is damaged: the user needs its path to fix it. */
async function path(context: Context, _args: readonly string[], options: JsonOptions): Promise<number> {
  const file = await readProfiles(context.env);
  if (file.path === undefined) throw new ProblemError(file.warnings);
  warn(context, file.warnings);
  const state = stateFolder(context.env);
  if (options.json) json(context, { path: file.path, state: state ?? null });
  else context.streams.out(`${printable(file.path)}\n${state === undefined ? '' : `${printable(state)}\n`}`);
  return 0;
}

function nameOf(text: string | undefined): SettingName {
  const name = findSetting(text ?? '');
  if (name !== undefined) return name;
  throw new ProblemError({
    code: 'config.name',
    message: `There is no setting "${(text ?? '').slice(0, 40)}".`,
    hint: `The settings are ${settingNames.join(', ')}.`,
  });
}

/** A profile begins with its first setting, so it need not exist; but its name must be one. */
function profileToChange(context: Context, options: ConfigOptions, file: ProfilesFile): string {
  const name = requestedProfile(givenSettings(context, options)) ?? file.current;
  if (isProfileName(name)) return name;
  throw new ProblemError({
    code: 'config.profile',
    message: `"${name.slice(0, 40)}" cannot be the name of a profile: expected up to 64 letters, digits, dots, hyphens and underscores, with a letter or digit first.`,
  });
}

function valueToKeep(context: Context, name: SettingName, text: string | undefined, options: ConfigOptions): string {
  if (text === undefined) {
    throw new ProblemError({
      code: 'config.value',
      message: `A value for ${name} is missing.`,
      hint: `Type \`${setCommand(context, options, name)}\`.`,
    });
  }
  const { allowHttp = false } = options;
  const value = parseOption<unknown>(name, text, (other) => settingSpecs[name].parse(other, { allowHttp }));
  return textOf(value, text);
}

async function keyToKeep(context: Context, text: string | undefined, options: ConfigOptions): Promise<string> {
  const { streams } = context;
  if (text !== undefined) {
    throw new ProblemError({
      code: 'config.key',
      message:
        'The key is not taken from the command line: it would stay in the history of the shell, and others could see it in the list of processes.',
      hint: `Type \`${setCommand(context, options, 'api_key')}\`; on a terminal it asks for the key, without showing it. If it was a real key, take it out of the history of the shell.`,
    });
  }
  if (streams.interactive) {
    const answer = await createPrompts(streams, context.signal).askHidden('API key', checkOf(parseKey));
    return cleanKey(answer, 'api_key');
  }
  if (streams.isTTY.stdin) {
    throw new ProblemError({
      code: 'config.terminal',
      message: 'The key cannot be asked for here: expected a terminal for input and messages, and no CI.',
      hint: `Type \`${setCommand(context, options, 'api_key')}\`.`,
    });
  }
  return cleanKey(await firstLine(streams.stdin), 'api_key, read from the pipe');
}

function setCommand(context: Context, options: ConfigOptions, name: SettingName): string {
  const value = name === 'base_url' ? 'URL' : (settingSpecs[name].default ?? 'VALUE');
  const command = createSuggest(context, options)('config', 'set', name, ...(name === 'api_key' ? [] : [value]));
  return name === 'api_key'
    ? context.streams.interactive
      ? command
      : shellReading(command, 'key.txt', context.shell)
    : command;
}

function save(file: ProfilesFile, name: string, profile: Profile): Promise<void> {
  return file.save({ current: file.current, byName: new Map(file.byName).set(name, profile) });
}

function checkOf(parse: (text: string) => Parsed<unknown>): Check {
  return (text) => {
    const parsed = parse(text);
    if ('value' in parsed) return undefined;
    const { expected, hint } = parsed.issue;
    return `Expected ${expected}.${hint === undefined ? '' : ` ${hint}`}`;
  };
}

/** Everything up to the first line end; no more than {@link LINE_LIMIT} bytes. */
async function firstLine(stdin: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk);
    chunks.push(bytes);
    length += bytes.length;
    if (bytes.includes(0x0a) || length > LINE_LIMIT) break;
  }
  return Buffer.concat(chunks).toString('utf8').split('\n', 1)[0] ?? '';
}

/** The value as it may be shown: of a key, no more than that it is set. */
function shownOf({ name, text, origin, problem }: DescribedSetting): string | undefined {
  if (problem !== undefined || origin === undefined) return undefined;
  return settingSpecs[name].secret ? 'set' : text;
}

function warn({ streams }: Context, problems: readonly Problem[]): void {
  for (const problem of problems) streams.err(`${describeProblem(problem, streams.style.err)}\n`);
}

function json({ streams }: Context, value: unknown): void {
  streams.out(`${JSON.stringify(value)}\n`);
}

/** Columns of equal width, without blanks at the ends of lines. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}
