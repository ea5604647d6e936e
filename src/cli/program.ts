/**
 * Runs the command line (command-line.ts, built from commands/index.ts) as a process: creates the streams, handles process
 * signals, reports errors and chooses the exit code.
 */
import { setMaxListeners } from 'node:events';
import { existsSync, writeSync } from 'node:fs';
import path from 'node:path';
import { printable } from '../lib/printable.ts';
import { shellOn } from '../lib/shell.ts';
import { attempt } from '../lib/text.ts';
import { errorObject } from '../lib/version.ts';
import { signalExitCode } from '../model/exit-code.ts';
import { Cancelled } from '../questions/question.ts';
import { reportOf } from '../report/problem-text.ts';
import { jsonLine, problemEntry } from '../terminal/log.ts';
import { openStreams, type Streams } from '../terminal/streams.ts';
import { earlyFlags, runCli } from './command-line.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** `timeout` of coreutils sends SIGTERM to the program, and again to its process group. */
const SAME_SIGNAL_MS = 1000;

type SignalName = (typeof SIGNALS)[number];

export interface ProgramResult {
  readonly exitCode: number;
  /** Ends the process with a signal; a shell shows that as the same exit code. */
  readonly killSelf?: () => void;
}

/** Resolves when the output is flushed. Errors of commands are reported, not thrown. @param early signals that arrived before */
export async function runProgram(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  early: readonly NodeJS.Signals[],
): Promise<ProgramResult> {
  const { json, ...flags } = earlyFlags(argv);
  const invocation = findInvocation(env);
  const streams = await openStreams({
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env,
    ...flags,
    invocation,
  });
  if (streams.isLog) {
    // Node writes its warnings, such as those about deprecated functions, to stderr as text.
    process.removeAllListeners('warning');
    process.on('warning', ({ name, message }) => streams.problem('warning', { code: `node.${name}`, message }));
  }
  const signals = watchSignals(early, (name, next) => reportImmediateStop(name, streams, { json, next }));
  const context = {
    streams,
    env,
    argv,
    invocation,
    shell: shellOn(process.platform),
    signal: signals.aborted,
    takeSignals: signals.take,
  };
  const result = await waitForResult(streams, json, runCli(argv, context), signals.beforeWork);
  signals.release();
  await Promise.all([flush(process.stdout), flush(process.stderr)]);
  // A failed write to a file is reported one turn of the event loop after the buffer is empty.
  await new Promise((resolve) => setImmediate(resolve));
  // EPIPE, as in `| head`, ends the output but not the upload. A failure of stderr is ignored: there is nowhere left to report it.
  const unwritable = streams.failures.get('stdout');
  if (unwritable === undefined || unwritable.code === 'EPIPE') return result;
  const rest = streams.hasOutput ? '' : ' The run is not affected: its summary is in the run folder.';
  streams.err(`Cannot write to stdout: ${printable(unwritable.message)}.${rest}\n`);
  await flush(process.stderr);
  return streams.hasOutput && result.exitCode === 0 ? { exitCode: 1 } : result;
}

async function waitForResult(
  streams: Streams,
  json: boolean,
  running: Promise<number>,
  beforeWork: Promise<SignalName>,
): Promise<ProgramResult> {
  try {
    const result = await Promise.race([running, beforeWork]);
    if (typeof result === 'number') return { exitCode: result };
    const exitCode = signalExitCode(result);
    reportCancelled(streams, exitCode, json);
    return { exitCode, killSelf: () => killSelf(result) };
  } catch (error) {
    return { exitCode: reportError(streams, error, json) };
  }
}

function reportCancelled(streams: Streams, exitCode: number, json: boolean): void {
  const message = 'Cancelled: nothing was sent or changed.';
  const problem = { code: 'cancelled', message };
  if (json) streams.json(errorObject(exitCode, [problem]));
  streams.tell(`${message}\n`);
  streams.log(problemEntry('error', problem));
}

