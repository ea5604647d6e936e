/**
 * The three standard streams, and what can be done with them: whether somebody sits there, whether colour is
 * wanted, how wide the screen is. Made once, in program.ts, and handed to everybody; nobody else touches
 * `process.stdout`. Writing goes through out() and err() alone, so that a reader who went away (`| head`) is
 * handled in one place.
 */
import { fstatSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { Chalk } from 'chalk';
import { plain, type Style } from '../report/style.ts';

export type Input = Readable & { readonly isTTY?: boolean };
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** What happened to a stream that can be written to no more. */
export interface ClosedPipe {
  readonly stream: 'stdout' | 'stderr';
  /** `EPIPE` where the reader went away; else the system's error, such as `ENOSPC`. */
  readonly code: string;
  readonly error: Error;
}

export interface Streams {
  readonly stdin: Input;
  /** For libraries that draw, and to ask for `columns`; write with {@link out}. */
  readonly stdout: Output;
  /** For libraries that draw; write with {@link err}. */
  readonly stderr: Output;
  readonly isTTY: { readonly stdin: boolean; readonly stdout: boolean; readonly stderr: boolean };
  /** Whether progress may be drawn on stderr: it is a terminal that can draw, and no CI. */
  readonly draws: boolean;
  /** Whether rows can be read from stdin although nobody asked for it: it is a pipe, a socket or a file. */
  readonly stdinHoldsData: boolean;
  /** Whether a question can be asked: stdin and stderr are a terminal that can draw, no CI, not `--yes`. */
  readonly interactive: boolean;
  /** Whether each stream takes colour: one may be a terminal and the other a file. */
  readonly color: { readonly out: boolean; readonly err: boolean };
  readonly style: { readonly out: Style; readonly err: Style };
  /** Columns of the terminal, now; 80 where there is none. */
  width(): number;
  /** Writes to stdout, as it is: no line end is added. Writes nothing once the stream is closed. */
  out(text: string): void;
  /** Writes to stderr, as it is. Writes nothing once the stream is closed. */
  err(text: string): void;
  /** Calls back once for each stream that can be written to no more, also where that happened before. */
  onClosedPipe(callback: (closed: ClosedPipe) => void): void;
}

/**
 * @param given.noColor `--no-color`
 * @param given.yes `--yes`: no question is asked
 */
export function createStreams(given: {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: NodeJS.ProcessEnv;
  readonly noColor?: boolean;
  readonly yes?: boolean;
}): Streams {
  const { stdin, stdout, stderr, env } = given;
  const isTTY = {
    stdin: stdin.isTTY === true,
    stdout: stdout.isTTY === true,
    stderr: stderr.isTTY === true,
  };
  const wish = colorWish(env, given.noColor === true);
  const color = { out: wish ?? isTTY.stdout, err: wish ?? isTTY.stderr };
  const draws = isTTY.stderr && !isOn(env['CI']) && env['TERM'] !== 'dumb';
  const pipes = watchPipes(stdout, stderr);
  return {
    stdin,
    stdout,
    stderr,
    isTTY,
    stdinHoldsData: holdsData(stdin),
    draws,
    interactive: isTTY.stdin && draws && given.yes !== true,
    color,
    style: { out: createStyle(color.out), err: createStyle(color.err) },
    width: () => columnsOf(stderr) ?? columnsOf(stdout) ?? 80,
    out: (text) => {
      if (!pipes.closed.has('stdout')) stdout.write(text);
    },
    err: (text) => {
      if (!pipes.closed.has('stderr')) stderr.write(text);
    },
    onClosedPipe: pipes.onClosed,
  };
}

/** A terminal is somebody who waits, and /dev/null is nobody: neither is data. */
function holdsData(stdin: Input): boolean {
  if (!('fd' in stdin) || typeof stdin.fd !== 'number' || stdin.isTTY === true) return false;
  try {
    const stats = fstatSync(stdin.fd);
    return stats.isFIFO() || stats.isSocket() || stats.isFile();
  } catch {
    // There is no stdin at all.
    return false;
  }
}

/** Functions that give their text back where there is no colour. Else only the sixteen colours that every terminal has. */
function createStyle(color: boolean): Style {
  if (!color) return plain;
  const chalk = new Chalk({ level: 1 });
  return {
    bold: (text) => chalk.bold(text),
    dim: (text) => chalk.dim(text),
    red: (text) => chalk.red(text),
    yellow: (text) => chalk.yellow(text),
    green: (text) => chalk.green(text),
  };
}

/**
 * Whether colour is asked for or forbidden, whatever the stream is; undefined where the stream decides. The nearest
 * word wins: `--no-color`, then FORCE_COLOR, then NO_COLOR (as in Node itself), then what the terminal can do.
 */
function colorWish(env: NodeJS.ProcessEnv, noColor: boolean): boolean | undefined {
  if (noColor) return false;
  const force = env['FORCE_COLOR'];
  if (force !== undefined) return force === '' || isOn(force);
  // no-color.org: any value but the empty one counts.
  const no = env['NO_COLOR'];
  if (no !== undefined && no !== '') return false;
  return isOn(env['CI']) || env['TERM'] === 'dumb' ? false : undefined;
}

/** A variable that is set, and not to a word for no. */
function isOn(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false', 'no'].includes(value.toLowerCase());
}

function columnsOf(stream: Output): number | undefined {
  return stream.isTTY === true && stream.columns !== undefined && stream.columns > 0
    ? stream.columns
    : undefined;
}

/** Without a listener, an error of stdout ends the program with a stack trace. */
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
