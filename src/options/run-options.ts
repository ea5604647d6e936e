/**
 * What run.json keeps of the options of a run, so that a resume repeats them. Only what was given on the command line is
 * kept: the environment and the profile apply again. Options given to the resume override what is kept.
 */
import { z } from 'zod';
import type { RunFile } from '../journal/run-file.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import { type OptionTable, wordsOf } from './option-spec.ts';
import { optionTable, type SettingOptions } from './option-table.ts';
import { hasPassword } from './parse-values.ts';
import type { ResolvedSettings } from './resolve-settings.ts';

/** Texts as typed, by name. */
type KeptOptions = Readonly<Record<string, string | undefined>>;

/** The schema of `settings` in run.json. */
export function keptSchema(table: OptionTable = optionTable) {
  return z.strictObject(Object.fromEntries(keptNames(table).map((name) => [name, z.string().optional()])));
}

/** @param isLimited whether limits of rows are among them */
function keptNames(table: OptionTable, isLimited = true): readonly string[] {
  return Object.keys(table).filter(
    (name) => table[name]?.keep === true || (isLimited && table[name]?.keep === 'limit'),
  );
}

/** What run.json keeps of the options of a run that begins. */
export function keepOptions(options: object, table: OptionTable = optionTable): Pick<RunFile, 'settings'> {
  const given = new Map(Object.entries(options));
  const kept = keptNames(table).flatMap((name) => {
    const text: unknown = given.get(name);
    // Of a command a URL has no password, of the library it may: then it is not kept.
    const isKept = typeof text === 'string' && !(table[name]?.mayHavePassword === true && hasPassword(text));
    return isKept ? [[name, text] as const] : [];
  });
  return { settings: kept.length === 0 ? undefined : Object.fromEntries(kept) };
}

/** The profile in use, if a setting came from it: its base URL and its key belong together. */
export function recordProfile(resolved: Pick<ResolvedSettings, 'profile' | 'origins'>): Pick<RunFile, 'profile'> {
  const { profile, origins } = resolved;
  return { profile: Object.values(origins).includes(`profile ${profile}`) ? profile : undefined };
}

/** The options of a resumed run: those kept, unless they are given. `notes`: a line that lists them, if any. */
export function restoreOptions<T extends SettingOptions>(
  options: T,
  { settings = {} }: Pick<RunFile, 'settings'>,
  table: OptionTable = optionTable,
): { readonly options: T; readonly notes: readonly string[] } {
  const given: KeptOptions = keepOptions(options, table).settings ?? {};
  const parsed = keptSchema(table).safeParse(settings);
  if (!parsed.success) throw new ProblemError(unknownSettings(parsed.error.message));
  const kept: KeptOptions = parsed.data;
  const missing = Object.entries(kept).filter(([name, text]) => text !== undefined && given[name] === undefined);
  const words = missing.flatMap(([name, text]) => wordsOf(name, table[name] ?? { about: '' }, text));
  return {
    options: { ...options, ...Object.fromEntries(missing) },
    notes: words.length === 0 ? [] : [`Using the original settings: ${words.join(' ')}.`],
  };
}

function unknownSettings(message: string): Problem {
  return {
    code: 'run.unreadable',
    message: `The settings in run.json are not those of this version: ${message.split('\n')[0]}.`,
    hint: 'Resume the run with the version that started it.',
  };
}

/** The same run without `--max-invalid` and `--min-rows`. */
export function withoutLimits(
  { settings = {} }: Pick<RunFile, 'settings'>,
  table: OptionTable = optionTable,
): Pick<RunFile, 'settings'> {
  const names = keptNames(table, false);
  return { settings: Object.fromEntries(Object.entries(settings).filter(([name]) => names.includes(name))) };
}
