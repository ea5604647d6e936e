/** The command line, made from the table of commands. The only place that knows commander. */
import { Command as Commander, CommanderError, Option as CommanderOption } from 'commander';
import type { Command, Context, Option, Options } from './commands/command.ts';
import { commands } from './commands/index.ts';
import { ProblemError } from './model/problem.ts';
import { version } from './version.ts';

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
  const program = new Commander('signals')
    .description(
      'Uploads market signals and social engagement events from CSV or NDJSON. Every row is accounted for.',
    )
    .version(await version(), '--version')
    .showSuggestionAfterError()
    .helpCommand(false)
    .enablePositionalOptions();
  for (const command of commands) {
    program.addCommand(
      build(command, async (run) => {
        exitCode = await run(context);
      }),
    );
  }
  quietly(program, context);
  try {
    if (argv.length === 0) {
      context.streams.out(program.helpInformation());
      return 2;
    }
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 0;
    throw new ProblemError({
      code: 'usage',
      message: error.message.replace(/^error: /, ''),
      hint: `\`${context.invocation} --help\` lists what there is.`,
    });
  }
  return exitCode;
}

function build(
  command: Command,
  call: (run: (context: Context) => Promise<number>) => Promise<void>,
): Commander {
  const built = new Commander(command.name).summary(command.summary).description(command.summary);
  built.option('--no-color', 'no colour').helpOption('-h, --help', 'show this');
  if (command.arguments !== undefined) built.arguments(command.arguments);
  for (const option of command.options ?? []) built.addOption(buildOption(option));
  if (command.more !== undefined) built.addHelpText('after', `\n${command.more}`);
  for (const inner of command.commands ?? []) built.addCommand(build(inner, call));
  // What stands behind the inner command's name is the inner command's, also where both know the option.
  if (command.commands !== undefined) built.enablePositionalOptions();
  const { run } = command;
  if (run !== undefined) {
    // commander hands over the arguments, then the options, then the command itself.
    built.action((...handed: unknown[]) => {
      const args = handed
        .slice(0, -2)
        .flat()
        .filter((arg): arg is string => typeof arg === 'string');
      return call((context) => run(context, args, built.opts<Options>()));
    });
  }
  return built;
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

/** commander speaks through our streams, leaves errors to main.ts, and never ends the process. */
function quietly(program: Commander, { streams }: Context): void {
  const all = (command: Commander): Commander[] => [command, ...command.commands.flatMap(all)];
  for (const command of all(program)) {
    command.exitOverride().configureOutput({
      writeOut: (text) => streams.out(text),
      writeErr: () => undefined,
      getOutHelpWidth: () => streams.width(),
    });
  }
}
