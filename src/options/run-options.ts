/**
 * The options in run.json: what it keeps, so that a resume repeats them, and what shards of one upload must agree on. Only
 * what was given on the command line is kept: the environment and the profile apply again.
 */
import path from 'node:path';
import { z } from 'zod';
import { readTextFile } from '../journal/file-system.ts';
import type { RunFile } from '../journal/run-file.ts';
import { ProblemError } from '../model/problem.ts';
import { type OptionTable, whereOf, wordsOf } from './option-spec.ts';
import { optionTable, type SettingOptions } from './option-table.ts';
import { hasPassword } from './parse-values.ts';
import type { ResolvedSettings } from './resolve-settings.ts';

export type RecordedOptions = Readonly<Record<string, string | undefined>>;

/** The schema of `settings` in run.json. */
export function recordedSchema(table: OptionTable = optionTable) {
  return z.strictObject(Object.fromEntries(keptNames(table).map((name) => [name, z.string().optional()])));
}

function keptNames(table: OptionTable): readonly string[] {
  return Object.keys(table).filter((name) => table[name]?.record === true);
}

export function recordOptions(options: object, table: OptionTable = optionTable): Pick<RunFile, 'settings'> {
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

/** The options of a resumed run: those kept, unless they are given. `restored`: those that were kept and not given. */
export function restoreOptions<T extends SettingOptions>(
  options: T,
  { settings = {} }: Pick<RunFile, 'settings'>,
  table: OptionTable = optionTable,
): { readonly options: T; readonly restored: RecordedOptions } {
  const given: RecordedOptions = recordOptions(options, table).settings ?? {};
  const parsed = recordedSchema(table).safeParse(settings);
  if (!parsed.success) {
    throw new ProblemError({
      code: 'run.unreadable',
      message: `The settings in run.json are not those of this version: ${parsed.error.message.split('\n')[0]}.`,
      hint: 'Resume the run with the version that started it.',
    });
  }
  const kept: RecordedOptions = parsed.data;
  const missing = Object.entries(kept).filter(([name, text]) => text !== undefined && given[name] === undefined);
  const restored = Object.fromEntries(missing);
  return { options: { ...options, ...restored }, restored };
}

export function describeRestored(restored: RecordedOptions, table: OptionTable = optionTable): readonly string[] {
  const words = Object.entries(restored).flatMap(([name, text]) =>
    text === undefined ? [] : wordsOf(name, table[name] ?? { about: '' }, text),
  );
  return words.length === 0 ? [] : [`Using the original settings: ${words.join(' ')}.`];
}

/** What decides how a run is cut into batches, and where they go. */
export interface DividedRun extends Omit<RunFile, 'run' | 'startedAt' | 'argv'> {
  readonly mapping: string | undefined;
}

export function dividedRun(file: RunFile, folder: string): DividedRun {
  return { ...file, mapping: readTextFile(path.join(folder, 'mapping.yaml')) };
}

/** What differs between two shards that should belong to the same upload, in words. Empty if nothing does. */
export function shardDifferences(
  one: DividedRun,
  other: DividedRun,
  table: OptionTable = optionTable,
): readonly string[] {
  const inputs = (run: DividedRun) => run.inputs.map(({ bytes, head, columns }) => ({ bytes, head, columns }));
  const facts: readonly (readonly [name: string, of: (run: DividedRun) => unknown])[] = [
    ['the number of shards', ({ shard }) => shard?.of],
    ['the inputs (size, beginning or columns)', inputs],
    ['the version of signals', ({ version }) => version],
    ['the mapping', ({ mapping }) => mapping],
    ...Object.entries(table)
      .filter(([, { agree }]) => agree)
      .map(([name, spec]) => [whereOf(name, spec), (run: DividedRun) => optionIn(run, name)] as const),
  ];
  return facts.flatMap(([name, of]) => (JSON.stringify(of(one)) === JSON.stringify(of(other)) ? [] : [name]));
}

/** An option as run.json has it. A transform may be in another place on another machine, and each sandbox has its own URL. */
function optionIn({ settings, decode, transform, ...run }: DividedRun, name: string): unknown {
  const baseUrl = run.sandbox ? undefined : run.baseUrl;
  const options = { ...settings, ...decode, ...run, baseUrl, transform: transform?.digest };
  return new Map<string, unknown>(Object.entries(options)).get(name);
}

/** Whether two runs may work on the same input at the same time, because no row belongs to both. */
export function areSiblings(one: DividedRun, other: DividedRun): boolean {
  if (one.shard === undefined || other.shard === undefined) return false;
  return one.shard.index !== other.shard.index && shardDifferences(one, other).length === 0;
}
