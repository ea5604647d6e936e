/** Commands in the test's own process, with pipes: for what needs no process of its own, and for many commands in a row. */
import path from 'node:path';
import { runCli } from '../../src/cli/command-line.ts';
import { reportError } from '../../src/cli/program.ts';
import { fakeStreams } from './fake-terminal.ts';
import { type Ended, program } from './program.ts';

/** Inputs must not be named, because their paths would be relative to the tests. */
export async function runInProcess(cwd: string, args: readonly string[]): Promise<Ended> {
  const env = {
    HOME: cwd,
    SIGNALS_CONFIG_DIR: path.join(cwd, 'settings'),
    SIGNALS_RUNS: path.join(cwd, 'signals-runs'),
  };
  const { streams, out, err } = fakeStreams({ env, noColor: true });
  const context = {
    streams,
    env,
    argv: args,
    invocation: `node ${program}`,
    shell: 'posix',
    signal: new AbortController().signal,
    takeSignals: () => undefined,
  } as const;
  const code = await runCli(args, context).catch((error: unknown) =>
    reportError(streams, error, args.includes('--json')),
  );
  return { code, signal: null, stdout: out(), stderr: err() };
}
