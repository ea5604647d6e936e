/**
 * `upload --run-id NAME` (delivery.md, "Across runs"): the form for schedulers, which may start the same job twice. No
 * such run: it begins. One that is not complete: it goes on. A complete one, and one that a limit of rows has stopped
 * while the limits still stand: its exit code, and nothing is sent.
 */
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { exists } from '../../journal/exists.ts';
import { inspectRun } from '../../journal/inspect-run.ts';
import { hasBegun } from '../../journal/lineage.ts';
import { lockRun } from '../../journal/lock.ts';
import { readRunFile } from '../../journal/run-file.ts';
import { printable } from '../../lib/printable.ts';
import type { Ledger } from '../../model/ledger.ts';
import type { Stop } from '../../model/outcome.ts';
import { ProblemError } from '../../model/problem.ts';
import { exitCodeOf, summarise } from '../../report/summary.ts';
import { resolveSettings } from '../../settings/resolve-settings.ts';
import type { Command, Context, Options } from './command.ts';
import { failOn, rowLimits, settingsAsked, suggestFor, text } from './options.ts';

type Run = NonNullable<Command['run']>;

/** A part of a file's name on every system, and none of the words that name a run otherwise. */
const NAME = /^(?!last$)[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/;

/** @param begin,goOn the commands for a run that begins and for one that goes on */
export async function runNamed(
  context: Context,
  files: readonly string[],
  options: Options,
  { begin, goOn }: { readonly begin: Run; readonly goOn: Run },
): Promise<number> {
  const { streams } = context;
  const name = text(options, 'runId') ?? '';
  if (!NAME.test(name)) {
    throw new ProblemError({
      code: 'usage',
      message: `--run-id is "${name}": expected up to 100 letters, digits, hyphens, underscores and dots, a letter or a digit first; and not "last".`,
    });
  }
  const { settings } = await resolveSettings(settingsAsked(context, options));
  const folder = { id: name, path: path.join(settings.out, name) };
  try {
    if (!(await exists(folder.path))) return await begin(context, files, options);
  } catch (error) {
    // Where another process has begun it in the meantime, that run is in the way, by its folder or by its input.
    const code = error instanceof ProblemError ? error.problems[0]?.code : undefined;
    const isInTheWay = code === 'run.exists' || code === 'upload.unfinished';
    if (!isInTheWay || !(await exists(folder.path))) throw error;
  }
  await letBegin(folder.path);

  const lock = await lockRun(folder.path);
  try {
    if (!(await hasBegun(folder))) {
      // Whoever made it ended before the first line of its journal: nothing was sent.
      await rm(folder.path, { recursive: true });
      return await begin(context, files, options);
    }
    await readRunFile(folder.path);
    const { ledger, ended, seconds } = await inspectRun(folder.path, false);
    // A person who resumes has seen the limit that stopped the run; a scheduler has not.
    const limit = Object.keys(rowLimits(options)).length > 0 ? limitOf(ledger) : undefined;
    if (ended && (ledger.state === 'complete' || limit !== undefined)) {
      const exitCode = exitCodeOf(ledger, { failOn: failOn(options) });
      if (options['json'] === true) {
        const books = summarise(ledger, { exitCode, folder: folder.path, seconds, warnings: [] });
        streams.out(`${JSON.stringify(books)}\n`);
      }
      if (limit !== undefined) {
        const command = suggestFor(context, { ...options, again: undefined })('resume', name);
        streams.err(
          `${printable(name)} was stopped, and nothing was sent now: ${printable(limit.message)}\n`,
        );
        streams.err(`To send it all the same: ${command}\n`);
      } else if (options['json'] !== true && (options['quiet'] !== true || exitCode !== 0)) {
        streams.err(`${printable(name)} is complete: nothing was sent again.\n`);
      }
      return exitCode;
    }
  } finally {
    await lock.release();
  }
  return goOn(context, [folder.path], options);
}

/** The limit of rows (limits.ts) that stopped a run, where one did. */
function limitOf({ stop }: Pick<Ledger, 'stop'>): Stop | undefined {
  return stop?.code === 'invalid' || stop?.code === 'rows' ? stop : undefined;
}

/** Whoever makes the folder of a run locks it at once: no lock and no journal is the moment in between. */
async function letBegin(folder: string): Promise<void> {
  for (let waited = 0; waited < 2000; waited += 50) {
    for (const name of ['lock', 'journal.ndjson']) {
      if (await exists(path.join(folder, name))) return;
    }
    await sleep(50);
  }
}
