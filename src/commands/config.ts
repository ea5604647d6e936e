/** `signals config`: shows the settings in effect and their origin, and changes profiles. The API key is never printed. */
import { createInterface } from 'node:readline';
import { printable } from '../lib/printable.ts';
import { shellReading } from '../lib/shell.ts';
import { ProblemError } from '../model/problem.ts';
import { cleanKey } from '../options/api-key.ts';
import { parseOption, type Setting, settingNamed, text } from '../options/option-spec.ts';
import { optionTable, sharedOptions } from '../options/option-table.ts';
import {
  checkOf,
  hasPassword,
  hidePassword,
  type Parsed,
  type ParseOptions,
  type Parser,
  parseBaseUrl,
  parseKey,
} from '../options/parse-values.ts';
import {
  isProfileName,
  openProfiles,
  type Profile,
  type ProfilesFile,
  readProfiles,
  saveProfiles,
} from '../options/profiles.ts';
import {
  describeSettings,
  noSuchProfile,
  parseSetting,
  passwordProblem,
  requestedProfile,
  textOf,
} from '../options/resolve-settings.ts';
import { stateFolder } from '../options/state-folder.ts';
import { table } from '../report/text-layout.ts';
import { type Context, defineSubcommand, type Work } from './command.ts';
import { printAnswer } from './screen/print.ts';

const { json, allowHttp } = sharedOptions('config');
const profileOptions = { profile: text('name', 'profile', { defaultText: 'the current one' }) };
const valueOptions = { ...profileOptions, allowHttp };
const shownOptions = { ...valueOptions, json };

const init = defineSubcommand({
  name: 'init',
  summary: 'set the base URL and the API key interactively',
  options: valueOptions,
  async run(context, _args, options) {
    const { prompts, suggest } = context;
    if (prompts === undefined) {
      const commands = [
        suggest('config', 'set', 'base_url', 'URL'),
        setCommand(context, settingNamed(optionTable, 'api_key')),
      ];
      throw new ProblemError({
        code: 'config.terminal',
        message: 'Cannot prompt: stdin and stderr must be a terminal, and CI must not be set.',
        hint: `Run ${commands.map((command) => `\`${command}\``).join(' and ')}.`,
      });
    }
    const file = await openProfiles(context.env);
    const name = profileToChange(context, options, file);
    const profile = new Map(file.byName.get(name));
    const parseUrl = (text: string): Parsed<string> => parseBaseUrl(text, options);
    const baseUrl = await prompts.text('Address of the service (base URL)', {
      initial: profile.get('base_url'),
      check: checkOf(parseUrl),
    });
    const ifEmpty = profile.has('api_key') ? 'keep the current one' : 'set it later';
    const key = await prompts.askHidden(`API key (leave empty to ${ifEmpty})`, (text) =>
      text === '' ? undefined : checkOf(parseKey)(text),
    );
    profile.set('base_url', parseOption('base_url', baseUrl, parseUrl));
    if (key !== '') profile.set('api_key', cleanKey(key, 'api_key'));
    await saveProfile(file, name, profile);
    const lines = [
      `Saved profile ${name} in ${printable(file.path)}.`,
      ...(name === file.current ? [] : [`To switch to it: ${suggest('config', 'use', name)}`]),
      `To try a file without sending it: ${suggest('check', 'FILE')}`,
    ];
    return print(context, lines.join('\n'));
  },
});

/** Exits with 2 if a setting is invalid, because an upload would. */
const list = defineSubcommand({
  name: 'list',
  summary: 'list every setting and its origin',
  options: shownOptions,
  async run(context, _args, options) {
    const { streams } = context;
    const { described, profile, path = null, warnings } = await describeSettings({ ...context, ...options });
    for (const problem of warnings) streams.problem('warning', problem);
    const settings = described.map(({ key: name, text = null, origin = null }) => ({ name, value: text, origin }));
    const rows = described.map(({ key, text = 'not set', origin = '', problem }) => {
      return [key, problem === undefined ? printable(text) : '(invalid)', origin];
    });
    const lines = table(rows).map((line) => line.trimStart());
    printAnswer(context, options, { profile, path, settings }, lines.join('\n'));
    const problems = described.flatMap(({ problem }) => problem ?? []);
    for (const problem of problems) streams.problem('error', problem);
    return problems.length === 0 ? 0 : 2;
  },
});

const get = defineSubcommand({
  name: 'get',
  arguments: '<name>',
  summary: 'print the effective value of a setting',
  options: shownOptions,
  async run(context, [wanted = ''], options) {
    const setting = settingNamed(optionTable, wanted);
    const { key: name } = setting;
    const { described, warnings } = await describeSettings({ ...context, ...options });
    for (const problem of warnings) context.streams.problem('warning', problem);
    const found = described.find((other) => other.key === name);
    if (found?.problem !== undefined) throw new ProblemError(found.problem);
    const value = found?.text;
    if (value === undefined) {
      throw new ProblemError({
        code: 'config.unset',
        message: `${name} is not set.`,
        hint: `Set ${setting.variable}, or run \`${setCommand(context, setting)}\`.`,
      });
    }
    return printAnswer(context, options, { name, value, origin: found?.origin ?? null }, printable(value));
  },
});

