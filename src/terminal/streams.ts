/**
 * The three standard streams and their properties: interactive or not, colour, width. Created once, in program.ts; no
 * other module uses `process.stdout`. All writes go through out() and err(), which handle a closed pipe (`| head`).
 */
import { fstatSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { Chalk } from 'chalk';
import { printable } from '../lib/printable.ts';
import { messageOf } from '../lib/text.ts';
import type { LogEntry } from '../model/log-line.ts';
import type { Problem } from '../model/problem.ts';
import { describeProblem } from '../report/problem-text.ts';
import { plain, type Style, wrapLines } from '../report/text-layout.ts';
import { createFileLog, createLog, type Log, type LogFormat, problemEntry } from './log.ts';

export type Input = Readable & { readonly isTTY?: boolean };
export type Output = Writable & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  /** Columns and rows. */
  getWindowSize?(): [number, number];
};

/** A stream that can no longer be written. */
export interface ClosedPipe {
  readonly stream: 'stdout' | 'stderr';
  /** `EPIPE` if the reader closed the pipe, else another system error such as `ENOSPC`. */
  readonly code: string;
  readonly error: Error;
}

export interface Streams {
  readonly stdin: Input;
  /** For libraries that draw, and for `columns`. Write with {@link out}. */
  readonly stdout: Output;
  /** For libraries that draw. Write with {@link err}. */
  readonly stderr: Output;
  readonly isTTY: { readonly stdin: boolean; readonly stdout: boolean; readonly stderr: boolean };
  /** Whether progress may be drawn on stderr: it is a terminal that supports drawing, outside CI. */
  readonly draws: boolean;
  /** Whether rows are read from stdin without being requested: it is a pipe, a socket or a file. */
  readonly stdinHoldsData: boolean;
  /** Whether prompts are possible: stdin is a terminal, progress may be drawn on stderr, and `--yes` is not given. */
  readonly interactive: boolean;
  /** Whether each stream is coloured: one may be a terminal and the other a file. */
  readonly color: { readonly out: boolean; readonly err: boolean };
  readonly style: { readonly out: Style; readonly err: Style };
  /** Current columns of the terminal; 80 without one. */
  width(): number;
  /** Writes data to stdout unchanged, without adding a line break. Does nothing once the stream is closed. */
  out(text: string): void;
  /** Like {@link out}, for people: on a terminal, lines are wrapped at words. */
  print(text: string): void;
  /** Like {@link print}, for text that is also in a file: losing it is not a failure. */
  printSummary(text: string): void;
  /** Whether {@link out} or {@link print} was called. */
  readonly hasOutput: boolean;
  /** Like {@link print}, to stderr, and to the log. */
  err(text: string): void;
  /** Like {@link err}, but silent with `--quiet`. */
  note(text: string): void;
  /** Like {@link err}, for text that the log has in another form. */
  tell(text: string): void;
  /** Reports a problem on stderr and in the log; a warning only in the log with `--quiet`. @param run whose it is */
  problem(level: 'warning' | 'error', problem: Problem, run?: string): void;
  /** Adds an entry to the log, if there is one. */
  log(entry: LogEntry): void;
  /** Whether there is a log: on stderr or in a file. */
  readonly hasLog: boolean;
  /** Whether stderr is a log for programs, in which nothing else may be written. */
  readonly isLog: boolean;
  /** Calls back once for each closed stream, also for those that closed before the call. */
  onClosedPipe(callback: (closed: ClosedPipe) => void): void;
}

/**
 * @param given.noColor `--no-color`
 * @param given.yes `--yes`: never prompts
 */
