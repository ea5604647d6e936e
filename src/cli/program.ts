/**
 * The program around its commands: the streams, process signals, and the end. Everything that can go wrong ends
 * here, as a sentence for people or as JSON for scripts, and never as a bare stack trace.
 */
import { setMaxListeners } from 'node:events';
import { writeSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { printable } from '../lib/printable.ts';
import { shellOn } from '../lib/shell.ts';
import { signalExitCode } from '../lib/signal-exit-code.ts';
import { type ClosedPipe, createStreams, type Streams } from '../terminal/streams.ts';
import { earlyFlags, runCli } from './command-line.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

type SignalName = (typeof SIGNALS)[number];

export interface Ended {
  readonly exitCode: number;
  /** Ends the process by a signal in place of its exit code, which a shell shows as the same number. */
  readonly bySignal?: () => void;
}

/** Runs what the arguments ask for, and resolves when all that was written has left. Rejects only for a mistake in itself. */
export async function program(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> {
  const { json, noColor, yes } = earlyFlags(argv);
  const streams = createStreams({
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env,
    noColor,
    yes,
  });
  // A reader that went away (`| head`) ends the talking, not the upload. Anything else is told.
  let unwritable: ClosedPipe | undefined;
  streams.onClosedPipe((closed) => {
    if (closed.code !== 'EPIPE') unwritable ??= closed;
  });
  const signals = watchSignals((name) => sayEndedAtOnce(name, json));
  const context = {
    streams,
    env,
    argv,
    invocation: await invocationOf(env),
    shell: shellOn(process.platform),
    signal: signals.aborted,
    takeSignals: signals.take,
  };
  const ended = await conclude(streams, json, runCli(argv, context), signals.untaken);
  await Promise.all([flush(process.stdout), flush(process.stderr)]);
  // A file tells that its last write has failed in the next turn, when nothing stands in a buffer any more.
  await new Promise((resolve) => setImmediate(resolve));
  if (unwritable === undefined) return ended;
  streams.err(`${unwritable.stream} cannot be written: ${printable(unwritable.error.message)}.\n`);
  await flush(process.stderr);
  return ended.exitCode === 0 ? { exitCode: 1 } : ended;
}

/** Waits for the command, or for a signal that ends it before it began, and tells what went wrong. */
async function conclude(
  streams: Streams,
  json: boolean,
  running: Promise<number>,
  untaken: Promise<SignalName>,
): Promise<Ended> {
  try {
    const ended = await Promise.race([running, untaken]);
    if (typeof ended === 'number') return { exitCode: ended };
    const exitCode = signalExitCode(ended);
    (await import('./report-error.ts')).tellCancelled(streams, exitCode, json);
    return { exitCode, bySignal: () => endNow(ended) };
  } catch (error) {
    return { exitCode: await (await import('./report-error.ts')).tell(streams, error, json) };
  }
}

interface Signals {
  readonly aborted: AbortSignal;
  /** Called by a command that ends in order when it is aborted. */
  readonly take: () => void;
  /** Resolves where a signal came that no command has taken: nothing was begun, so there is nothing to end. */
  readonly untaken: Promise<SignalName>;
}

/**
 * The first signal lets the work end in order, where there is any; the second one ends it now.
 *
 * @param onSecond called before the process ends: what it writes must be written when it returns
 */
function watchSignals(onSecond: (name: SignalName) => void): Signals {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  let taken = false;
  let end: (name: SignalName) => void = () => undefined;
  const untaken = new Promise<SignalName>((resolve) => {
    end = resolve;
  });
  for (const name of SIGNALS) {
    process.on(name, () => {
      if (controller.signal.aborted) {
        if (taken) onSecond(name);
        endNow(name);
      }
      controller.abort(name);
      if (!taken) end(name);
    });
  }
  // A limit on the size of files is a full disk like any other: the write fails, and its failure is told.
  process.on('SIGXFSZ', () => undefined);
  const take = (): void => {
    taken = true;
  };
  return { aborted: controller.signal, take, untaken };
}

/** The process has no time left to wait for its streams, and whoever reads its JSON waits for one object. */
function sayEndedAtOnce(name: SignalName, json: boolean): void {
  const message = 'Ended at once: what was under way is unknown until the run is gone on with.';
  const problems = [{ code: 'ended', message, hint: 'Go on with `resume`.' }];
  const lines: [number, string][] = [
    [2, `${message}\n`],
    ...(json
      ? [[1, JSON.stringify({ exitCode: signalExitCode(name), problems })] satisfies [number, string]]
      : []),
  ];
  for (const [stream, line] of lines) {
    try {
      writeSync(stream, `${line.trimEnd()}\n`);
    } catch {
      // Nobody reads there any more, or a pipe is full: there is no third way to tell it.
    }
  }
}

/** By the signal itself, as if it had never been caught: process.exit would wait for a thread that opens a pipe. */
function endNow(name: SignalName): void {
  process.removeAllListeners(name);
  process.kill(process.pid, name);
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
