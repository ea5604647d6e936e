/**
 * What is said where the program could not do what it was asked for: sentences for people, JSON for scripts, and
 * never a bare stack trace. Imported when there is something to say.
 */

import { printable } from '../lib/printable.ts';
import { signalExitCode } from '../lib/signal-exit-code.ts';
import { ProblemError } from '../model/problem.ts';
import { describeProblem } from '../report/problem-text.ts';
import { Cancelled } from '../terminal/prompts.ts';
import type { Streams } from '../terminal/streams.ts';
import { toSource } from './stack-trace.ts';

/** Of more problems than this the rest is counted. */
const PROBLEMS_SHOWN = 50;

/** Ended by a person or the system before anything was begun. */
export function tellCancelled(streams: Streams, exitCode: number, json: boolean): void {
  const message = 'Cancelled: nothing was sent, and nothing was changed.';
  if (json) streams.out(`${JSON.stringify({ exitCode, problems: [{ code: 'cancelled', message }] })}\n`);
  streams.err(`${message}\n`);
}

/** Tells what was thrown, and resolves to the exit code (cli.md, "Exit codes"). */
export async function tell(streams: Streams, error: unknown, json: boolean): Promise<number> {
  if (error instanceof Cancelled) {
    const exitCode = signalExitCode('SIGINT');
    tellCancelled(streams, exitCode, json);
    return exitCode;
  }
  if (error instanceof ProblemError) {
    const { exitCode } = error;
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
  for (const line of (await toSource(stack)).split('\n')) streams.err(`${printable(line)}\n`);
  return 1;
}
