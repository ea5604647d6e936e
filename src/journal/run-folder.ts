/**
 * The run folder: its name, its creation, and the names of the files in it. Beside this file: the journal (append-file.ts,
 * lines.ts, read-journal.ts), the state that its events make (batch-reducer.ts, apply-event.ts), run.json
 * (run-file.ts), and the lock (lock.ts). All runs, and runs as archives: stored-runs/.
 */
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { messageOf } from '../lib/text.ts';
import { ProblemError } from '../model/problem.ts';
import { hasCode, makeFolder, readTextFile, writePrivateFile } from './file-system.ts';
import { linesIfExists } from './lines.ts';

export interface RunFolder {
  readonly id: string;
  readonly path: string;
}

/**
 * The id of a run: its start, the name of the first input, and four hexadecimal digits that tell apart two runs in one
 * second: `20261120T091502Z-funding-3f9a`.
 *
 * @param random from 0 to 1
 */
export function runId(startedAt: Date, firstInput: string, random: () => number): string {
  const time = startedAt.toISOString().replace(/[-:]|\.\d+/g, '');
  const stem = path.basename(firstInput).replace(/\.[^.]*$/, '');
  const slug = stem
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40);
  const suffix = Math.floor(random() * 0x10000)
    .toString(16)
    .padStart(4, '0');
  return [time, slug === '' ? 'run' : slug, suffix].join('-');
}

/** @throws ProblemError `run.exists`, or `run.folder` if it cannot be made */
export function createRunFolder(root: string, id: string): RunFolder {
  const folder = path.join(root, id);
  return orCannotMake(folder, () => {
    makeRoot(root);
    mkdirSync(folder, { mode: 0o700 });
    return { id, path: folder };
  });
}

/**
 * Makes the folder of runs, and a small folder in it for the lock of a start: locking a folder lists it several times.
 *
 * @throws ProblemError `run.folder`
 */
export function createRoot(root: string): string {
  const start = path.join(root, '.start');
  orCannotMake(root, () => {
    makeRoot(root);
    makeFolder(start);
  });
  return start;
}

function makeRoot(root: string): void {
  makeFolder(root);
  const gitignore = path.join(root, '.gitignore');
  if (readTextFile(gitignore) === undefined) writePrivateFile(gitignore, '*\n');
}

function orCannotMake<T>(folder: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    const isTaken = hasCode(error, 'EEXIST') && error instanceof Error && 'path' in error && error.path === folder;
    throw new ProblemError({
      code: isTaken ? 'run.exists' : 'run.folder',
      message: `Cannot make the run folder ${folder}: ${messageOf(error)}. Every run needs one to account for its rows. Nothing was sent.`,
      hint: 'Name a writable folder with --out DIR (or SIGNALS_RUNS).',
    });
  }
}

/**
 * A run writes only regular files. Anything else in its folder, such as a link to another file of the user, is foreign.
 *
 * @throws ProblemError `run.odd_file`
 */
export function assertPlainFiles(folder: string): void {
  const odd = readdirSync(folder, { recursive: true, withFileTypes: true }).find(
    (entry) => !entry.isFile() && !entry.isDirectory(),
  );
  if (odd === undefined) return;
  throw new ProblemError({
    code: 'run.odd_file',
    message: `The run folder contains a ${odd.isSymbolicLink() ? 'symbolic link' : 'special file'}, which signals never creates. Nothing was sent.`,
    where: path.join(odd.parentPath, odd.name),
    hint: 'If you did not create this file, do not trust the folder. Otherwise delete the file and resume.',
  });
}

export interface JournalStats {
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly mtimeMs: number;
}

/** Undefined if there is no readable journal. */
export function journalStats(folder: string): JournalStats | undefined {
  try {
    const stats = statSync(path.join(folder, 'journal.ndjson'), { throwIfNoEntry: false });
    return stats?.isFile() === true ? { bytes: stats.size, mtimeMs: stats.mtimeMs } : undefined;
  } catch {
    return undefined;
  }
}

/** Length of a run's journal in bytes. 0 if there is none, and if the run never started. */
export function journalSize(folder: string): number {
  return journalStats(folder)?.bytes ?? 0;
}

/** Whether the journal of a run has a whole line. If not, the run has sent nothing. */
export async function hasStarted({ path: folder }: RunFolder): Promise<boolean> {
  for await (const { whole } of linesIfExists(path.join(folder, 'journal.ndjson'))) return whole;
  return false;
}

/**
 * The file that holds the bytes of an input without a path. A run can read several pipes: stdin, and others by name.
 *
 * @param index of the input in the run, from 0
 */
export function spoolName(source: string, index: number): string {
  return source === 'stdin' ? 'stdin.spool' : `pipe-${index + 1}.spool`;
}

/** Whether a file of a run folder holds the bytes of a pipe. */
export function isSpool(name: string): boolean {
  return /^(?:stdin|pipe-\d+)\.spool$/.test(name);
}
