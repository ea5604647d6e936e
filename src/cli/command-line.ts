/**
 * Builds the command line from the table of commands and runs the chosen command. The only module that imports
 * commander.
 *
 * A command's options and implementation are loaded once its name is parsed, so `--help` and `--version` load none.
 */
import { Command as Commander, type CommanderError, Option as CommanderOption } from 'commander';
import { commands } from '../commands/index.ts';
import type { Command, Context, Entry, Work } from '../commands/shared/command.ts';
import type { Option, RawOptions } from '../commands/shared/option.ts';
import { version } from '../lib/version.ts';
import { ProblemError } from '../model/problem.ts';

const ABOUT =
  'Uploads market signals and social engagement events from CSV, NDJSON or JSON files. Every row is accounted for.';

/** Flags that control how errors are reported. Read before parsing, because parsing itself can fail. */
export function earlyFlags(argv: readonly string[]): { noColor: boolean; yes: boolean; json: boolean } {
  const end = argv.indexOf('--');
  const flags = new Set(end < 0 ? argv : argv.slice(0, end));
  return { noColor: flags.has('--no-color'), yes: flags.has('--yes'), json: flags.has('--json') };
}

/**
 * Parses the arguments, runs the command and resolves to its exit code.
 *
 * @throws ProblemError `usage` for invalid arguments
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
  for (const entry of commands) program.addCommand(createEntry(entry));
  program.hook('preSubcommand', async (_program, chosen) => {
    const entry = commands.find(({ name }) => name === chosen.name());
    if (entry === undefined) return;
    addWork(chosen, await entry.load(), call);
    captureOutput(chosen, context);
  });
  captureOutput(program, context);
  try {
    await program.parseAsync(expandHelp(argv), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderExit)) throw error;
    const { command, cause } = error;
    if (cause.exitCode === 0) return 0;
    if (cause.code === 'commander.help') {
      // A command that needs a subcommand was typed without one.
      command.outputHelp();
      return 2;
    }
    throw new ProblemError({
      code: 'usage',
      message: cause.message.replace(/^error: /, ''),
      hint: `See \`${[context.invocation, ...commandPath(command), '--help'].join(' ')}\`.`,
    });
  }
  return exitCode;
}

/** `help upload` means `upload --help`. */
function expandHelp(argv: readonly string[]): string[] {
  const [first, ...others] = argv;
  return first === 'help' ? [...others, '--help'] : [...argv];
}

/** The words that select a command, without the program's name. */
function commandPath(command: Commander): readonly string[] {
  return command.parent === null ? [] : [...commandPath(command.parent), command.name()];
}

/** Thrown where commander would end the process: after help or version output, or for invalid arguments. */
class CommanderExit extends Error {
  readonly command: Commander;
  override readonly cause: CommanderError;

  constructor(command: Commander, cause: CommanderError) {
    super(cause.message);
    this.command = command;
    this.cause = cause;
  }
}

type Call = (run: (context: Context) => Promise<number>) => Promise<void>;

function createCommand(command: Command, call: Call): Commander {
  const built = createEntry(command);
  addWork(built, command, call);
  return built;
}

/** A command without its options and implementation, for the list of commands. */
function createEntry(entry: Entry): Commander {
  const created = new Commander(entry.name).summary(entry.summary).description(entry.summary);
  created.option('--no-color', 'disable colour').helpOption('-h, --help', 'show help');
  if (entry.arguments !== undefined) created.arguments(entry.arguments);
  return created;
}

function addWork(built: Commander, work: Work, call: Call): void {
  for (const option of Object.values(work.options ?? {})) built.addOption(createOption(option));
  if (work.more !== undefined) built.addHelpText('after', `\n${work.more}`);
  for (const subcommand of work.commands ?? []) built.addCommand(createCommand(subcommand, call));
  // An option after the subcommand's name belongs to the subcommand, even if both commands have it.
  if (work.commands !== undefined) built.enablePositionalOptions();
  const { run } = work;
  if (run !== undefined) {
    // commander passes the arguments, then the options, then the command itself.
    built.action((...passed: unknown[]) => {
      const args = passed
        .slice(0, -2)
        .flat()
        .filter((arg): arg is string => typeof arg === 'string');
      return call((context) => run(context, args, built.opts<RawOptions>()));
    });
  }
}

function createOption(option: Option): CommanderOption {
  const built = new CommanderOption(option.flags, option.about);
  if (option.group !== undefined) built.helpGroup(option.group);
  if (option.choices !== undefined) built.choices([...option.choices]);
  if (option.repeat === true) {
    built.argParser((value: string, before: readonly string[] | undefined) => [...(before ?? []), value]);
  }
  return built;
}

/** Makes commander write to our streams, leave errors to program.ts, and throw instead of ending the process. */
function captureOutput(program: Commander, { streams }: Context): void {
  const all = (command: Commander): Commander[] => [command, ...command.commands.flatMap(all)];
  for (const command of all(program)) {
    command.exitOverride((cause) => {
      throw new CommanderExit(command, cause);
    });
    command.configureOutput({
      writeOut: (text) => streams.out(text),
      writeErr: () => undefined,
      getOutHelpWidth: () => streams.width(),
    });
  }
}
