/**
 * Builds the command line from the table of commands and runs the chosen command. A command's options and implementation are
 * loaded once its name is parsed, so `--help` and `--version` load none.
 */
import { parseArgs } from 'node:util';
import { Command as Commander, CommanderError, Option as CommanderOption } from 'commander';
import type { Entry, Listed, ProcessContext, Work } from '../commands/command.ts';
import { commands } from '../commands/index.ts';
import { nearest } from '../lib/nearest.ts';
import { version } from '../lib/version.ts';
import { formatNames } from '../model/input-format.ts';
import {
  flagsOf,
  type OptionSpec,
  ownFlags,
  type RawOptions,
  screenOptions,
  usageError,
} from '../options/option-spec.ts';
import { wrapText } from '../report/text-layout.ts';
import { logFormats } from '../terminal/log.ts';

const ABOUT = `Uploads market signals and social engagement events from ${formatNames('and')} files. Every row is accounted for.`;

/** Is not in the table of commands, because it reads the table. */
const completion: Listed = {
  name: 'completion',
  arguments: '<shell> [words...]',
  summary: 'print the completions of a shell: bash, zsh, fish, powershell',
  load: async () => (await import('./completion.ts')).command,
};

const entries: readonly Listed[] = [...commands, completion];

const TOPICS = ['exit-codes', 'settings', 'environment', 'mapping', 'man'];

/** Flags that control what is printed. Read before parsing, because parsing itself can fail. */
export function earlyFlags(argv: readonly string[]) {
  const flag = { type: 'boolean' } as const;
  const text = { type: 'string' } as const;
  const options = {
    'no-color': flag,
    json: flag,
    yes: { ...flag, short: 'y' },
    quiet: { ...flag, short: 'q' },
    'log-format': text,
    'log-file': text,
    // Otherwise `-mFILE` would be read as several short flags.
    map: { ...text, short: 'm' },
    column: { ...text, short: 'c' },
    output: { ...text, short: 'o' },
  } as const;
  const { values } = parseArgs({ args: [...argv], options, strict: false, allowPositionals: true });
  const { 'no-color': noColor, yes, json, quiet, 'log-format': format, 'log-file': file } = values;
  return {
    noColor: noColor === true,
    yes: yes === true,
    json: json === true,
    quiet: quiet === true,
    logFormat: logFormats.find((each) => each === format),
    logFile: typeof file === 'string' ? file : undefined,
  };
}

/** Resolves to the exit code. @throws ProblemError `usage` for invalid arguments */
export async function runCli(argv: readonly string[], context: ProcessContext): Promise<number> {
  const { streams, invocation } = context;
  const words = argv[0] === 'help' ? [...argv.slice(1), '--help'] : [...argv];
  if (words[0] === 'man' && words.at(-1) === '--help') {
    streams.out(await manualPage(invocation));
    return 0;
  }
  if (argv[0] === 'help' && argv[1] !== undefined) {
    const lines = (await import('./help.ts')).helpTopic(argv[1], streams.width());
    for (const line of lines ?? []) streams.print(`${line}\n`);
    if (lines !== undefined) return 0;
  }
  assertName(words[0], entries, [invocation], argv[0] === 'help' ? TOPICS : []);

  const chosen = await parseWords(words, streams, invocation);
  return typeof chosen === 'number' ? chosen : chosen(context);
}

/** Resolves to what runs the command that was typed, or to the exit code if its help was printed. */
async function parseWords(words: readonly string[], screen: Screen, invocation: string) {
  const program = createProgram(screen);
  const parsing: Parsing = { invocation, isFullHelp: words.includes('--help'), typed: program };
  addEntries(program, entries, parsing);
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 0;
    if (error.code === 'commander.help') {
      // A command that needs a subcommand was typed without one.
      parsing.typed.outputHelp();
      return 2;
    }
    throw usageProblem(error, parsing);
  }
  return parsing.run ?? 0;
}

