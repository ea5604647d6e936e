/** The run that the user names, for every command that takes one, and the options of `runs` and `report`. */
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { GZIP } from '../input/byte-reader.ts';
import { readPart } from '../journal/file-system.ts';
import { journalSize, type RunFolder } from '../journal/run-folder.ts';
import { printable } from '../lib/printable.ts';
import { attempt } from '../lib/text.ts';
import { ProblemError } from '../model/problem.ts';
import type { OptionValues } from '../options/option-spec.ts';
import { type SettingOptions, sharedOptions } from '../options/option-table.ts';
import { duration, issue, type Parsed } from '../options/parse-values.ts';
import { resolveSettings } from '../options/resolve-settings.ts';
import { lastRun, runNames } from '../stored-runs/catalogue.ts';
import type { Surroundings } from './context.ts';

export const commonOptions = sharedOptions('runs');

export type CommonOptions = OptionValues<typeof commonOptions>;

/** A unit is required: elsewhere a bare number means seconds, but the user may mean days. */
export function parseAge(text: string): Parsed<number> {
  return /[a-z]\s*$/i.test(text)
    ? duration({ min: '0s', max: '36500d' })(text)
    : issue(text, 'a duration with a unit, such as 30d or 12h');
}

const OTHER_FOLDER = 'Name the folder of your runs with --out, or give the path of the run.';

/** Nothing is sent here, so a configured http:// URL is allowed. @throws ProblemError `run.none` if `--out` does not exist */
export async function runsRoot(context: Surroundings, options: SettingOptions, mayBeNew = false): Promise<string> {
  const root = (await resolveSettings({ ...context, ...options, allowHttp: true })).settings.out;
  if (mayBeNew || options.out === undefined || existsSync(root)) return root;
  throw new ProblemError({ code: 'run.none', message: `The folder ${root} does not exist.`, hint: OTHER_FOLDER });
}

/** Unpacks an archive of `runs pack` into the folder of runs. @throws ProblemError as {@link resolveRun} */
export async function findRunFolder(
  context: Surroundings,
  options: SettingOptions,
  wanted: string,
): Promise<RunFolder> {
  const isPacked = isArchive(wanted);
  const root = await runsRoot(context, options, isPacked);
  if (isPacked) {
    const { unpackRun } = await import('../stored-runs/unpack-run.ts');
    const { folder, isNew } = await unpackRun(wanted, root);
    if (isNew) context.streams.err(`Unpacked ${printable(wanted)} into ${printable(folder.path)}.\n`);
    return folder;
  }
  return resolveRun(root, wanted);
}

/** A file that gzip has compressed is an archive. Any other file may have the name of a run, or of `last`, by chance. */
function isArchive(wanted: string): boolean {
  return attempt(() => statSync(wanted).isFile() && readPart(wanted, 0, GZIP.length).equals(GZIP)) === true;
}

/** @throws ProblemError `run.none`, `run.unknown`, `run.ambiguous` */
export async function resolveRun(root: string, wanted: string): Promise<RunFolder> {
  // Without its journal, the folder is named too, so that the command says what is wrong with it.
  if (journalSize(wanted) > 0 || existsSync(path.join(wanted, 'run.json'))) {
    return { id: path.basename(path.resolve(wanted)), path: wanted };
  }
  const last = await lastRun(root);
  if (last === undefined) {
    throw new ProblemError({ code: 'run.none', message: `No runs in ${root}.`, hint: OTHER_FOLDER });
  }
  const found = wanted === 'last' ? [last] : matching(root, wanted);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  throw new ProblemError(
    only === undefined
      ? {
          code: 'run.unknown',
          message: `No run matches "${wanted}" in ${root}.`,
          hint: `The last run is ${last.id}.`,
        }
      : {
          code: 'run.ambiguous',
          message: `"${wanted}" matches ${found.length} runs: ${found.map(({ id }) => id).join(', ')}.`,
          hint: 'Give more of the id.',
        },
  );
}

function matching(root: string, wanted: string): readonly RunFolder[] {
  const alike = runNames(root)
    .filter((id) => id.includes(wanted))
    .toSorted();
  const runs = alike.map((id) => ({ id, path: path.join(root, id) })).filter((run) => journalSize(run.path) > 0);
  const exact = runs.filter(({ id }) => id === wanted);
  return exact.length > 0 ? exact : runs;
}

/** How a command names a run: not at all if it is the last one of the folder of runs, else by its id or its path. */
export async function nameOfRun({ id, path: folder }: RunFolder, root: string): Promise<readonly string[]> {
  if (path.resolve(path.dirname(folder)) !== path.resolve(root)) return [folder];
  return (await lastRun(root))?.id === id ? [] : [id];
}
