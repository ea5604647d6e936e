/**
 * The outermost layer: argv, process signals, and the only place that sets an exit code. Everything that can go
 * wrong ends here, as a sentence for people or as JSON for scripts, and never as a bare stack trace.
 */
import { setMaxListeners } from 'node:events';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { earlyFlags, runCli } from './cli.ts';
import { HeldError } from './journal/lock.ts';
import { ProblemError } from './model/problem.ts';
import { describeProblem } from './report/issue.ts';
import { printable } from './report/printable.ts';
import { Cancelled } from './terminal/prompts.ts';
import { type ClosedPipe, createStreams, type Streams } from './terminal/streams.ts';

/** cli.md, "Exit codes": SIGINT is 130, whatever else ends the program is 143. */
const SIGNAL_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 143 } as const;

/** The signal that ends the program in place of its exit code, which a shell shows as the same number. */
let endWith: keyof typeof SIGNAL_CODES | undefined;

/** Of more problems than this the rest is counted. */
const PROBLEMS_SHOWN = 50;

async function main(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const early = earlyFlags(argv);
  const streams = createStreams({
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env,
    noColor: early.noColor,
    yes: early.yes,
  });
  // A reader that went away (`| head`) ends the talking, not the upload. Anything else is told.
  let unwritable: ClosedPipe | undefined;
  streams.onClosedPipe((closed) => {
    if (closed.code !== 'EPIPE') unwritable ??= closed;
  });
  const signals = watchSignals();
  const context = {
    streams,
    env,
    argv,
    invocation: await invocationOf(env),
    signal: signals.aborted,
    takeSignals: signals.take,
  };
  let exitCode: number;
  try {
    exitCode = await Promise.race([runCli(argv, context), signals.untaken]);
  } catch (error) {
    exitCode = tell(streams, error, early.json);
  }
  await Promise.all([flush(process.stdout), flush(process.stderr)]);
  if (unwritable === undefined) return exitCode;
  streams.err(`${unwritable.stream} cannot be written: ${printable(unwritable.error.message)}.\n`);
  return exitCode === 0 ? 1 : exitCode;
}

interface Signals {
  readonly aborted: AbortSignal;
  /** Called by a command that ends in order when it is aborted. */
  readonly take: () => void;
  /** Rejects where a signal came that no command has taken: nothing was begun, so there is nothing to end. */
  readonly untaken: Promise<never>;
}

/** The first signal lets the work end in order, where there is any; the second one ends it now. */
function watchSignals(): Signals {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  let taken = false;
  let reject: (error: Error) => void = () => undefined;
  const untaken = new Promise<never>((_resolve, refuse) => {
    reject = refuse;
  });
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (controller.signal.aborted) endNow(name);
      controller.abort(name);
      if (!taken) reject(new Interrupted(name));
    });
  }
  // A limit on the size of files is a full disk like any other: the write fails, and its failure is told.
  process.on('SIGXFSZ', () => undefined);
  const take = (): void => {
    taken = true;
  };
  return { aborted: controller.signal, take, untaken };
}

/** By the signal itself, as if it had never been caught: process.exit would wait for a thread that opens a pipe. */
function endNow(name: keyof typeof SIGNAL_CODES): void {
  process.removeAllListeners(name);
  process.kill(process.pid, name);
}

class Interrupted extends Error {
  readonly signal: keyof typeof SIGNAL_CODES;

  constructor(signal: keyof typeof SIGNAL_CODES) {
    super(signal);
    this.signal = signal;
  }
}

function tell(streams: Streams, error: unknown, json: boolean): number {
  if (error instanceof Cancelled || error instanceof Interrupted) {
    const exitCode = error instanceof Interrupted ? SIGNAL_CODES[error.signal] : 130;
    const message = 'Cancelled: nothing was sent, and nothing was changed.';
    if (json) streams.out(`${JSON.stringify({ exitCode, problems: [{ code: 'cancelled', message }] })}\n`);
    streams.err(`${message}\n`);
    if (error instanceof Interrupted) endWith = error.signal;
    return exitCode;
  }
  if (error instanceof ProblemError) {
    const exitCode = error instanceof HeldError ? 7 : 2;
    if (json) streams.out(`${JSON.stringify({ exitCode, problems: error.problems })}\n`);
    for (const problem of error.problems.slice(0, PROBLEMS_SHOWN)) {
      streams.err(`${streams.style.err.red('error')}: ${describeProblem(problem, streams.style.err)}\n`);
    }
    const more = error.problems.length - PROBLEMS_SHOWN;
    if (more > 0) streams.err(`and ${more} more of the kind\n`);
    return exitCode;
  }
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  if (json)
    streams.out(`${JSON.stringify({ exitCode: 1, problems: [{ code: 'bug', message: String(error) }] })}\n`);
  streams.err('This is a mistake of the program, not yours. Please report it with these lines:\n');
  for (const line of stack.split('\n')) streams.err(`${printable(line)}\n`);
  return 1;
}

/** The words with which the program was called, so that commands in messages can be pasted. */
async function invocationOf(env: NodeJS.ProcessEnv): Promise<string> {
  if (env['npm_command'] === 'exec') return 'npx signals';
  const script = process.argv[1] ?? 'signals';
  if (path.basename(script) === 'signals') return 'signals';
  const relative = path.relative(process.cwd(), script);
  const exists = await stat(script).then(
    () => true,
    () => false,
  );
  return exists ? `node ${relative.startsWith('..') ? script : relative}` : 'signals';
}

/** Written text may still stand in a pipe's buffer; a reader that is gone never takes it, so nobody waits for ever. */
async function flush(stream: NodeJS.WriteStream): Promise<void> {
  if (stream.destroyed || stream.writableLength === 0) return;
  await new Promise<void>((resolve) => {
    stream.once('error', () => resolve());
    stream.write('', () => resolve());
  });
}

const code = await main(process.argv.slice(2), process.env);
await flush(process.stderr);
if (endWith !== undefined) endNow(endWith);
// A pipe on stdin that nobody closes would keep the process alive.
process.exit(code);