/** Reports what was thrown and returns the exit code (model/exit-code.ts). */
export function reportError(streams: Streams, error: unknown, json: boolean): number {
  if (error instanceof Cancelled) {
    const exitCode = signalExitCode('SIGINT');
    reportCancelled(streams, exitCode, json);
    return exitCode;
  }
  const { exitCode, problems } = reportOf(error);
  if (json) streams.json(errorObject(exitCode, problems));
  if (exitCode !== 1) {
    for (const problem of problems) streams.problem('error', problem);
    return exitCode;
  }
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  for (const bug of problems) streams.log(problemEntry('error', bug));
  streams.err('This is a bug in signals. Please report it with these lines:\n');
  for (const line of stack.split('\n')) streams.err(`${printable(line)}\n`);
  return exitCode;
}

/**
 * The first signal aborts the command, which then shuts down cleanly. The second one ends the process. A SIGTERM or SIGHUP
 * right after the first signal is ignored, because `timeout` sends two.
 *
 * @param onSecond called before the process ends; it must write synchronously
 */
function watchSignals(early: readonly NodeJS.Signals[], onSecond: (name: SignalName, next?: string) => void) {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  let taken = false;
  let continued: string | undefined;
  let abortedAt = 0;
  const beforeWork = new Promise<SignalName>((resolve) => {
    for (const name of SIGNALS) {
      const onSignal = (): void => {
        if (controller.signal.aborted) {
          if (name !== 'SIGINT' && performance.now() - abortedAt < SAME_SIGNAL_MS) return;
          if (taken) onSecond(name, continued);
          killSelf(name);
        }
        abortedAt = performance.now();
        controller.abort(name);
        if (!taken) resolve(name);
      };
      process.on(name, onSignal);
      if (early.includes(name)) onSignal();
    }
  });
  // Without a listener, these end the process. With one, a write above the file-size limit fails with EFBIG.
  for (const name of ['SIGXFSZ', 'SIGUSR2']) process.on(name, () => undefined);
  const take = (next?: string): void => {
    taken = true;
    continued = next;
  };
  /** From now on, a signal interrupts no work that has to be reported. */
  const release = (): void => {
    taken = false;
  };
  return { aborted: controller.signal, take, release, beforeWork };
}

/** Writes synchronously, because the process ends next. */
function reportImmediateStop(
  name: SignalName,
  { isLog }: Streams,
  { json, next }: { readonly json: boolean; readonly next: string | undefined },
): void {
  const rest = next === undefined ? '' : ` The outcome of requests in flight is unknown. To continue: ${next}`;
  const message = `Stopped immediately.${rest}`;
  const errors = [{ code: 'ended', message }];
  tryWrite(2, isLog ? jsonLine(problemEntry('error', { code: 'ended', message })) : message);
  if (json) tryWrite(1, JSON.stringify(errorObject(signalExitCode(name), errors)));
}

function tryWrite(descriptor: number, line: string): void {
  // If the pipe is closed or full, the process ends all the same.
  attempt(() => writeSync(descriptor, `${line}\n`));
}

/** Raises the signal with its default action: process.exit would wait for a thread that is opening a pipe. */
function killSelf(name: SignalName): void {
  process.removeAllListeners(name);
  process.kill(process.pid, name);
}

/** How the program was called, so that commands in messages can be pasted. */
function findInvocation(env: NodeJS.ProcessEnv): string {
  if (env['npm_command'] === 'exec') return 'npx signals';
  const script = process.argv[1] ?? 'signals';
  if (path.basename(script) === 'signals') return 'signals';
  // A single executable (scripts/single-file.mjs), as typed.
  if (path.resolve(script) === process.execPath) return script;
  const relative = path.relative(process.cwd(), script);
  return existsSync(script) ? `node ${relative.startsWith('..') ? script : relative}` : 'signals';
}

/** Waits until buffered text is written, or the write fails because the reader is gone. */
async function flush(stream: NodeJS.WriteStream): Promise<void> {
  if (stream.destroyed || stream.writableLength === 0) return;
  await new Promise<void>((resolve) => {
    stream.once('error', () => resolve());
    stream.write('', () => resolve());
  });
}
