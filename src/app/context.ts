/** What a use case may use of the outside world. It knows no screen: cli/ and library/ pass in what reaches the user. */
import type { Readable } from 'node:stream';
import type { RateLimit } from '../deliver/rate-limit.ts';
import type { Shell } from '../lib/shell.ts';
import type { Problem } from '../model/problem.ts';
import type { OptionValues, TypedOptions } from '../options/option-spec.ts';
import type { OptionsOf } from '../options/option-table.ts';
import type { Prompts } from '../questions/question.ts';

export interface Surroundings {
  /** Input, and words for the user. terminal/streams.ts has the streams of the process. */
  readonly streams: {
    readonly stdin: Readable;
    /** Whether rows are read from stdin without being requested: it is a pipe, a socket or a file. */
    readonly stdinHoldsData: boolean;
    readonly err: (text: string) => void;
    readonly problem: (level: 'warning', problem: Problem) => void;
    readonly width: () => number;
  };
  /** Absent without a terminal. */
  readonly prompts?: Prompts | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly argv: readonly string[];
  readonly typed?: TypedOptions | undefined;
  /** How the program was called, for suggested commands: `npx signals` or `signals`. */
  readonly invocation: string;
  /** The shell into which suggested commands are pasted. */
  readonly shell: Shell;
  /** Limits that one run of a command leaves to the next, by address and rate. Absent if the command sends one run. */
  readonly rateLimits?: Map<string, RateLimit> | undefined;
  /** Aborted by the first SIGINT, SIGTERM or SIGHUP; the reason is the signal's name. */
  readonly signal: AbortSignal;
}

/** What check, upload and resume share: how the result and the progress are shown. */
export type ShownOptions = Pick<
  OptionValues<OptionsOf<'check'>>,
  'json' | 'quiet' | 'verbose' | 'progress' | 'failOn' | 'yes'
>;