const set = defineSubcommand({
  name: 'set',
  arguments: '<name> [value]',
  summary: 'save a setting (creates the profile if needed)',
  options: valueOptions,
  more: ['The API key is prompted for, or read from stdin: config set api_key < key.txt'],
  async run(context, [wanted = '', given], options) {
    const setting = settingNamed(optionTable, wanted);
    const { key: name, spec } = setting;
    const file = await openProfiles(context.env);
    const profile = profileToChange(context, options, file);
    const text = await valueToSave(context, setting, given, options);
    await saveProfile(file, profile, new Map(file.byName.get(profile)).set(name, text));

    const value = spec.secret ? 'set' : hidePassword(text);
    return print(context, `${name} is ${printable(value)} in profile ${profile}.`);
  },
});

const unset = defineSubcommand({
  name: 'unset',
  arguments: '<name>',
  summary: 'remove a setting from a profile',
  options: profileOptions,
  async run(context, [wanted = ''], options) {
    const { key: name } = settingNamed(optionTable, wanted);
    const file = await openProfiles(context.env);
    const profile = requestedProfile({ ...context, ...options }) ?? file.current;
    const values = new Map(file.byName.get(profile));
    if (!file.byName.has(profile) && profile !== file.current) {
      throw new ProblemError(noSuchProfile(profile, file, context.invocation));
    }
    const was = values.delete(name);
    if (was) await saveProfile(file, profile, values);
    return print(context, `${name} ${was ? 'is no longer' : 'was not'} set in profile ${profile}.`);
  },
});

const use = defineSubcommand({
  name: 'use',
  arguments: '<profile>',
  summary: 'switch to a profile',
  options: {},
  async run(context, [name = '']) {
    const file = await openProfiles(context.env);
    if (!file.byName.has(name)) {
      const problem = noSuchProfile(name, file, context.invocation);
      const create = context.suggest('config', 'set', 'base_url', 'URL', '--profile', name);
      throw new ProblemError(isProfileName(name) ? { ...problem, hint: `To create it: \`${create}\`.` } : problem);
    }
    await saveProfiles({ ...file, current: name });
    return print(context, `Profile ${name} is now current.`);
  },
});

/** Also works if the file is damaged: the user needs its path to fix it. */
const path = defineSubcommand({
  name: 'path',
  summary: 'print the paths of the settings file and of the state folder',
  options: {},
  async run(context) {
    const file = await readProfiles(context.env);
    if (file.path === undefined) throw new ProblemError(file.warnings);
    for (const problem of file.warnings) context.streams.problem('warning', problem);
    const state = stateFolder(context.env);
    const paths = [file.path, ...(state === undefined ? [] : [state])];
    return print(context, paths.map((one) => printable(one)).join('\n'));
  },
});

export const command: Work = {
  more: ['Precedence: option, environment variable, profile, default. For the settings: signals help settings'],
  commands: [init, list, get, set, unset, use, path],
};

/** The profile need not exist: its first setting creates it. */
function profileToChange({ env }: Context, { profile }: { readonly profile?: string | undefined }, file: ProfilesFile) {
  const name = requestedProfile({ env, profile }) ?? file.current;
  if (isProfileName(name)) return name;
  throw new ProblemError({
    code: 'config.profile',
    message: `"${name.slice(0, 40)}" is not a valid profile name: expected up to 64 letters, digits, dots, hyphens and underscores, starting with a letter or digit.`,
  });
}

function saveProfile(file: ProfilesFile, name: string, profile: Profile): Promise<void> {
  return saveProfiles({ ...file, byName: new Map(file.byName).set(name, profile) });
}

/** The argument of `config set`. The key, and a URL that contains a password, come from a prompt or a pipe. */
async function valueToSave(
  context: Context,
  setting: Setting,
  given: string | undefined,
  options: ParseOptions,
): Promise<string> {
  const { key: name, spec } = setting;
  const { secret, mayHavePassword } = spec;
  const hint = `Run \`${setCommand(context, setting)}\`.`;
  if (secret && given !== undefined) {
    throw new ProblemError({
      code: 'config.key',
      message:
        'The key is not accepted as an argument: the shell would save it in its history, and other users could see it in the process list.',
      hint: `${hint} If that was a real key, remove it from your shell history.`,
    });
  }
  const parser = (text: string): Parsed<unknown> => parseSetting(spec, text, options);
  const text = given ?? (secret || mayHavePassword ? await readHidden(context, setting, parser) : undefined);
  if (text === undefined) {
    throw new ProblemError({ code: 'config.value', message: `A value for ${name} is missing.`, hint });
  }
  if (secret) return cleanKey(text, 'api_key, read from the pipe');
  const value = textOf(parseOption(name, text, parser), text);
  if (given !== undefined && mayHavePassword && hasPassword(value)) {
    throw new ProblemError(passwordProblem(setting, name));
  }
  return value;
}

/** Undefined if there is neither a prompt nor a pipe. */
async function readHidden(
  context: Context,
  { key, spec }: Setting,
  parser: Parser<unknown>,
): Promise<string | undefined> {
  const { streams, prompts } = context;
  const message = spec.secret ? 'API key' : key;
  if (prompts !== undefined) return prompts.askHidden(message, checkOf(parser));
  if (streams.isTTY.stdin) return undefined;
  for await (const line of createInterface({ input: streams.stdin })) return line;
  return '';
}

/** The command that sets a setting, with a placeholder for its value. */
function setCommand({ suggest, streams, shell }: Context, { key, spec }: Setting): string {
  if (spec.secret) {
    const command = suggest('config', 'set', key);
    return streams.interactive ? command : shellReading(command, 'key.txt', shell);
  }
  return suggest('config', 'set', key, key === 'base_url' ? 'URL' : (spec.default ?? 'VALUE'));
}

function print({ streams }: Context, text: string): number {
  streams.print(`${text}\n`);
  return 0;
}
