/** What a command is. cli/ turns the table of commands into a command line; no command knows the parser's library. */

import type { Surroundings } from '../app/context.ts';
import type { Suggest } from '../lib/shell.ts';
import {
  type OptionTable,
  type OptionValues,
  parseOptions,
  type RawOptions,
  typedOptions,
} from '../options/option-spec.ts';
import type { Streams } from '../terminal/streams.ts';

export interface Entry {
  /** The word to type: `upload`. */
  readonly name: string;
  /** In commander's notation: `[files...]`, `<name> [value]`. */
  readonly arguments?: string | undefined;
  readonly alias?: string | undefined;
  readonly summary: string;
}

/** An entry of a table of commands. Its implementation is loaded when the command is typed: no command waits for what another one imports. */
export interface Listed extends Entry {
  readonly load: () => Promise<Work>;
}

export interface Work {
  /** Lines after the options in the command's help: mostly examples. */
  readonly more?: readonly string[];
  readonly options?: OptionTable | undefined;
  readonly commands?: readonly Listed[];
  /** Resolves to the exit code (model/exit-code.ts); throws ProblemError for exit code 2. */
  readonly run?: ((context: ProcessContext, args: readonly string[], given: RawOptions) => Promise<number>) | undefined;
}

/** A command whose `run` takes the parsed values of its options. */
interface TypedWork<T extends OptionTable> {
  readonly options: T;
  readonly more?: readonly string[];
  readonly run: (context: Context, args: readonly string[], options: OptionValues<T>) => Promise<number>;
}

export function defineCommand<T extends OptionTable>(
  command: TypedWork<T>,
): Work & Required<Pick<Work, 'options' | 'run'>> {
  const { options } = command;
  return {
    ...command,
    run: async (context, args, given) => {
      const parsed = parseOptions(options, given);
      const { createSuggest } = await import('../options/suggest.ts');
      const prompts = context.streams.interactive
        ? (await import('../terminal/prompts.ts')).createPrompts(context)
        : undefined;
      const suggest = createSuggest(context, { ...parsed });
      return command.run({ ...context, prompts, typed: typedOptions(options, given), suggest }, args, parsed);
    },
  };
}

export function listed(
  name: string,
  summary: string,
  load: () => Promise<{ readonly command: Work }>,
  args?: string,
): Listed {
  return { name, arguments: args, summary, load: async () => (await load()).command };
}

/** A subcommand in the file of its command. */
export function defineSubcommand<T extends OptionTable>(command: Entry & TypedWork<T>): Listed {
  return { ...command, load: async () => defineCommand(command) };
}

/** What a command may use of the outside world. */
export interface Context extends ProcessContext {
  /** Builds commands to paste, which repeat the options of this one. */
  readonly suggest: Suggest;
}

/** The same before a command is known. */
export interface ProcessContext extends Surroundings {
  readonly streams: Streams;
  /**
   * Called before work begins that must end in order. Until then, a signal ends the program at once; afterwards
   * `signal` is aborted and the program waits for the command. A second signal ends it at once.
   *
   * @param next the command that continues work whose requests may be in flight then
   */
  readonly takeSignals: (next?: string) => void;
}
