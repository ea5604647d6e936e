/** What a command is. cli.ts turns the table of commands into a command line; no command knows how it is parsed. */
import type { Shell } from '../../lib/shell.ts';
import type { Streams } from '../../terminal/streams.ts';

/** What the list of commands shows of one. */
export interface Entry {
  /** The word to type: `upload`. */
  readonly name: string;
  /** In commander's notation: `[files...]`, `<name> [value]`. */
  readonly arguments?: string;
  /** One line for the list of commands. */
  readonly summary: string;
}

/** An entry of the table of commands. Its work, and all that the work imports, is loaded when it was asked for. */
export interface Listed extends Entry {
  readonly load: () => Promise<Work>;
}

/** A command of a command: loaded with it. */
export interface Command extends Entry, Work {}

export interface Work {
  /** Shown behind the options in the command's own help: examples, mostly. */
  readonly more?: string;
  readonly options?: readonly Option[];
  /** A command of commands, such as `config`, has these and no `run`. */
  readonly commands?: readonly Command[];
  /** Does the work. Resolves to the exit code (cli.md, "Exit codes"); throws ProblemError for exit code 2. */
  readonly run?: (context: Context, args: readonly string[], options: Options) => Promise<number>;
}

export interface Option {
  /** In commander's notation: `-m, --map <file>`, `--no-header`. */
  readonly flags: string;
  readonly about: string;
  /** Heading under which help lists it. */
  readonly group?: string;
  /** May be given several times; its value is then an array of strings. */
  readonly repeat?: true;
  /** Allowed values. */
  readonly choices?: readonly string[];
}

/** Values as typed, by the option's camel-cased long name. A repeated option is an array. */
export type Options = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** What a command may use of the world. */
export interface Context {
  readonly streams: Streams;
  readonly env: NodeJS.ProcessEnv;
  /** The words behind the program's name, as typed. */
  readonly argv: readonly string[];
  /** How the program was called, for commands to paste: `npx signals` or `signals`. */
  readonly invocation: string;
  /** The kind of shell that these commands are typed into. */
  readonly shell: Shell;
  /** Aborted by the first SIGINT, SIGTERM or SIGHUP; the reason is the signal's name. */
  readonly signal: AbortSignal;
  /**
   * To be called before anything is begun that must end in order: until then a signal ends the program at once, and
   * afterwards `signal` is aborted and the command is waited for.
   */
  readonly takeSignals: () => void;
}
