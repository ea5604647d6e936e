/** Reports errors: as sentences on stderr and, with `--json`, as JSON on stdout. Imported only when there is an error. */
import { printable } from '../lib/printable.ts';
import { errorObject } from '../lib/version.ts';
import { signalExitCode } from '../model/outcome.ts';
import { Cancelled } from '../questions/question.ts';
import { reportOf } from '../report/problem-text.ts';
import { problemEntry } from '../terminal/log.ts';
import type { Streams } from '../terminal/streams.ts';

/** Further problems are only counted. */
const PROBLEMS_SHOWN = 50;

/** Reports that a prompt was cancelled, or that a signal arrived before work began. */
export function reportCancelled(streams: Streams, exitCode: number, json: boolean): void {
  const message = 'Cancelled: nothing was sent or changed.';
  const problem = { code: 'cancelled', message };
  if (json) streams.json(errorObject(exitCode, [problem]));
  streams.tell(`${message}\n`);
  streams.log(problemEntry('error', problem));
}

/** Reports what was thrown and returns the exit code (docs/reference.md, "Exit codes"). */
export function reportError(streams: Streams, error: unknown, json: boolean): number {
  if (error instanceof Cancelled) {
    const exitCode = signalExitCode('SIGINT');
    reportCancelled(streams, exitCode, json);
    return exitCode;
  }
  const { exitCode, problems } = reportOf(error);
  if (json) streams.json(errorObject(exitCode, problems));
  if (exitCode !== 1) {
    for (const problem of problems.slice(0, PROBLEMS_SHOWN)) streams.problem('error', problem);
    const more = problems.length - PROBLEMS_SHOWN;
    if (more > 0) streams.err(`and ${more} more\n`);
    return exitCode;
  }
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  for (const bug of problems) streams.log(problemEntry('error', bug));
  streams.err('This is a bug in signals. Please report it with these lines:\n');
  for (const line of stack.split('\n')) streams.err(`${printable(line)}\n`);
  return exitCode;
}
