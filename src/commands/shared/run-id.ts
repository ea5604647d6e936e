/**
 * `upload --run-id NAME` (delivery.md, "Across runs"): for schedulers, which may start the same job twice. If the run does
 * not exist, it begins. If it is unfinished, it is resumed. If it is complete, or a row limit stopped it and limits are
 * given again, nothing is sent and its exit code is returned.
 */
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { exists } from '../../journal/file-system.ts';
import { inspectRun } from '../../journal/inspect-run.ts';
import { readRunFile } from '../../journal/run-file.ts';
import { hasStarted, type RunFolder } from '../../journal/run-folder.ts';
import { printable } from '../../lib/printable.ts';
import type { Stop } from '../../model/outcome.ts';
import { ProblemError } from '../../model/problem.ts';
import { exitCodeOf } from '../../report/exit-code.ts';
import { summarise } from '../../report/summary.ts';
import { isRowLimit } from '../../run/row-limits.ts';
import { resolveSettings } from '../../settings/resolve-settings.ts';
import type { Context } from './command.ts';
import { usageError } from './option.ts';
import { givenSettings, type LimitOptions, type OutputOptions, type SettingOptions } from './options.ts';
import { acquireRunLock } from './run-lock.ts';
import { createSuggest } from './suggest.ts';

/** Valid in file names on every system. `last` names the latest run. */
const NAME = /^(?!last$)[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/;

/** How long another process may take between creating a run folder and locking it, in milliseconds. */
const LOCK_WAIT = 2000;

export interface RunNamed {
  begin(): Promise<number>;
  resume(folder: RunFolder): Promise<number>;
}

export async function runNamed(
  context: Context,
  name: string,
  options: SettingOptions & LimitOptions & OutputOptions,
  { begin, resume }: RunNamed,
): Promise<number> {
  if (!NAME.test(name)) {
    throw usageError(
      `--run-id is "${name}": expected up to 100 letters, digits, hyphens, underscores and dots, starting with a letter or a digit; not "last".`,
    );
  }
  const { settings } = await resolveSettings(givenSettings(context, options));
  const folder = { id: name, path: path.join(settings.out, name) };
  try {
    if (!(await exists(folder.path))) return await begin();
  } catch (error) {
    // Another process may have started the same run since: its folder exists, or its input is being sent.
    const code = error instanceof ProblemError ? error.problems[0]?.code : undefined;
    const isConflict = code === 'run.exists' || code === 'upload.unfinished';
    if (!isConflict || !(await exists(folder.path))) throw error;
  }
  await waitForLock(folder.path);

  const lock = await acquireRunLock(context, folder.path, options.quiet);
  try {
    if (!(await hasStarted(folder))) {
      // The process that created the folder died before the first line of the journal: nothing was sent.
      await rm(folder.path, { recursive: true });
      return await begin();
    }
    const exitCode = await reportFinished(context, folder, options);
    if (exitCode !== undefined) return exitCode;
  } finally {
    lock.release();
  }
  return resume(folder);
}

/** Reports a run that must not send, and resolves to its exit code; to nothing if it must be resumed. */
async function reportFinished(
  context: Context,
  { id, path: folder }: RunFolder,
  options: SettingOptions & LimitOptions & OutputOptions,
): Promise<number | undefined> {
  const { streams } = context;
  await readRunFile(folder);
  const { ledger, ended, seconds } = await inspectRun(folder, false);
  // A user who runs `resume` has seen the limit that stopped the run; a scheduler has not.
  const hasLimits = options.maxInvalid !== undefined || options.minRows !== undefined;
  const limit: Stop | undefined = hasLimits && isRowLimit(ledger.stop) ? ledger.stop : undefined;
  if (!ended || (ledger.state !== 'complete' && limit === undefined)) return undefined;

  const exitCode = exitCodeOf(ledger, { failOn: options.failOn });
  if (options.json) {
    streams.out(`${JSON.stringify(summarise(ledger, { exitCode, folder, seconds, warnings: [] }))}\n`);
  }
  if (limit !== undefined) {
    const command = createSuggest(context, { ...options, again: false })('resume', id);
    streams.err(`${printable(id)} was stopped earlier; nothing was sent now: ${printable(limit.message)}\n`);
    streams.err(`To send it anyway: ${command}\n`);
  } else if (!options.json && (!options.quiet || exitCode !== 0)) {
    streams.err(`${printable(id)} is complete: nothing was sent.\n`);
  }
  return exitCode;
}

/** The process that creates a run folder locks it at once. Waits while there is neither a lock nor a journal. */
async function waitForLock(folder: string): Promise<void> {
  for (let waited = 0; waited < LOCK_WAIT; waited += 50) {
    for (const name of ['lock', 'journal.ndjson']) {
      if (await exists(path.join(folder, name))) return;
    }
    await sleep(50);
  }
}
