/**
 * Reads and writes the settings file, which holds the profiles as unparsed texts. Reading never fails: an unusable file
 * is a warning and counts as empty. Writing fails with a problem, and never overwrites a file that could not be read.
 *
 * Only writing imports conf, because loading it takes longer than the rest of the start.
 */
import { chmod, readFile, stat } from 'node:fs/promises';
import os from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { isMissing, makeFolder } from '../journal/file-system.ts';
import { once } from '../lib/once.ts';
import { shellQuote } from '../lib/shell.ts';
import { type Problem, ProblemError } from '../model/problem.ts';

/** A profile's settings: name to text. */
export type Profile = ReadonlyMap<string, string>;

export interface Profiles {
  /** The profile that is used by default. */
  readonly current: string;
  readonly byName: ReadonlyMap<string, Profile>;
}

export interface LoadedProfiles extends Profiles {
  /** The settings file. Absent if its path cannot be determined. */
  readonly path?: string | undefined;
  readonly warnings: readonly Problem[];
  /** Why the file could not be used. Also in `warnings`. */
  readonly problem?: Problem | undefined;
}

export interface ProfilesFile extends Profiles {
  readonly path: string;
  /** Replaces the file atomically, with mode 0600. @throws ProblemError `settings.file` */
  save(next: Profiles): Promise<void>;
}

const PROFILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

const FIRST_PROFILE = 'default';

/** Valid names need no quoting in messages and commands. */
export function isProfileName(text: string): boolean {
  return PROFILE_NAME.test(text);
}

/** Unknown keys are preserved: a newer version may have written them. */
const schema = once(() =>
  z.looseObject({
    current: z.string().regex(PROFILE_NAME).default(FIRST_PROFILE),
    profiles: z
      .record(z.string().regex(PROFILE_NAME), z.record(z.string(), z.union([z.string(), z.number()]).transform(String)))
      .default({}),
  }),
);

/** Reads the profiles, for a command that works without them. */
export async function readProfiles(env: NodeJS.ProcessEnv): Promise<LoadedProfiles> {
  const nothing = { current: FIRST_PROFILE, byName: new Map() };
  const opened = await open(env);
  if ('problem' in opened) {
    const { problem, path } = opened;
    return { ...nothing, warnings: [problem], problem, path };
  }
  const { document, path } = opened;
  return { path, ...profilesOf(document), warnings: await modeWarnings(path, 'settings file') };
}

/**
 * Opens the profiles for a command that changes them.
 *
 * @throws ProblemError `settings.file` if they cannot be read: their contents must not be overwritten
 */
export async function openProfiles(env: NodeJS.ProcessEnv): Promise<ProfilesFile> {
  const opened = await open(env);
  if ('problem' in opened) throw new ProblemError(opened.problem);
  const { document, path } = opened;
  return {
    path,
    ...profilesOf(document),
    save: async (next) => {
      const profiles = Object.fromEntries(
        [...next.byName].map(([name, profile]) => [name, Object.fromEntries(profile)]),
      );
      try {
        await write(path, { ...document, current: next.current, profiles });
      } catch (error) {
        throw new ProblemError(fileProblem(systemReason(error), 'write', path));
      }
    },
  };
}

type Document = z.infer<ReturnType<typeof schema>>;

type Opened = { readonly path: string; readonly document: Document };

async function open(env: NodeJS.ProcessEnv): Promise<Opened | { readonly problem: Problem; readonly path?: string }> {
  let path: string | undefined;
  try {
    path = join(await folderOf(env), 'config.json');
    return { path, ...parse(await textOf(path), path) };
  } catch (error) {
    const problem = fileProblem(systemReason(error), 'read', path);
    return path === undefined ? { problem } : { problem, path };
  }
}

/** Creates the folder if needed. Throws the system's errors. */
async function write(path: string, document: Record<string, unknown>): Promise<void> {
  const folder = dirname(path);
  makeFolder(folder);
  const Conf = await importConf();
  // conf must not parse the old contents: they are replaced, and its parse errors would show the key.
  const options = { projectName: PROJECT, projectSuffix: '', cwd: folder, configFileMode: 0o600 };
  const conf = new Conf<Record<string, unknown>>({
    ...options,
    accessPropertiesByDotNotation: false,
    deserialize: () => ({}),
  });
  conf.store = document;
  // On some systems, conf sets the mode of new files only.
  await chmod(path, 0o600);
}