async function manualPage(invocation: string): Promise<string> {
  const { manual, MANUAL_WIDTH } = await import('./help.ts');
  const paths = await Promise.all(
    entries.map(async ({ name, load }) => {
      const { commands: below } = await load();
      return below === undefined ? [[name]] : below.map((each) => [name, each.name]);
    }),
  );
  const helps: (readonly [title: string, text: string])[] = [];
  for (const words of [[], ...paths.flat()]) {
    const lines: string[] = [];
    const screen = { print: (text: string) => void lines.push(text), width: () => MANUAL_WIDTH };
    await parseWords([...words, '--help'], screen, invocation);
    helps.push([['signals', ...words].join(' '), lines.join('')]);
  }
  return manual(helps);
}

type Screen = Pick<ProcessContext['streams'], 'print' | 'width'>;

interface Parsing {
  readonly invocation: string;
  readonly isFullHelp: boolean;
  /** The command of the words so far. */
  typed: Commander;
  run?: (context: ProcessContext) => Promise<number>;
}

function usageProblem(error: CommanderError, { invocation, typed }: Parsing) {
  const path = pathOf(typed).slice(1);
  const [, missing] = /^error: missing required argument '(.*)'$/.exec(error.message) ?? [];
  const help = `See \`${[invocation, ...path, '--help'].join(' ')}\`.`;
  if (missing !== undefined)
    return usageError(`An argument is missing: ${path.join(' ')} ${missing.toUpperCase()}.`, help);
  // What follows `=` may be a key.
  const text = error.message.replace(/(?<=^error: unknown option '[^=]*)=.*(?=')/s, '');
  const [, found = '', near] = /^(?:error: )?(.*?)\.?(?:\n\((.*)\))?$/s.exec(text) ?? [];
  const message = `${found.charAt(0).toUpperCase()}${found.slice(1)}.${near === undefined ? '' : ` ${near}`}`;
  const [, hint] = OTHER_OPTIONS.find(([pattern]) => pattern.test(found)) ?? [];
  return usageError(message, hint === undefined ? help : `${hint}\n${help}`);
}

/** Options that users of other programs type, and what to do here. */
const OTHER_OPTIONS: readonly (readonly [error: RegExp, hint: string])[] = [
  [
    /^unknown option '-+(?:api|auth|bearer|key|token)/i,
    "A key is never an option's value: set SIGNALS_API_KEY, or pass --api-key-file FILE.",
  ],
  [/^unknown option '-+dry/, 'The command `check` is a dry run.'],
];

/** The words that select a command, with the name of the program. */
function pathOf(command: Commander): readonly string[] {
  return [...(command.parent === null ? [] : pathOf(command.parent)), command.name()];
}

/**
 * The program. Its commands take over how it shows help and writes, that errors are thrown, and that an option after the name
 * of a subcommand belongs to the subcommand, even if both commands have it.
 */
function createProgram(screen: Screen): Commander {
  return new Commander('signals')
    .version(version, '-V, --version', 'print the version')
    .description(ABOUT)
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .addHelpText('after', `\n${SCREEN_HELP.join('\n')}`)
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => screen.print(text),
      writeErr: () => undefined,
      getOutHelpWidth: () => screen.width(),
    });
}

/** Words that users of other programs type, by what they want here. */
const OTHER_WORDS: readonly (readonly [wanted: string, words: readonly string[]])[] = [
  ['runs list', ['list', 'ls', 'history']],
  ['runs show', ['show', 'status', 'logs']],
  ['runs find', ['find']],
  ['runs explain', ['explain']],
  ['runs merge', ['merge']],
  ['runs pack', ['pack']],
  ['runs prune', ['prune', 'delete']],
  ['resume', ['retry', 'continue']],
  ['upload', ['send', 'import']],
  ['check', ['validate']],
  ['config init', ['login', 'init']],
  ['config list', ['settings']],
  ['--version', ['version']],
];

