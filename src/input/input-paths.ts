/** Resolves the user's paths to inputs. Checks names and file types; opens nothing. */
import { type BigIntStats, readdirSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { nearest } from '../lib/nearest.ts';
import { attempt, messageOf } from '../lib/text.ts';
import { formatTraits } from '../model/input-format.ts';
import type { Problem } from '../model/problem.ts';

const traits = Object.values(formatTraits);
/** Each of them may be compressed. The format of a `.txt` is detected from its text. */
const TEXTS = [...traits.filter(({ isText }) => isText).flatMap(({ extensions }) => extensions), '.txt'];
const COMPRESSED = /\.gz$/i;

/** The files used of a folder or an archive. A file named by the user may have any extension. */
export const SUPPORTED_EXTENSIONS = [...new Set([...TEXTS, ...traits.flatMap(({ extensions }) => extensions)])];

const NO_TABLE = /^(?:readme|licen[cs]e|copying|notice|changelog)\b[^.]*\.txt$/i;

const PATTERN_CHARACTERS = /[*?[{]/;

export type InputPath =
  | { readonly kind: 'stdin' }
  /** `member`: the file to read of an archive. */
  | { readonly kind: 'file'; readonly path: string; readonly member?: string | undefined }
  | { readonly kind: 'pipe'; readonly path: string };

export interface FoundInputs {
  readonly found: readonly InputPath[];
  readonly unread: readonly string[];
  readonly problems: readonly Problem[];
}

export async function findInputs(paths: readonly string[]): Promise<FoundInputs> {
  const found: InputPath[] = [];
  const unread: string[] = [];
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
      const { files, ...listed } = await listFolder(name);
      problems.push(...listed.problems);
      unread.push(...listed.unread);
      if (files.length + listed.problems.length === 0) {
        problems.push({
          code: 'input.folder',
          message: `The folder '${name}' holds no supported file (${SUPPORTED_EXTENSIONS.join(', ')}).`,
          where: name,
          hint: 'Subfolders are not searched, and a readme, licence or changelog does not count. To upload another file, name the file itself.',
        });
      }
      for (const file of files) addFile(file.path, file.stats);
    } catch (error) {
      const inner = await splitMember(name);
      if (inner !== undefined) {
        add({ kind: 'file', ...inner }, name, `${inner.path}:${inner.member}`);
        continue;
      }
      const files = PATTERN_CHARACTERS.test(name) ? await matching(name) : [];
      if (files.length === 0) problems.push(openProblem(name, error));
      for (const file of files) addFile(file, await stat(file, { bigint: true }));
    }
  }
  return { found, unread, problems };
}

/** The archive and the file in it that `exports.zip:folder/data.csv` names, if there is such a file before a colon. */
async function splitMember(name: string): Promise<{ readonly path: string; readonly member: string } | undefined> {
  for (let at = name.indexOf(':', 1); at > 0; at = name.indexOf(':', at + 1)) {
    const file = name.slice(0, at);
    const stats = await stat(file).catch(() => undefined);
    if (stats?.isFile()) return { path: file, member: name.slice(at + 1) };
  }
  return undefined;
}

export function isSupported(name: string): boolean {
  if (NO_TABLE.test(name)) return false;
  const inner = name.replace(COMPRESSED, '');
  const supported = inner === name ? SUPPORTED_EXTENSIONS : TEXTS;
  return supported.includes(path.extname(inner).toLowerCase());
}

/** Excel keeps `~$in.xlsx` beside a workbook that is open. */
export function isHidden(name: string): boolean {
  return name.startsWith('.') || name.startsWith('~$');
}

/** The files that match a pattern which the shell did not expand (quoted, or on Windows). Excludes hidden files. */
async function matching(pattern: string): Promise<readonly string[]> {
  const { glob } = await import('tinyglobby');
  const files = await glob(process.platform === 'win32' ? pattern.replaceAll('\\', '/') : pattern, {
    absolute: path.isAbsolute(pattern),
    expandDirectories: false,
  });
  return files.toSorted();
}

interface Folder {
  readonly files: { readonly path: string; readonly stats: BigIntStats }[];
  /** Its other files, and its folders. Hidden names do not count. */
  readonly unread: string[];
  readonly problems: Problem[];
}

async function listFolder(folder: string): Promise<Folder> {
  const listed: Folder = { files: [], unread: [], problems: [] };
  const names = (await readdir(folder)).filter((name) => !isHidden(name));
  for (const name of names.sort()) {
    const file = path.join(folder, name);
    try {
      const stats = await stat(file, { bigint: true });
      if (stats.isDirectory()) listed.unread.push(file + path.sep);
      else if (isSupported(name)) listed.files.push({ path: file, stats });
      else listed.unread.push(file);
    } catch (error) {
      if (isSupported(name)) listed.problems.push(openProblem(file, error));
      else listed.unread.push(file);
    }
  }
  return listed;
}

export function twice(name: string, first: string): Problem {
  return {
    code: 'input.twice',
    message:
      name === '-'
        ? 'stdin (-) is named twice, but can be read only once.'
        : `'${name}' is named twice${first === name ? '' : `: it is the same file as '${first}'`}.`,
    where: name === '-' ? 'stdin' : name,
    hint: 'Name it once: its rows would be sent twice.',
  };
}

export function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return messageOf(error);
}

/** By the names without their extensions. */
function nearestFile(name: string): string | undefined {
  const { dir, base, name: stem } = path.parse(name);
  // A link that leads nowhere exists; the folder may not.
  const files = (attempt(() => readdirSync(dir || '.')) ?? []).filter((file) => file !== base);
  const near = nearest(
    stem,
    files.map((file) => path.parse(file).name),
  );
  const file = files.find((each) => path.parse(each).name === near);
  return file && `Did you mean '${path.join(dir, file)}'?`;
}

export function openProblem(name: string, error: unknown, what = 'File or folder'): Problem {
  const code = codeOf(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return {
      code: 'input.missing',
      message: `${what} '${name}' does not exist.`,
      where: name,
      hint: /[*?]/.test(name)
        ? 'No file matches this pattern. Check the folder and the spelling.'
        : (nearestFile(name) ?? 'Check the spelling. Paths are relative to the current folder.'),
    };
  }
  if (code === 'EACCES' || code === 'EPERM') {
    return {
      code: 'input.denied',
      message: `You do not have permission to read '${name}'.`,
      where: name,
      hint: 'Ask its owner for permission, or for a copy that you can read.',
    };
  }
  return {
    code: 'input.unreadable',
    message: `'${name}' cannot be opened (${code}).`,
    where: name,
    hint: 'Try to open it with another program. If that works, copy it to a local folder and upload the copy.',
  };
}
