/** `signals runs prune`: deletes the folders of old runs. */
import { rm } from 'node:fs/promises';
import { commonOptions, parseAge, runsRoot } from '../app/find-run.ts';
import { folderSize } from '../journal/file-system.ts';
import { lockRun } from '../journal/lock.ts';
import type { RunFolder } from '../journal/run-folder.ts';
import { printable } from '../lib/printable.ts';
import { humanBytes, plural } from '../lib/units.ts';
import { flag, parsed, usageError } from '../options/option-spec.ts';
import {
  type CataloguedRun,
  compactCatalogue,
  readCatalogue,
  type UnreadableFolder,
} from '../stored-runs/catalogue.ts';
import { defineCommand } from './command.ts';
import { confirm, printAnswer } from './screen/print.ts';

export const command = defineCommand({
  options: {
    olderThan: parsed('time', parseAge, 'minimum age: 30d, 12h'),
    force: flag('also delete runs with undelivered rows'),
    dryRun: flag('show what would be deleted'),
    ...commonOptions,
  },
  async run(context, _args, options) {
    const { streams } = context;
    const { olderThan: age, dryRun } = options;
    if (age === undefined) {
      const example = context.suggest('runs', 'prune', '--older-than', '30d');
      throw usageError('--older-than is required.', `For example: \`${example}\`.`);
    }
    const root = await runsRoot(context, options);
    const old: { folder: RunFolder; bytes: number }[] = [];
    const kept: { run: string; why: string }[] = [];
    for (const run of await readCatalogue(root)) {
      const { folder } = run;
      const why = whyKept(run, Date.now() - age, options.force);
      if (why === undefined) old.push({ folder, bytes: folderSize(folder.path) });
      else kept.push({ run: folder.id, why });
    }
    const bytes = old.reduce((sum, { bytes }) => sum + bytes, 0);
    const what = `${plural(old.length, 'run')} (${humanBytes(bytes)})`;
    if (!options.json) {
      for (const { folder, bytes } of old) streams.print(`${printable(folder.id)}: ${humanBytes(bytes)}\n`);
      for (const { run, why } of kept) if (why !== TOO_YOUNG) streams.print(`${printable(run)}: kept, ${why}\n`);
    }
    if (!dryRun && old.length > 0) {
      if (!options.yes) await confirm(context, `Delete ${what}?`, `Deleting ${what}`);
      for (const { folder } of old) await removeRun(folder);
      compactCatalogue(root);
    }
    const removed = old.map(({ folder, bytes }) => ({ run: folder.id, bytes }));
    const text = `${what} ${dryRun ? 'would be deleted' : 'deleted'}; ${plural(kept.length, 'run')} kept.`;
    return printAnswer(context, options, { folder: root, dryRun, removed, kept, bytes }, text);
  },
});

const TOO_YOUNG = 'modified since';

function whyKept(run: CataloguedRun | UnreadableFolder, before: number, force: boolean): string | undefined {
  if ('isRunning' in run && run.isRunning) return 'in use by a process';
  if (run.journal.mtimeMs > before) return TOO_YOUNG;
  if (force) return undefined;
  if ('problem' in run) {
    const isEmpty = run.problem.problems.some(({ code }) => code === 'journal.empty');
    return isEmpty ? undefined : 'unreadable (--force deletes it)';
  }
  if (run.handedOver !== undefined) return undefined;
  const { state, rows, isRestLost } = run;
  const isUnfinished = (state !== 'complete' && isRestLost !== true) || rows.exhausted + rows.unknown > 0;
  return isUnfinished ? 'it is unfinished (--force deletes it)' : undefined;
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