/** commander would show the help of the program for a command that does not exist. @throws ProblemError `usage` */
function assertName(
  word: string | undefined,
  entries: readonly Entry[],
  before: readonly string[],
  topics: readonly string[] = [],
): void {
  const names = entries.flatMap(({ name, alias = name }) => [name, alias]);
  if (word === undefined || word.startsWith('-') || names.length === 0 || names.includes(word)) return;
  const isTopic = topics.length > 0;
  const other = before.length === 1 ? OTHER_WORDS.find(([, words]) => words.includes(word)) : undefined;
  const near = other?.[0] ?? nearest(word, [...names, ...topics]);
  throw usageError(
    `Unknown command${isTopic ? ' or topic' : ''} '${word}'.${near === undefined ? '' : ` Did you mean ${near}?`}`,
    `See \`${[...before, '--help'].join(' ')}\`.${isTopic ? ` Topics: ${topics.join(', ')}.` : ''}`,
  );
}

/** Adds commands without their options and implementation, for the list of commands. The one that is typed gets these. */
function addEntries(parent: Commander, listed: readonly Listed[], parsing: Parsing): void {
  for (const { name, alias, arguments: args, summary } of listed) {
    const added = parent.command(name).summary(summary).description(summary).helpCommand(false);
    if (alias !== undefined) added.alias(alias);
    if (args !== undefined) added.arguments(args);
  }
  parent.hook('preSubcommand', async (_parent, chosen) => {
    parsing.typed = chosen;
    const work = await listed.find(({ name }) => name === chosen.name())?.load();
    assertName(parent.args[1], work?.commands ?? [], [parsing.invocation, ...pathOf(chosen).slice(1)]);
    addWork(chosen, work ?? {}, parsing);
  });
}

const SCREEN_HELP = [
  'Options of every command:',
  ...Object.entries<OptionSpec>(screenOptions).map(
    ([name, spec]) => `  ${flagsOf(name, spec).padEnd(16)}${aboutOf(spec)}`,
  ),
  '',
  `More: signals help ${TOPICS.join(' | ')}`,
];

/** With more options than this, `-h` shows the common ones and `--help` all. */
const MANY_OPTIONS = 16;

export function addWork(built: Commander, work: Work, parsing: Parsing): void {
  const own = ownFlags(work.options);
  const isShort = !parsing.isFullHelp && own.length > MANY_OPTIONS;
  for (const [name, spec] of own) {
    // The options that only this command has are few.
    const isCommon = spec.common === true || spec.commands === undefined;
    built.addOption(createOption(name, spec).hideHelp(isShort && !isCommon));
  }
  for (const [name, spec] of Object.entries<OptionSpec>(screenOptions)) {
    built.addOption(createOption(name, spec).hideHelp());
  }
  if (isShort) built.addHelpText('after', `\nAll ${own.length} options: ${pathOf(built).join(' ')} --help`);
  const { more, run } = work;
  if (more !== undefined) {
    built.addHelpText('after', ({ command }) => {
      const width = command.configureOutput().getOutHelpWidth?.() ?? 80;
      return `\n${wrapText(more.join('\n'), width).join('\n')}`;
    });
  }
  addEntries(built, work.commands ?? [], parsing);
  if (run === undefined) return;
  built.action(() => {
    parsing.run = (context) => run(context, built.args, built.opts<RawOptions>());
  });
}

/** With its default. The library adds the choices. */
function aboutOf({ about, default: value, defaultText = value }: OptionSpec): string {
  return defaultText === undefined ? about : `${about} (default: ${defaultText.replaceAll('`', '')})`;
}

function createOption(name: string, spec: OptionSpec): CommanderOption {
  const built = new CommanderOption(flagsOf(name, spec), aboutOf(spec));
  if (spec.group !== undefined) built.helpGroup(spec.group);
  if (spec.choices !== undefined) built.choices([...spec.choices]);
  if (spec.list === true) {
    built.argParser((value: string, before: readonly string[] | undefined) => [...(before ?? []), value]);
  }
  return built;
}
