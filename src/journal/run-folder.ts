/** The run folder: its name, its place, and its modes. What stands in its files is others' business. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { messageOf } from '../lib/text.ts';
import { ProblemError } from '../model/problem.ts';
import { readTextFile, writePrivateFile } from './file-system.ts';
import { makeFolder } from './make-folder.ts';

export interface RunFolder {
  readonly id: string;
  readonly path: string;
}

/**
 * The name of a run: when, what and four hexadecimal digits against two runs in one second.
 * `20261120T091502Z-funding-3f9a`
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

/**
 * Makes the folder of a new run.
 *
 * @throws ProblemError `run.exists` where it is there already, `run.folder` where it cannot be made
 */
export function createRunFolder(root: string, id: string): RunFolder {
  const folder = path.join(root, id);
  try {
    makeFolder(root);
    keepOutOfRepositories(root);
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    throw new ProblemError({
      code: isThere(error, folder) ? 'run.exists' : 'run.folder',
      message: `The run folder ${folder} cannot be made: ${messageOf(error)}. Without it nothing could be accounted for, so nothing was sent.`,
      hint: 'Name a folder that you may write to with --out DIR (or SIGNALS_RUNS).',
    });
  }
  return { id, path: folder };
}

function keepOutOfRepositories(root: string): void {
  const file = path.join(root, '.gitignore');
  if (readTextFile(file) === undefined) writePrivateFile(file, '*\n');
}

function isThere(error: unknown, folder: string): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    error.code === 'EEXIST' &&
    'path' in error &&
    error.path === folder
  );
}
