/**
 * The outermost layer: argv, process signals, and the only place that sets an exit code. Everything that can go
 * wrong ends here, as a sentence for people or as JSON for scripts, and never as a bare stack trace.
 */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { runCli } from './cli.ts';
import { HeldError } from './journal/lock.ts';
import { ProblemError } from './model/problem.ts';
import { describeProblem } from './report/issue.ts';
import { printable } from './report/printable.ts';
import { Cancelled } from './terminal/prompts.ts';
import { createStreams, type Streams } from './terminal/streams.ts';

/** cli.md, "Exit codes": SIGINT is 130, whatever else ends the program is 143. */
const SIGNAL_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 143 } as const;

async function main(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const streams = createStreams({
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env,
    noColor: argv.includes('--no-color'),
    yes: argv.includes('--yes'),
  });
  // A reader that went away (`| head`) ends the talking, not the upload.
  streams.onClosedPipe(() => undefined);
  const interrupted = watchSignals();
  const json = argv.includes('--json');
  try {
    return await runCli(argv, {
      streams,
      env,
      argv,
      invocation: await invocationOf(env),
      signal: interrupted,
    });
  } catch (error) {
    return tell(streams, error, json);
  }
}

/** The first signal lets the work end in order; the second one ends it now. */
function watchSignals(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(SIGNAL_CODES[name]);
      controller.abort(name);
    });
  }
  // A limit on the size of files is a full disk like any other: the write fails, and its failure is told.
  process.on('SIGXFSZ', () => undefined);
  return controller.signal;
}

function tell(streams: Streams, error: unknown, json: boolean): number {
  if (error instanceof Cancelled) {
    streams.err('Cancelled: nothing was sent, and nothing was changed.\n');
    return 130;
  }
  if (error instanceof ProblemError) {
    const exitCode = error instanceof HeldError ? 7 : 2;
    if (json) streams.out(`${JSON.stringify({ exitCode, problems: error.problems })}\n`);
    for (const problem of error.problems) {
      streams.err(`${streams.style.err.red('error')}: ${describeProblem(problem, streams.style.err)}\n`);
    }
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
await Promise.all([flush(process.stdout), flush(process.stderr)]);
// A pipe on stdin that nobody closes would keep the process alive.
process.exit(code);
