/** Reports errors: as sentences on stderr and, with `--json`, as JSON on stdout. Imported only when there is an error. */
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';
import { printable } from '../lib/printable.ts';
import { errorObject } from '../lib/version.ts';
import { signalExitCode } from '../model/run-stop.ts';
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
  for (const line of toSource(stack).split('\n')) streams.err(`${printable(line)}\n`);
  return exitCode;
}

/** A location in a stack trace: file, line and column, both from 1. */
const LOCATION = /(file:\/\/[^\s()]+\.js):(\d+):(\d+)/g;
/**
 * Replaces each location that a source map knows with `PATH:LINE:COLUMN`. Node's own translation would read the maps
 * at every start.
 */
/** Translates the locations in a stack trace from the bundle to the source. */
export function toSource(trace: string): string {
  return trace.replace(LOCATION, (location, file: string, line: string, column: string) => {
    try {
      const map = new SourceMap(JSON.parse(readFileSync(`${fileURLToPath(file)}.map`, 'utf8')));
      const entry = map.findEntry(Number(line) - 1, Number(column) - 1);
      if (!('originalSource' in entry)) return location;
      // A source is named relative to the map: ../src/main.ts.
      const source = entry.originalSource.replace(/^\.\.\//, '');
      return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
    } catch {
      return location; // no source map
    }
  });
}