/**
 * Imports conf and removes its signal listeners. A dependency of conf kills the process on the first signal, but only
 * program.ts may handle signals.
 */
async function importConf(): Promise<typeof import('conf').default> {
  const signals = Object.keys(os.constants.signals) as NodeJS.Signals[];
  const own = new Map(signals.map((signal) => [signal, new Set(process.listeners(signal))]));
  const { default: Conf } = await import('conf');
  for (const [signal, before] of own) {
    for (const listener of process.listeners(signal)) {
      if (!before.has(listener)) process.removeListener(signal, listener);
    }
  }
  return Conf;
}

const PROJECT = 'signals';

/** The same settings folder that conf chooses. Importing env-paths fails if the user has no home folder. */
async function folderOf(env: NodeJS.ProcessEnv): Promise<string> {
  const named = env['SIGNALS_CONFIG_DIR'];
  if (named !== undefined && named !== '') return resolve(named);
  const { default: envPaths } = await import('env-paths');
  return envPaths(PROJECT, { suffix: '' }).config;
}

/** Undefined if the file does not exist. Throws the system's error if it cannot be read. */
async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** A problem gives the line and shows none of the text, which may contain the key. */
function parse(text: string | undefined, path: string): { document: Document } | { problem: Problem } {
  let json: unknown = {};
  try {
    if (text !== undefined) json = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    const offset = error instanceof Error ? /position (\d+)/.exec(error.message)?.[1] : undefined;
    const line = offset === undefined ? '' : `:${(text ?? '').slice(0, Number(offset)).split('\n').length}`;
    return { problem: fileProblem('it is not valid JSON', 'use', `${path}${line}`) };
  }
  const parsed = schema().safeParse(json);
  if (parsed.success) return { document: parsed.data };
  const reasons = parsed.error.issues.map((issue) => {
    const key = issue.path.map(String).join('.');
    return key === '' ? 'it is not an object with "current" and "profiles"' : `"${key}" is invalid`;
  });
  return { problem: fileProblem([...new Set(reasons)].slice(0, 5).join('; '), 'use', path) };
}

function profilesOf(document: Document): Profiles {
  return {
    current: document.current,
    byName: new Map(
      Object.entries(document.profiles).map(([name, profile]) => [name, new Map(Object.entries(profile))]),
    ),
  };
}

/** The file may contain a key, so only its owner may have access. Windows has no mode bits. */
export async function modeWarnings(path: string, what: 'settings file' | 'key file'): Promise<readonly Problem[]> {
  // A file that does not exist, or that cannot be read, is reported by its reader.
  const stats = await stat(path).catch(() => undefined);
  const mode = stats?.isFile() ? stats.mode & 0o777 : 0;
  if (process.platform === 'win32' || (mode & 0o077) === 0) return [];
  return [
    {
      code: 'settings.mode',
      message: `Other users of this machine can access the ${what}: its mode is ${mode.toString(8).padStart(4, '0')}, expected 0600.`,
      where: path,
      hint: `Run \`chmod 600 ${shellQuote(path, 'posix')}\`.`,
    },
  ];
}

/** If the path is unknown, the user has no home folder, and conf cannot be loaded. */
const FIX_HOME = 'Set HOME to a folder, or pass settings as flags or environment variables.';
const FIX_FOLDER =
  'Fix the folder, choose another one with SIGNALS_CONFIG_DIR, or pass settings as flags or environment variables.';

function fileProblem(reason: string, verb: 'read' | 'write' | 'use', path: string | undefined): Problem {
  return {
    code: 'settings.file',
    message: `Cannot ${verb} the settings file: ${reason}.`,
    where: path,
    hint: path === undefined ? FIX_HOME : verb === 'use' ? 'Fix or delete the file.' : FIX_FOLDER,
  };
}

/**
 * The system's error message without the path, which the caller shows separately.
 *
 * @throws the error itself if it is not a system error: it is then a bug
 */
export function systemReason(error: unknown): string {
  if (error instanceof Error && 'syscall' in error) return error.message.replace(/, \w+(?: '.*')?$/s, '');
  throw error;
}
