/**
 * The settings file: profiles, kept by conf. The only place that imports conf, and only to write: it brings more code
 * than all the rest of a start, and every upload reads the settings.
 *
 * Reading never fails: a file that cannot be used is a warning, and there are no profiles then. Writing does fail,
 * with a problem, and never overwrites a file that could not be read. The values are texts as a user would write
 * them; settings/resolve.ts says what they mean.
 */
import { constants } from 'node:fs';
import { access, chmod, mkdir, readFile, stat } from 'node:fs/promises';
import os from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { once } from '../lib/once.ts';
import { shellQuote } from '../lib/shell.ts';
import { type Problem, ProblemError } from '../model/problem.ts';

/** A profile's settings: name to text. */
export type Profile = ReadonlyMap<string, string>;

export interface Profiles {
  /** The profile that is used where none is named. */
  readonly current: string;
  readonly byName: ReadonlyMap<string, Profile>;
}

export interface LoadedProfiles extends Profiles {
  /** The settings file. Absent where not even its place is known. */
  readonly path?: string;
  readonly warnings: readonly Problem[];
  /** Why the file could not be used; one of `warnings` too. */
  readonly problem?: Problem;
}

export interface ProfilesFile extends Profiles {
  readonly path: string;
  /** Replaces what the file holds, at mode 0600, all or nothing. Throws ProblemError `settings.file`. */
  save(next: Profiles): Promise<void>;
}

const PROFILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

const FIRST_PROFILE = 'default';

/** Whether a profile may have this name: it stands in messages and commands, so it needs no quoting anywhere. */
export function isProfileName(text: string): boolean {
  return PROFILE_NAME.test(text);
}

/** Keys that this version does not know are kept: a newer one may have written them. */
const schema = once(() =>
  z.looseObject({
    current: z.string().regex(PROFILE_NAME).default(FIRST_PROFILE),
    profiles: z
      .record(
        z.string().regex(PROFILE_NAME),
        z.record(z.string(), z.union([z.string(), z.number()]).transform(String)),
      )
      .default({}),
  }),
);

/** Reads the profiles, for a command that can do without them. */
export async function readProfiles(env: NodeJS.ProcessEnv): Promise<LoadedProfiles> {
  const nothing = { current: FIRST_PROFILE, byName: new Map() };
  const opened = await open(env);
  if ('problem' in opened) {
    const { problem, path } = opened;
    return { ...nothing, warnings: [problem], problem, ...(path === undefined ? {} : { path }) };
  }
  const { document, path } = opened;
  return { path, ...profilesOf(document), warnings: await modeWarnings(path) };
}

/**
 * Opens the profiles for a command that changes them.
 *
 * @throws ProblemError `settings.file` where they cannot be read: what they hold must not be overwritten
 */
export async function openProfiles(env: NodeJS.ProcessEnv): Promise<ProfilesFile> {
  const opened = await open(env);
  if ('problem' in opened) throw new ProblemError(opened.problem);
  const { document, path, write } = opened;
  return {
    path,
    ...profilesOf(document),
    save: async (next) => {
      const profiles = Object.fromEntries(
        [...next.byName].map(([name, profile]) => [name, Object.fromEntries(profile)]),
      );
      try {
        await write({ ...document, current: next.current, profiles });
        // conf gives a new file its mode, but not on every system one that is there already.
        await chmod(path, 0o600);
      } catch (error) {
        throw new ProblemError(fileProblem(systemReason(error), 'write', path));
      }
    },
  };
}

type Document = z.infer<ReturnType<typeof schema>>;

interface Opened {
  readonly path: string;
  readonly document: Document;
  /** Makes the folder where there is none. Throws the system's errors. */
  readonly write: (document: Record<string, unknown>) => Promise<void>;
}

interface NotOpened {
  readonly problem: Problem;
  readonly path?: string;
}

type Store = Record<string, unknown>;

