/**
 * Reads and writes the settings file, which holds the profiles as unparsed texts. Reading never fails: an unusable file
 * is a warning and counts as empty. Only writing imports conf, because loading it takes longer than the rest of the start.
 */
import { chmod, readFile, stat } from 'node:fs/promises';
import os from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { makeFolder } from '../journal/file-system.ts';
import { once } from '../lib/resources.ts';
import { shellQuote } from '../lib/shell.ts';
import { hasCode } from '../lib/text.ts';
import { type Problem, ProblemError } from '../model/problem.ts';

export type Profile = ReadonlyMap<string, string>;

export interface Profiles {
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
}

const PROFILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

const FIRST_PROFILE = 'default';

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

export const NO_PROFILES: LoadedProfiles = { current: FIRST_PROFILE, byName: new Map(), warnings: [] };

export async function readProfiles(env: NodeJS.ProcessEnv): Promise<LoadedProfiles> {
  let path: string | undefined;
  try {
    path = join(await folderOf(env), 'config.json');
    const { current, profiles } = await readDocument(path);
    const byName = Object.entries(profiles).map(([name, profile]) => [name, new Map(Object.entries(profile))] as const);
    return { path, current, byName: new Map(byName), warnings: await modeWarnings(path, 'settings file') };
  } catch (error) {
    const warnings = error instanceof ProblemError ? error.problems : [fileProblem(systemReason(error), 'read', path)];
    return { path, current: FIRST_PROFILE, byName: new Map(), warnings, problem: warnings[0] };
  }
}

/** @throws ProblemError `settings.file` if they cannot be read: their contents must not be overwritten */
export async function openProfiles(env: NodeJS.ProcessEnv): Promise<ProfilesFile> {
  const { path, current, byName, problem, warnings } = await readProfiles(env);
  if (problem !== undefined || path === undefined) throw new ProblemError(warnings);
  return { path, current, byName };
}

/** Replaces the file atomically, with mode 0600. @throws ProblemError `settings.file` */
export async function saveProfiles({ path, current, byName }: ProfilesFile): Promise<void> {
  const profiles = Object.fromEntries([...byName].map(([name, profile]) => [name, Object.fromEntries(profile)]));
  try {
    await write(path, { ...(await readDocument(path)), current, profiles });
  } catch (error) {
    throw new ProblemError(fileProblem(systemReason(error), 'write', path));
  }
}

async function write(path: string, document: Record<string, unknown>): Promise<void> {
  const folder = dirname(path);
  makeFolder(folder);
  const Conf = await importConf();
  // conf must not parse the old contents: they are replaced, and its parse errors would show the key.
  const conf = new Conf<Record<string, unknown>>({
    projectName: PROJECT,
    projectSuffix: '',
    cwd: folder,
    configFileMode: 0o600,
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

/** As conf chooses it. Importing env-paths fails if the user has no home folder. */
async function folderOf(env: NodeJS.ProcessEnv): Promise<string> {
  const named = env['SIGNALS_CONFIG_DIR'];
  if (named !== undefined && named !== '') return resolve(named);
  const { default: envPaths } = await import('env-paths');
  return envPaths(PROJECT, { suffix: '' }).config;
}

/** @throws ProblemError `settings.file`, which shows no text, because that may contain the key; or the system's error */
async function readDocument(path: string): Promise<z.infer<ReturnType<typeof schema>>> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return '{}';
    throw error;
  });
  let json: unknown;
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    const offset = error instanceof Error ? /position (\d+)/.exec(error.message)?.[1] : undefined;
    const line = offset === undefined ? '' : `:${text.slice(0, Number(offset)).split('\n').length}`;
    throw new ProblemError(fileProblem('it is not valid JSON', 'use', `${path}${line}`));
  }
  const parsed = schema().safeParse(json);
  if (parsed.success) return parsed.data;
  const reasons = parsed.error.issues.map((issue) => {
    const key = issue.path.map(String).join('.');
    return key === '' ? 'it is not an object with "current" and "profiles"' : `"${key}" is invalid`;
  });
  throw new ProblemError(fileProblem([...new Set(reasons)].slice(0, 5).join('; '), 'use', path));
}

/** The file may contain a key, so only its owner may have access. Windows has no mode bits. */
export async function modeWarnings(path: string, what: 'settings file' | 'key file'): Promise<readonly Problem[]> {
  // A missing or unreadable file is reported when it is read.
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

/** The system's error message without the path. @throws the error itself if it is not a system error: it is then a bug */
export function systemReason(error: unknown): string {
  if (error instanceof Error && 'syscall' in error) return error.message.replace(/, \w+(?: '.*')?$/s, '');
  throw error;
}
