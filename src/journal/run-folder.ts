/**
 * The run folder: its name and its creation. Beside this file: the journal (append-file.ts, lines.ts, read-journal.ts), the
 * state that its events make (apply-event.ts, batch-reducer.ts), run.json (run-file.ts), and the lock (lock.ts).
 */
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { attempt, hasCode, messageOf } from '../lib/text.ts';
import { ProblemError } from '../model/problem.ts';
import { makeFolder, readTextFile, writePrivateFile } from './file-system.ts';
import { linesIfExists } from './lines.ts';

export interface RunFolder {
  readonly id: string;
  readonly path: string;
}

/** `20261120T091502Z-funding-3f9a`: the last part tells apart two runs in one second. @param random from 0 to 1 */
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

/** Makes the folder of runs, and a folder in it for the lock of a start. @throws ProblemError `run.folder` */
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

/** A run writes only regular files: a link to another file of the user is foreign. @throws ProblemError `run.odd_file` */
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
  readonly mtimeMs: number;
}

export function journalStats(folder: string): JournalStats | undefined {
  const stats = attempt(() => statSync(path.join(folder, 'journal.ndjson'), { throwIfNoEntry: false }));
  return stats?.isFile() === true ? { bytes: stats.size, mtimeMs: stats.mtimeMs } : undefined;
}

/** Length of a run's journal in bytes; 0 if there is none. */
export function journalSize(folder: string): number {
  return journalStats(folder)?.bytes ?? 0;
}

/** Whether the journal of a run has a whole line. If not, the run has sent nothing. */
export async function hasStarted({ path: folder }: RunFolder): Promise<boolean> {
  for await (const { whole } of linesIfExists(path.join(folder, 'journal.ndjson'))) return whole;
  return false;
}

/** The file with the bytes of a pipe: stdin, or another by name. @param index of the input in the run, from 0 */
export function spoolName(source: string, index: number): string {
  return source === 'stdin' ? 'stdin.spool' : `pipe-${index + 1}.spool`;
}

export function isSpool(name: string): boolean {
  return /^(?:stdin|pipe-\d+)\.spool$/.test(name);
}

/** The name of an archive while it is written, under the lock of its run: no other process writes a file of that name. */
export function draftOfArchive(target: string, { id }: RunFolder, handOver: boolean): string {
  return `${target}.${id}${handOver ? '' : '+copy'}.tmp`;
}
