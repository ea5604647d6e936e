/** `signals runs prune`: deletes the folders of old runs, each with its replays. */
import { rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { folderSize } from '../../journal/file-system.ts';
import { listRuns } from '../../journal/find-run.ts';
import { readHandover } from '../../journal/handover.ts';
import { rootRunOf } from '../../journal/lineage.ts';
import { lockRun } from '../../journal/lock.ts';
import { hasStarted, type RunFolder } from '../../journal/run-folder.ts';
import { printable } from '../../lib/printable.ts';
import { humanBytes, plural } from '../../lib/units.ts';
import { ProblemError } from '../../model/problem.ts';
import { duration } from '../../settings/parse-values.ts';
import { type Context, subcommand } from '../shared/command.ts';
import { flag, type OptionValues, parsed, usageError } from '../shared/option.ts';
import { runsRoot } from '../shared/run-argument.ts';
import { createSuggest } from '../shared/suggest.ts';
import { commonOptions, listed, readLineage, selfFirst } from './stored-runs.ts';

const pruneOptions = {
  olderThan: parsed('--older-than <time>', 'minimum age: 30d, 12h', duration({ min: '0s', max: '36500d' })),
  force: flag('--force', 'also delete runs with undelivered rows'),
  dryRun: flag('--dry-run', 'show what would be deleted'),
  ...commonOptions,
};

export const prune = subcommand('prune', 'delete the folders of old, finished runs', pruneOptions, run);

async function run(
  context: Context,
  _args: readonly string[],
  options: OptionValues<typeof pruneOptions>,
): Promise<number> {
  const { streams } = context;
  const { olderThan: age, dryRun } = options;
  if (age === undefined) {
    const example = createSuggest(context, options)('runs', 'prune', '--older-than', '30d');
    throw usageError('--older-than is required.', `For example: \`${example}\`.`);
  }
  const root = await runsRoot(context, options);
  const removed: { run: string; bytes: number }[] = [];
  const kept: { run: string; why: string }[] = [];
  for (const folder of await listRuns(root)) {
    const why = await whyKept(folder, Date.now() - age, options.force);
    if (why !== undefined) {
      kept.push({ run: folder.id, why });
      continue;
    }
    const bytes = await folderSize(folder.path);
    removed.push({ run: folder.id, bytes });
    if (!dryRun) await removeRun(folder);
  }
  const bytes = removed.reduce((sum, { bytes }) => sum + bytes, 0);
  if (options.json) {
    streams.out(`${JSON.stringify({ folder: root, dryRun, removed, kept, bytes })}\n`);
    return 0;
  }
  for (const { run, bytes } of removed) streams.out(`${printable(run)}: ${humanBytes(bytes)}\n`);
  for (const { run, why } of kept) if (why !== TOO_YOUNG) streams.out(`${printable(run)}: kept, ${why}\n`);
  const what = plural(removed.length, 'run');
  streams.out(
    `${dryRun ? `${what} would be deleted` : `${what} deleted`}, ${humanBytes(bytes)}; ${plural(kept.length, 'run')} kept.\n`,
  );
  return 0;
}

const TOO_YOUNG = 'modified since';

/** A run is deleted with its replays: without them, it would count their deliveries as undelivered. */
async function whyKept(folder: RunFolder, before: number, force: boolean): Promise<string | undefined> {
  try {
    if (!(await hasStarted(folder))) return (await touched(folder)) > before ? TOO_YOUNG : undefined;
    const runs = await readLineage(await rootRunOf(folder));
    for (const run of runs) {
      if (run.isRunning) return 'a process is working on it';
      if ((await touched(run.folder)) > before) return TOO_YOUNG;
    }
    if (force) return undefined;
    const open = runs.find((run) => {
      const { next, left } = listed(selfFirst(runs, run));
      return next !== null || left.unknown > 0;
    });
    const handedOver = await readHandover(folder.path);
    if (open === undefined || handedOver !== undefined) return undefined;
    return open.folder.id === folder.id
      ? 'it is unfinished (--force deletes it)'
      : `${open.file.run} is unfinished (--force deletes them)`;
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    if (force && (await touched(folder)) <= before) return undefined;
    return 'it cannot be read (--force deletes it)';
  }
}

async function touched(folder: RunFolder): Promise<number> {
  return (await stat(path.join(folder.path, 'journal.ndjson'))).mtimeMs;
}

/** @throws RunLockedError if a process has started to work on it */
async function removeRun(folder: RunFolder): Promise<void> {
  const lock = await lockRun(folder.path);
  try {
    await rm(folder.path, { recursive: true });
  } finally {
    lock.release();
  }
}
