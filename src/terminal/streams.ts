/**
 * The three standard streams and their properties: interactive or not, colour, width. Created once, in program.ts; no other
 * module uses `process.stdout`. A closed pipe (`| head`) is no error.
 */
import { fstatSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { printable } from '../lib/printable.ts';
import { attempt, messageOf } from '../lib/text.ts';
import type { Problem } from '../model/problem.ts';
import type { LogEntry } from '../model/published-schemas.ts';
import { describeProblem } from '../report/problem-text.ts';
import { plain, type Style, wrapLines } from '../report/text-layout.ts';
import { createFileLog, createLog, type Log, type LogFormat, problemEntry } from './log.ts';

export type InputStream = Readable & { readonly isTTY?: boolean };
export type Output = Writable & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  /** Columns and rows. */
  getWindowSize?(): [number, number];
};

type StreamName = 'stdout' | 'stderr';

interface StreamOptions {
  readonly stdin: InputStream;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: NodeJS.ProcessEnv;
  readonly noColor?: boolean;
  /** `--yes`: never prompts */
  readonly yes?: boolean;
  readonly quiet?: boolean;
  /** How commands in messages begin. */
  readonly invocation?: string;
  readonly logFormat?: LogFormat | undefined;
  /** Takes the log; stderr is then for people. */
  readonly logFile?: string | undefined;
}

export class Streams {
  readonly stdin: InputStream;
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
  /** Whether stderr is a log for programs, in which nothing else may be written. */
  readonly isLog: boolean;
  /** Why a stream can no longer be written: `EPIPE` if the reader closed the pipe, or for example `ENOSPC`. */
  readonly failures = new Map<StreamName, NodeJS.ErrnoException>();
  /** Whether {@link out} or {@link print} was called. */
  hasOutput = false;
  readonly #given: StreamOptions;
  readonly #log: Log | undefined;

  /** @param colored the style of a stream that is coloured ({@link openStreams}) */
  constructor(given: StreamOptions, colored: Style = plain) {
    const { stdin, stdout, stderr, env } = given;
    this.#given = given;
    this.stdin = stdin;
    this.stderr = stderr;
    this.isTTY = { stdin: stdin.isTTY === true, stdout: stdout.isTTY === true, stderr: stderr.isTTY === true };
    this.draws = this.isTTY.stderr && !isOn(env['CI']) && env['TERM'] !== 'dumb';
    this.stdinHoldsData = holdsData(stdin);
    this.color = coloredStreams(given);
    this.style = { out: this.color.out ? colored : plain, err: this.color.err ? colored : plain };
    this.isLog = given.logFormat === 'json' && given.logFile === undefined;
    this.interactive = this.isTTY.stdin && this.draws && given.yes !== true && !this.isLog;
    this.#log = this.#openLog(given);
    // Without a listener, an error on stdout ends the program with a stack trace.
    for (const name of ['stdout', 'stderr'] as const) {
      given[name].on('error', (error) => this.failures.has(name) || this.failures.set(name, error));
    }
  }

  #openLog({ logFormat = 'text', logFile, quiet }: StreamOptions): Log | undefined {
    if (this.isLog) return createLog('json', (text) => this.#write('stderr', text), quiet);
    if (logFile === undefined) return undefined;
    return createFileLog(logFormat, logFile, (error) => {
      const reason = printable(messageOf(error));
      this.#write('stderr', `warning: Cannot write the log ${printable(logFile)}: ${reason}. The run continues.\n`);
    });
  }

  #write(name: StreamName, text: string): void {
    if (!this.failures.has(name)) this.#given[name].write(text);
  }

  #writeForPeople(name: StreamName, text: string): void {
    const columns = columnsOf(this.#given[name]);
    this.#write(name, columns === undefined ? text : wrapLines(text, columns, this.#given.invocation).join('\n'));
  }

  /** Current columns of the terminal; 80 without one. */
  width(): number {
    return columnsOf(this.stderr) ?? columnsOf(this.#given.stdout) ?? 80;
  }

  /** Writes data to stdout unchanged, without adding a line break. Does nothing once the stream is closed. */
  out(text: string): void {
    this.hasOutput = true;
    this.#write('stdout', text);
  }

  json(value: object): void {
    this.out(`${JSON.stringify(value)}\n`);
  }

  /** Like {@link out}, for people: on a terminal, lines are wrapped at words. */
  print(text: string): void {
    this.hasOutput = true;
    this.printSummary(text);
  }

  /** Like {@link print}, for text that is also in a file: losing it is not a failure. */
  printSummary(text: string): void {
    this.#writeForPeople('stdout', text);
  }

  /** Like {@link print}, to stderr, and to the log. */
  err(text: string): void {
    this.tell(text);
    this.#log?.addText(text);
  }

  /** Like {@link err}, but silent with `--quiet`. */
  note(text: string): void {
    if (this.#given.quiet !== true) this.tell(text);
    this.#log?.addText(text);
  }

  /** Like {@link err}, for text that the log has in another form. */
  tell(text: string): void {
    if (!this.isLog) this.#writeForPeople('stderr', text);
  }

  /** Reports a problem on stderr and in the log; a warning only in the log with `--quiet`. @param run whose it is */
  problem(level: 'warning' | 'error', problem: Problem, run?: string): void {
    const { err: style } = this.style;
    const about = run === undefined ? '' : `${printable(run)}: `;
    const colored = level === 'error' ? style.red(level) : style.yellow(level);
    // The command of --on-end is often an alarm: with --quiet, only this line tells that it is broken.
    const isSilent = level === 'warning' && this.#given.quiet === true && problem.code !== 'hook.failed';
    if (!isSilent) this.tell(`${colored}: ${about}${describeProblem(problem, style)}\n`);
    this.log(problemEntry(level, problem, run));
  }

  log(entry: LogEntry): void {
    this.#log?.add(entry);
  }

  get hasLog(): boolean {
    return this.#log !== undefined;
  }
}

/** A terminal and /dev/null do not count as data. */
function holdsData(stdin: InputStream): boolean {
  if (!('fd' in stdin) || typeof stdin.fd !== 'number' || stdin.isTTY === true) return false;
  const { fd } = stdin;
  // Fails if stdin is closed.
  const stats = attempt(() => fstatSync(fd));
  return stats !== undefined && (stats.isFIFO() || stats.isSocket() || stats.isFile());
}

/** Loads chalk only if a stream is coloured: it takes a tenth of the time of `--help`. */
export async function openStreams(given: StreamOptions): Promise<Streams> {
  const { out, err } = coloredStreams(given);
  // Only the sixteen colours that every terminal supports.
  return new Streams(given, out || err ? new (await import('chalk')).Chalk({ level: 1 }) : plain);
}

function coloredStreams({ stdout, stderr, env, noColor }: StreamOptions): Streams['color'] {
  const forced = forcedColor(env, noColor === true);
  return { out: forced ?? stdout.isTTY === true, err: forced ?? stderr.isTTY === true };
}

/** For both streams; undefined if each decides. In order: `--no-color`, FORCE_COLOR, NO_COLOR (as in Node), the terminal. */
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