export function createStreams(given: {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: NodeJS.ProcessEnv;
  readonly noColor?: boolean;
  readonly yes?: boolean;
  readonly quiet?: boolean;
  /** How commands in messages begin. */
  readonly invocation?: string;
  readonly logFormat?: LogFormat | undefined;
  /** Takes the log; stderr is then for people. */
  readonly logFile?: string | undefined;
}): Streams {
  const { stdin, stdout, stderr, env } = given;
  const isTTY = {
    stdin: stdin.isTTY === true,
    stdout: stdout.isTTY === true,
    stderr: stderr.isTTY === true,
  };
  const forced = forcedColor(env, given.noColor === true);
  const color = { out: forced ?? isTTY.stdout, err: forced ?? isTTY.stderr };
  const draws = isTTY.stderr && !isOn(env['CI']) && env['TERM'] !== 'dumb';
  const pipes = watchPipes(stdout, stderr);
  let hasOutput = false;
  const write = (name: 'stdout' | 'stderr', text: string): void => {
    if (!pipes.closed.has(name)) given[name].write(text);
  };
  const forScreen = (stream: Output, text: string): string => {
    const columns = columnsOf(stream);
    return columns === undefined ? text : wrapLines(text, columns, given.invocation).join('\n');
  };
  const isLog = given.logFormat === 'json' && given.logFile === undefined;
  const style = { out: createStyle(color.out), err: createStyle(color.err) };
  const tell = (text: string): void => {
    if (!isLog) write('stderr', forScreen(stderr, text));
  };
  const log = openLog(given, isLog, (text) => write('stderr', text));
  const logText = (text: string): void => log?.addText(text);
  return {
    stdin,
    stdout,
    stderr,
    isTTY,
    stdinHoldsData: holdsData(stdin),
    draws,
    interactive: isTTY.stdin && draws && given.yes !== true && !isLog,
    color,
    style,
    width: () => columnsOf(stderr) ?? columnsOf(stdout) ?? 80,
    out: (text) => {
      hasOutput = true;
      write('stdout', text);
    },
    print: (text) => {
      hasOutput = true;
      write('stdout', forScreen(stdout, text));
    },
    printSummary: (text) => write('stdout', forScreen(stdout, text)),
    get hasOutput() {
      return hasOutput;
    },
    err: (text) => {
      tell(text);
      logText(text);
    },
    note: (text) => {
      if (given.quiet !== true) tell(text);
      logText(text);
    },
    tell,
    problem: (level, problem, run) => {
      const about = run === undefined ? '' : `${printable(run)}: `;
      const colored = level === 'error' ? style.err.red(level) : style.err.yellow(level);
      const isSilent = level === 'warning' && given.quiet === true;
      if (!isSilent) tell(`${colored}: ${about}${describeProblem(problem, style.err)}\n`);
      log?.add(problemEntry(level, problem, run));
    },
    log: (entry) => log?.add(entry),
    hasLog: log !== undefined,
    isLog,
    onClosedPipe: pipes.onClosed,
  };
}

function openLog(
  { logFormat = 'text', logFile, quiet }: Pick<Parameters<typeof createStreams>[0], 'logFormat' | 'logFile' | 'quiet'>,
  isLog: boolean,
  write: (text: string) => void,
): Log | undefined {
  if (isLog) return createLog('json', write, quiet);
  if (logFile === undefined) return undefined;
  return createFileLog(logFormat, logFile, (error) =>
    write(`warning: Cannot write the log ${printable(logFile)}: ${printable(messageOf(error))}. The run continues.\n`),
  );
}

/** A terminal and /dev/null do not count as data. */
function holdsData(stdin: Input): boolean {
  if (!('fd' in stdin) || typeof stdin.fd !== 'number' || stdin.isTTY === true) return false;
  try {
    const stats = fstatSync(stdin.fd);
    return stats.isFIFO() || stats.isSocket() || stats.isFile();
  } catch {
    // stdin is closed.
    return false;
  }
}

/** Uses only the sixteen colours that every terminal supports. Without colour, texts are returned unchanged. */
function createStyle(color: boolean): Style {
  if (!color) return plain;
  const chalk = new Chalk({ level: 1 });
  return {
    bold: (text) => chalk.bold(text),
    red: (text) => chalk.red(text),
    yellow: (text) => chalk.yellow(text),
    green: (text) => chalk.green(text),
  };
}

/**
 * Whether colour is forced on or off for both streams; undefined if each stream decides. In order of precedence:
 * `--no-color`, FORCE_COLOR, NO_COLOR (as in Node itself), then the abilities of the terminal.
 */
function forcedColor(env: NodeJS.ProcessEnv, noColor: boolean): boolean | undefined {
  if (noColor) return false;
  const force = env['FORCE_COLOR'];
  if (force !== undefined) return force === '' || isOn(force);
  // no-color.org: any non-empty value counts.
  const no = env['NO_COLOR'];
  if (no !== undefined && no !== '') return false;
  return isOn(env['CI']) || env['TERM'] === 'dumb' ? false : undefined;
}

/** Whether a variable is set to anything except a word for "off". */
function isOn(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false', 'no'].includes(value.toLowerCase());
}

function columnsOf(stream: Output): number | undefined {
  return stream.isTTY === true && stream.columns !== undefined && stream.columns > 0 ? stream.columns : undefined;
}

/** Without a listener, an error on stdout ends the program with a stack trace. */
function watchPipes(stdout: Output, stderr: Output) {
  const closed = new Map<'stdout' | 'stderr', ClosedPipe>();
  const callbacks: ((closed: ClosedPipe) => void)[] = [];
  const watch = (stream: 'stdout' | 'stderr', output: Output): void => {
    output.on('error', (error: NodeJS.ErrnoException) => {
      if (closed.has(stream)) return;
      const event = { stream, code: error.code ?? error.name, error };
      closed.set(stream, event);
      for (const callback of callbacks) callback(event);
    });
  };
  watch('stdout', stdout);
  watch('stderr', stderr);
  return {
    closed,
    onClosed: (callback: (closed: ClosedPipe) => void): void => {
      callbacks.push(callback);
      for (const event of closed.values()) callback(event);
    },
  };
}
