/** The run that the user names, for every command that takes one, and the options of `runs` and `report`. */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import type { RunFolder } from '../journal/run-folder.ts';
import { printable } from '../lib/printable.ts';
import type { OptionValues } from '../options/option-spec.ts';
import { type SettingOptions, sharedOptions } from '../options/option-table.ts';
import { duration, issue, type Parsed } from '../options/parse-values.ts';
import { type ResolvedSettings, resolveSettings } from '../options/resolve-settings.ts';
import { resolveRun } from '../stored-runs/resolve-run.ts';
import type { Surroundings } from './context.ts';

export const commonOptions = sharedOptions('runs');

export type CommonOptions = OptionValues<typeof commonOptions>;

/** A unit is required: elsewhere a bare number means seconds, but the user may mean days. */
export function parseAge(text: string): Parsed<number> {
  return /[a-z]\s*$/i.test(text)
    ? duration({ min: '0s', max: '36500d' })(text)
    : issue(text, 'a duration with a unit, such as 30d or 12h');
}

export async function runsRoot(context: Surroundings, options: SettingOptions): Promise<string> {
  return (await resolveOut(context, options)).settings.out;
}

/**
 * The folder of the run that the user names. An archive of `runs pack` is unpacked into the folder of runs.
 *
 * @throws ProblemError `run.none`, `run.unknown`, `run.ambiguous`
 */
export async function findRunFolder(
  context: Surroundings,
  options: SettingOptions,
  wanted: string,
): Promise<RunFolder> {
  const { settings } = await resolveOut(context, options);
  if (isArchive(wanted)) {
    const { unpackRun } = await import('../stored-runs/unpack-run.ts');
    const { folder, isNew } = await unpackRun(wanted, settings.out);
    if (isNew) context.streams.err(`Unpacked ${printable(wanted)} into ${printable(folder.path)}.\n`);
    return folder;
  }
  return resolveRun(settings.out, wanted);
}

/** Nothing is sent here, so a configured http:// URL is allowed. */
function resolveOut(context: Surroundings, options: SettingOptions): Promise<ResolvedSettings> {
  return resolveSettings({ ...context, ...options, allowHttp: true });
}

/** Whether an argument names an archive: a file compressed by gzip. Anything else is a run folder or a part of an id. */
function isArchive(wanted: string): boolean {
  let file: number;
  try {
    if (!statSync(wanted).isFile()) return false;
    file = openSync(wanted, 'r');
  } catch {
    return false;
  }
  const start = Buffer.alloc(2);
  readSync(file, start);
  closeSync(file);
  return start.readUInt16BE() === 0x1f8b;
}
