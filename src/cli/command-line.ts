/**
 * The command line, made from the table of commands. The only place that knows commander.
 *
 * A command is first what the list shows of it. Its options and its work are loaded when its name was read, before
 * the words behind the name are: so `--help` and `--version` wait for no command.
 */
import { Command as Commander, type CommanderError, Option as CommanderOption } from 'commander';
import { commands } from '../commands/index.ts';
import type { Command, Context, Entry, Work } from '../commands/shared/command.ts';
import type { Option, RawOptions } from '../commands/shared/option.ts';
import { version } from '../lib/version.ts';
import { ProblemError } from '../model/problem.ts';

const ABOUT =
  'Uploads market signals and social engagement events from CSV, NDJSON or JSON files. Every row is accounted for.';

/**
 * Flags that must be known before the command line is understood, and also where it cannot be: they say how its faults
 * are told. Behind `--` stand no flags.
 */
export function earlyFlags(argv: readonly string[]): { noColor: boolean; yes: boolean; json: boolean } {
  const end = argv.indexOf('--');
  const flags = new Set(end < 0 ? argv : argv.slice(0, end));
  return { noColor: flags.has('--no-color'), yes: flags.has('--yes'), json: flags.has('--json') };
}

/**
 * Parses the arguments, runs the command and resolves to its exit code.
 *
 * @throws ProblemError `usage` for arguments that make no sense
 */
export async function runCli(argv: readonly string[], context: Context): Promise<number> {
  let exitCode = 0;
  const call: Call = async (run) => {
    exitCode = await run(context);
  };
  const program = new Commander('signals')
    .version(version, '--version', 'print the version')
    .description(ABOUT)
    .helpOption('-h, --help', 'show help')
    .showSuggestionAfterError()
    .helpCommand(false)
    .enablePositionalOptions();
  for (const listed of commands) program.addCommand(name(listed));
  program.hook('preSubcommand', async (_program, chosen) => {
    const listed = commands.find((each) => each.name === chosen.name());
    if (listed === undefined) return;
    fill(chosen, await listed.load(), call);
    quietly(chosen, context);
  });
  quietly(program, context);
  try {
    await program.parseAsync(asked(argv), { from: 'user' });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { command, cause } = error;
    if (cause.exitCode === 0) return 0;
    if (cause.code === 'commander.help') {
      // Only its name was typed: what there is is told as by the list of commands, and is no success either.
      command.outputHelp();
      return 2;
    }
    throw new ProblemError({
      code: 'usage',
      message: cause.message.replace(/^error: /, ''),
      hint: `See \`${[context.invocation, ...path(command), '--help'].join(' ')}\`.`,
    });
  }
  return exitCode;
}

/** `help upload` is what many type first, and means `upload --help`. */
function asked(argv: readonly string[]): string[] {
  const [first, ...others] = argv;
  return first === 'help' ? [...others, '--help'] : [...argv];
}

/** The words that lead to a command, without the program's name. */
function path(command: Commander): readonly string[] {
  return command.parent === null ? [] : [...path(command.parent), command.name()];
}

/** What commander has to say in place of running a command, and the command at which it came to say it. */
class Refused extends Error {
  readonly command: Commander;
  override readonly cause: CommanderError;

  constructor(command: Commander, cause: CommanderError) {
    super(cause.message);
    this.command = command;
    this.cause = cause;
  }
}

type Call = (run: (context: Context) => Promise<number>) => Promise<void>;

function build(command: Command, call: Call): Commander {
  const built = name(command);
  fill(built, command, call);
  return built;
}

/** A command as the list shows it. */
function name(entry: Entry): Commander {
  const named = new Commander(entry.name).summary(entry.summary).description(entry.summary);
  named.option('--no-color', 'disable colour').helpOption('-h, --help', 'show help');
  if (entry.arguments !== undefined) named.arguments(entry.arguments);
  return named;
}

function fill(built: Commander, work: Work, call: Call): void {
  for (const option of Object.values(work.options ?? {})) built.addOption(buildOption(option));
  if (work.more !== undefined) built.addHelpText('after', `\n${work.more}`);
  for (const inner of work.commands ?? []) built.addCommand(build(inner, call));
  // What stands behind the inner command's name is the inner command's, also where both know the option.
  if (work.commands !== undefined) built.enablePositionalOptions();
  const { run } = work;
  if (run !== undefined) {
    // commander hands over the arguments, then the options, then the command itself.
    built.action((...handed: unknown[]) => {
      const args = handed
        .slice(0, -2)
        .flat()
        .filter((arg): arg is string => typeof arg === 'string');
      return call((context) => run(context, args, built.opts<RawOptions>()));
    });
  }
}

function buildOption(option: Option): CommanderOption {
  const built = new CommanderOption(option.flags, option.about);
  if (option.group !== undefined) built.helpGroup(option.group);
  if (option.choices !== undefined) built.choices([...option.choices]);
  if (option.repeat === true) {
    built.argParser((value: string, before: readonly string[] | undefined) => [...(before ?? []), value]);
  }
  return built;
}

/** commander speaks through our streams, leaves errors to program.ts, and never ends the process. */
function quietly(program: Commander, { streams }: Context): void {
  const all = (command: Commander): Commander[] => [command, ...command.commands.flatMap(all)];
  for (const command of all(program)) {
    command.exitOverride((cause) => {
      throw new Refused(command, cause);
    });
    command.configureOutput({
      writeOut: (text) => streams.out(text),
      writeErr: () => undefined,
      getOutHelpWidth: () => streams.width(),
    });
  }
}