/**
 * conf, without its grip on the process: a package below it listens for every signal, and answers the first one by
 * killing the process with it. What a signal means is program.ts's business alone, so those listeners are taken off.
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

async function open(env: NodeJS.ProcessEnv): Promise<Opened | NotOpened> {
  let place: string | undefined;
  try {
    const folder = await folderOf(env);
    const file = join(folder, 'config.json');
    place = file;
    await missingFolders(folder);
    const parsed = parse(await textOf(file), file);
    if ('problem' in parsed) return { ...parsed, path: file };
    return {
      path: file,
      document: parsed.document,
      write: async (next) => {
        for (const name of await missingFolders(folder)) await mkdir(name, { mode: 0o700 });
        const Conf = await importConf();
        // What is there was read, and is replaced as a whole: conf need not look at it, and shows the key where it fails.
        const options = { projectName: PROJECT, projectSuffix: '', cwd: folder, configFileMode: 0o600 };
        new Conf<Store>({ ...options, accessPropertiesByDotNotation: false, deserialize: () => ({}) }).store =
          next;
      },
    };
  } catch (error) {
    return {
      problem: fileProblem(systemReason(error), 'read', place),
      ...(place === undefined ? {} : { path: place }),
    };
  }
}

const PROJECT = 'signals';

/** The folder of the settings, as conf would choose it. Its import fails where the user has no home folder. */
async function folderOf(env: NodeJS.ProcessEnv): Promise<string> {
  const named = env['SIGNALS_CONFIG_DIR'];
  if (named !== undefined && named !== '') return resolve(named);
  const { default: envPaths } = await import('env-paths');
  return envPaths(PROJECT, { suffix: '' }).config;
}

/** The text of the file; undefined where there is none. Throws the system's error where it cannot be read. */
async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * The folders that must be made for this one to be there, outermost first.
 *
 * @throws the system's error where that is certain to fail: the outermost would lie in a folder without the right
 */
async function missingFolders(folder: string): Promise<readonly string[]> {
  const missing: string[] = [];
  let there = folder;
  while (!(await exists(there)) && dirname(there) !== there) {
    missing.unshift(there);
    there = dirname(there);
  }
  if (missing.length > 0) await access(there, constants.W_OK | constants.X_OK);
  return missing;
}

async function exists(folder: string): Promise<boolean> {
  try {
    await stat(folder);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}

/** The text of the file as a document. A fault says where it is, and shows nothing of the text: it holds the key. */
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

/** The file may hold a key, so it is nobody else's to read. Windows keeps rights elsewhere. */
async function modeWarnings(path: string): Promise<readonly Problem[]> {
  if (process.platform === 'win32') return [];
  const mode = await modeOf(path);
  if (mode === undefined || (mode & 0o077) === 0) return [];
  return [
    {
      code: 'settings.mode',
      message: `Other users of this machine can access the settings file: its mode is ${octal(mode)}, expected 0600.`,
      where: path,
      hint: `Run \`chmod 600 ${shellQuote(path, 'posix')}\`.`,
    },
  ];
}

async function modeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mode & 0o777;
  } catch (error) {
    // No file, no mode. Anything else was already told when the file was read.
    if (error instanceof Error && 'syscall' in error) return undefined;
    throw error;
  }
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}

/** Where even the place is unknown, the user has no home folder, and conf cannot be loaded at all. */
const FIX_HOME = 'Set HOME to a folder, or pass settings as flags or environment variables.';
const FIX_FOLDER =
  'Fix the folder, choose another one with SIGNALS_CONFIG_DIR, or pass settings as flags or environment variables.';

function fileProblem(reason: string, verb: 'read' | 'write' | 'use', path: string | undefined): Problem {
  return {
    code: 'settings.file',
    message: `Cannot ${verb} the settings file: ${reason}.`,
    ...(path === undefined ? {} : { where: path }),
    hint: path === undefined ? FIX_HOME : verb === 'use' ? 'Fix or delete the file.' : FIX_FOLDER,
  };
}

/**
 * What the system says, in its own words, without the path: that stands beside it.
 *
 * @throws the error itself, where it is not the system's: it is then a mistake of this program
 */
export function systemReason(error: unknown): string {
  if (error instanceof Error && 'syscall' in error) return error.message.replace(/, \w+(?: '.*')?$/s, '');
  throw error;
}
