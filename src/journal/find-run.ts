/** Finds the folder of a run: by its path, its id, an unambiguous part of it, or `last` (cli.md, "Commands"). */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { ProblemError } from '../model/problem.ts';
import { journalSize } from './exists.ts';
import { readRunFile } from './run-file.ts';
import type { RunFolder } from './run-folder.ts';
import { readRunList } from './run-list.ts';

/**
 * @param root the folder in which runs are kept
 * @param state the state folder, whose list is asked where the run is not in `root`
 * @throws ProblemError `run.none`, `run.unknown`, `run.ambiguous`
 */
export async function findRun(root: string, wanted: string, state?: string): Promise<RunFolder> {
  if (await isRun(wanted)) return { id: path.basename(path.resolve(wanted)), path: wanted };
  const here = await listRuns(root);
  const there = matching(here, wanted).length > 0 || state === undefined ? [] : await runsElsewhere(state);
  const last = (here.length > 0 ? here : there).at(-1);
  if (last === undefined) {
    throw new ProblemError({
      code: 'run.none',
      message: `There is no run in ${root}.`,
      hint: 'Name the folder in which runs are kept with --out, or the run by its own folder.',
    });
  }
  const found = matching(here, wanted).length > 0 ? matching(here, wanted) : matching(there, wanted);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  throw new ProblemError(
    only === undefined
      ? {
          code: 'run.unknown',
          message: `No run in ${root} is called "${wanted}"${state === undefined ? '' : ', and none elsewhere'}.`,
          hint: `The last one is ${last.id}.`,
        }
      : {
          code: 'run.ambiguous',
          message: `"${wanted}" is part of the names of ${found.length} runs: ${found.map(({ id }) => id).join(', ')}.`,
          hint: 'Write more of the name.',
        },
  );
}

/** The runs that are meant: the last one, the one of that name, or those of whose names it is a part. */
function matching(runs: readonly RunFolder[], wanted: string): readonly RunFolder[] {
  if (wanted === 'last') return runs.slice(-1);
  const exact = runs.filter(({ id }) => id === wanted);
  return exact.length > 0 ? exact : runs.filter(({ id }) => id.includes(wanted));
}

/** The runs of this user, wherever they are, as far as they are still there. Oldest first. */
async function runsElsewhere(state: string): Promise<readonly RunFolder[]> {
  const runs: RunFolder[] = [];
  for (const { folder } of await readRunList(state)) {
    if (await isRun(folder)) runs.push({ id: path.basename(folder), path: folder });
  }
  return runs;
}

/** Oldest first. */
export async function listRuns(root: string): Promise<readonly RunFolder[]> {
  const names = await readdir(root).catch(() => []);
  const runs: { readonly folder: RunFolder; readonly time: string }[] = [];
  for (const id of names) {
    const folder = { id, path: path.join(root, id) };
    if (await isRun(folder.path)) runs.push({ folder, time: await timeOf(folder) });
  }
  return runs
    .sort((one, other) => (`${one.time} ${one.folder.id}` < `${other.time} ${other.folder.id}` ? -1 : 1))
    .map(({ folder }) => folder);
}

/**
 * When a run began, to the millisecond: two may begin in one second, and a name that people have given (`--run-id`)
 * holds no time. Of a run that cannot be understood its name has to do.
 */
async function timeOf({ id, path: folder }: RunFolder): Promise<string> {
  const file = await readRunFile(folder).catch(() => undefined);
  return file?.startedAt.replace(/[-:.]/g, '') ?? /^\d{8}T\d{6}/.exec(id)?.[0] ?? '';
}

async function isRun(folder: string): Promise<boolean> {
  return (await journalSize(folder)) > 0;
}
