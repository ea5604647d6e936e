/** The folder of runs, and the run that an argument names. */
import { findRun } from '../../journal/find-run.ts';
import type { RunFolder } from '../../journal/run-folder.ts';
import { type ResolvedSettings, resolveSettings } from '../../settings/resolve-settings.ts';
import { stateFolder } from '../../settings/state-folder.ts';
import type { Context } from './command.ts';
import { usageError } from './option.ts';
import { givenSettings, type SettingOptions } from './options.ts';
import { createSuggest } from './suggest.ts';

export async function runsRoot(context: Context, options: SettingOptions): Promise<string> {
  return (await resolveOut(context, options)).settings.out;
}

/**
 * The folder of a run: in the folder of runs, and without `--out` wherever this user created it.
 *
 * @throws ProblemError `run.none`, `run.unknown`, `run.ambiguous`
 */
export async function findRunFolder(context: Context, options: SettingOptions, wanted: string): Promise<RunFolder> {
  const { settings, origins } = await resolveOut(context, options);
  return findRun(settings.out, wanted, origins.out === 'flag' ? undefined : stateFolder(context.env));
}

/** Nothing is sent here, so a configured http:// URL is allowed. */
function resolveOut(context: Context, options: SettingOptions): Promise<ResolvedSettings> {
  return resolveSettings(givenSettings(context, { ...options, allowHttp: true }));
}

/** The run to resume, replay or fix. On a terminal it defaults to the last run. @throws ProblemError `usage` without a terminal */
export async function requestedRun(
  context: Context,
  options: SettingOptions,
  command: 'resume' | 'replay' | 'fix',
  [wanted]: readonly string[],
): Promise<RunFolder> {
  if (wanted !== undefined || context.streams.interactive) return findRunFolder(context, options, wanted ?? 'last');
  throw usageError(
    `Without a terminal, \`${command}\` needs the id of a run.`,
    `For the latest run: \`${createSuggest(context, options)(command, 'last')}\`.`,
  );
}
