/** `signals runs prune`: removes the folders of old runs, a family at a time. */
import { rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { listRuns } from '../../journal/find-run.ts';
import { folderSize } from '../../journal/folder-size.ts';
import { readHandover } from '../../journal/handover.ts';
import { hasBegun, rootRunOf } from '../../journal/lineage.ts';
import { lockRun } from '../../journal/lock.ts';
import type { RunFolder } from '../../journal/run-folder.ts';
import { printable } from '../../lib/printable.ts';
import { humanBytes, plural } from '../../lib/units.ts';
import { ProblemError } from '../../model/problem.ts';
import { duration } from '../../settings/parse-values.ts';
import type { Command, Context, Options } from '../shared/command.ts';
import { parsed, suggestFor } from '../shared/options.ts';
import { COMMON, familyOf, listed, replaysOf, rootOf } from './runs-options.ts';

export const prune = {
  name: 'prune',
  summary: 'delete the folders of old, finished runs',
  options: [
    { flags: '--older-than <time>', about: 'minimum age: 30d, 12h' },
    { flags: '--force', about: 'also delete runs with undelivered rows' },
    { flags: '--dry-run', about: 'show what would be deleted' },
    ...COMMON,
  ],
  run,
} satisfies Command;

async function run(context: Context, _args: readonly string[], options: Options): Promise<number> {
  const { streams } = context;
  const age = parsed(options, 'olderThan', '--older-than', duration({ least: '0s', most: '36500d' }));
  if (age === undefined) {
    throw new ProblemError({
      code: 'usage',
      message: '--older-than is required.',
      hint: `For example: \`${suggestFor(context, options)('runs', 'prune', '--older-than', '30d')}\`.`,
    });
  }
  const root = await rootOf(context, options);
  const removed: { run: string; bytes: number }[] = [];
  const kept: { run: string; why: string }[] = [];
  for (const folder of await listRuns(root)) {
    const why = await whyKept(folder, Date.now() - age, options['force'] === true);
    if (why !== undefined) {
      kept.push({ run: folder.id, why });
      continue;
    }
    const bytes = await folderSize(folder.path);
    removed.push({ run: folder.id, bytes });
    if (options['dryRun'] !== true) await removeRun(folder);
  }
  const room = removed.reduce((sum, { bytes }) => sum + bytes, 0);
  const dry = options['dryRun'] === true;
  if (options['json'] === true) {
    streams.out(`${JSON.stringify({ folder: root, dryRun: dry, removed, kept, bytes: room })}\n`);
    return 0;
  }
  for (const { run, bytes } of removed) streams.out(`${printable(run)}: ${humanBytes(bytes)}\n`);
  for (const { run, why } of kept) if (why !== YOUNG) streams.out(`${printable(run)}: kept, ${why}\n`);
  const what = plural(removed.length, 'run');
  streams.out(
    `${dry ? `${what} would be removed` : `${what} removed`}, ${humanBytes(room)}; ${plural(kept.length, 'run')} kept.\n`,
  );
  return 0;
}

const YOUNG = 'touched since';

/** A family goes as a whole: without its replay a run would take what was delivered for undelivered. */
async function whyKept(folder: RunFolder, before: number, force: boolean): Promise<string | undefined> {
  try {
    if (!(await hasBegun(folder))) return (await touched(folder)) > before ? YOUNG : undefined;
    const { members } = await familyOf(await rootRunOf(folder));
    for (const member of members) {
      if (member.isRunning) return 'a process works on it';
      if ((await touched(member.folder)) > before) return YOUNG;
    }
    if (force) return undefined;
    const open = members.find((member) => {
      const { next, left } = listed({ members: replaysOf(members, member), handedOver: undefined });
      return next !== null || left.unknown > 0;
    });
    const handedOver = await readHandover(folder.path);
    if (open === undefined || handedOver !== undefined) return undefined;
    return open.folder.id === folder.id
      ? 'because it is not complete (--force removes it)'
      : `because ${open.file.run} is not complete (--force removes them)`;
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    if (force && (await touched(folder)) <= before) return undefined;
    return 'because it cannot be read (--force removes it)';
  }
}

async function touched(folder: RunFolder): Promise<number> {
  return (await stat(path.join(folder.path, 'journal.ndjson'))).mtimeMs;
}

/** @throws HeldError where a process has begun to work on it */
async function removeRun(folder: RunFolder): Promise<void> {
  const lock = await lockRun(folder.path);
  try {
    await rm(folder.path, { recursive: true });
  } finally {
    await lock.release();
  }
}
