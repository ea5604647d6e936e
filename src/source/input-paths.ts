/** Which inputs the user's paths stand for. Looks at names and kinds; opens nothing. */
import type { BigIntStats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Problem } from '../model/problem.ts';
import { openProblem } from './input-problems.ts';

/** What a folder is searched for. A file that is named itself may have any name. */
const SUPPORTED_EXTENSIONS: readonly string[] = ['.csv', '.tsv', '.txt', '.ndjson', '.jsonl', '.json'];

/** Each of them may be compressed. */
const PACKED = /\.(?:gz|br|zst)$/;

/** What makes a name a pattern. A file of that very name is taken before. */
const MAGIC = /[*?[{]/;

/** `pipe`: a named pipe, of which nobody knows when its next byte comes. */
export type InputPath =
  | { readonly kind: 'stdin' }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'pipe'; readonly path: string };

export async function findInputs(
  paths: readonly string[],
): Promise<{ found: InputPath[]; problems: Problem[] }> {
  const found: InputPath[] = [];
  const problems: Problem[] = [];
  /** Names by identity: stdin, or device and inode, so that `a.csv` and `./a.csv` are the same file. */
  const names = new Map<string, string>();

  const add = (input: InputPath, name: string, identity: string): void => {
    const first = names.get(identity);
    if (first !== undefined) problems.push(twice(name, first));
    else {
      names.set(identity, name);
      found.push(input);
    }
  };
  const addFile = (name: string, stats: BigIntStats): void =>
    add({ kind: stats.isFIFO() ? 'pipe' : 'file', path: name }, name, `${stats.dev}:${stats.ino}`);

  for (const name of paths) {
    if (name === '-') {
      add({ kind: 'stdin' }, name, 'stdin');
      continue;
    }
    try {
      const stats = await stat(name, { bigint: true });
      if (!stats.isDirectory()) {
        addFile(name, stats);
        continue;
      }
      const { files, faults } = await filesOf(name);
      problems.push(...faults);
      if (files.length + faults.length === 0) problems.push(emptyFolder(name));
      for (const file of files) addFile(file.path, file.stats);
    } catch (error) {
      const files = MAGIC.test(name) ? await matching(name) : [];
      if (files.length === 0) problems.push(openProblem(name, error));
      for (const file of files) addFile(file, await stat(file, { bigint: true }));
    }
  }
  return { found, problems };
}

/**
 * What stands in the folders among `paths` and is not read: files of other kinds (a workbook among tables), and
 * folders. By its path; hidden names do not count. Empty where a folder cannot be listed: {@link findInputs} says so.
 */
export async function listUnreadFiles(paths: readonly string[]): Promise<readonly string[]> {
  const unread: string[] = [];
  for (const name of paths) {
    const entries = await readdir(name, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (entry.name.startsWith('.') || (!entry.isDirectory() && isSupported(entry.name))) continue;
      unread.push(path.join(name, entry.name) + (entry.isDirectory() ? path.sep : ''));
    }
  }
  return unread.sort(byCodeUnits);
}

function isSupported(name: string): boolean {
  return SUPPORTED_EXTENSIONS.includes(path.extname(name.toLowerCase().replace(PACKED, '')));
}

/** And not by language, so that the order is the same on every machine. */
function byCodeUnits(one: string, other: string): number {
  return one < other ? -1 : 1;
}

/**
 * The files that a pattern stands for, where the shell has left it as it is (in quotes, or on Windows). Files
 * whose name begins with a dot must be named themselves.
 */
async function matching(pattern: string): Promise<readonly string[]> {
  const { glob } = await import('tinyglobby');
  const files = await glob(process.platform === 'win32' ? pattern.replaceAll('\\', '/') : pattern, {
    absolute: path.isAbsolute(pattern),
    expandDirectories: false,
  });
  return files.toSorted(byCodeUnits);
}

/** `faults`: names without a file behind them, such as a link that leads nowhere. */
async function filesOf(
  folder: string,
): Promise<{ files: { path: string; stats: BigIntStats }[]; faults: Problem[] }> {
  const names = (await readdir(folder))
    .filter((name) => !name.startsWith('.') && isSupported(name))
    .sort(byCodeUnits);
  const files: { path: string; stats: BigIntStats }[] = [];
  const faults: Problem[] = [];
  for (const name of names) {
    const file = path.join(folder, name);
    try {
      const stats = await stat(file, { bigint: true });
      if (!stats.isDirectory()) files.push({ path: file, stats });
    } catch (error) {
      faults.push(openProblem(file, error));
    }
  }
  return { files, faults };
}

function twice(name: string, first: string): Problem {
  return {
    code: 'input.twice',
    message:
      name === '-'
        ? 'stdin (-) is named twice, but can be read once only.'
        : `'${name}' is named twice${first === name ? '' : `: it is the same file as '${first}'`}.`,
    where: name === '-' ? 'stdin' : name,
    hint: 'Name it once: its rows would be sent twice.',
  };
}

function emptyFolder(name: string): Problem {
  return {
    code: 'input.folder',
    message: `The folder '${name}' holds no supported file (${SUPPORTED_EXTENSIONS.join(', ')}).`,
    where: name,
    hint: 'Folders inside it are not searched. Name the file itself if it ends otherwise.',
  };
}
