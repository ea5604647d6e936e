/** Finds the folder of a run by its path, its id, an unambiguous part of the id, or `last`. */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { ProblemError } from '../model/problem.ts';
import { readRunFile } from './run-file.ts';
import { journalSize, type RunFolder } from './run-folder.ts';
import { readRunList } from './run-list.ts';

/**
 * @param root the folder of runs
 * @param state the state folder: its run list is searched if the run is not in `root`
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
      message: `No runs in ${root}.`,
      hint: 'Name the folder of your runs with --out, or give the path of the run.',
    });
  }
  const found = matching(here, wanted).length > 0 ? matching(here, wanted) : matching(there, wanted);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  throw new ProblemError(
    only === undefined
      ? {
          code: 'run.unknown',
          message: `No run matches "${wanted}" in ${root}${state === undefined ? '' : ' or in the list of runs'}.`,
          hint: `The last run is ${last.id}.`,
        }
      : {
          code: 'run.ambiguous',
          message: `"${wanted}" matches ${found.length} runs: ${found.map(({ id }) => id).join(', ')}.`,
          hint: 'Give more of the id.',
        },
  );
}

/** The last run, the run with this id, or else all runs whose id contains the text. */
function matching(runs: readonly RunFolder[], wanted: string): readonly RunFolder[] {
  if (wanted === 'last') return runs.slice(-1);
  const exact = runs.filter(({ id }) => id === wanted);
  return exact.length > 0 ? exact : runs.filter(({ id }) => id.includes(wanted));
}

/** The existing runs of the run list, oldest first. */
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
 * The start of a run, to the millisecond: two runs can start in one second, and an id from `--run-id` has no time. If
 * run.json is unreadable, the time in the id is used.
 */
async function timeOf({ id, path: folder }: RunFolder): Promise<string> {
  const file = await readRunFile(folder).catch(() => undefined);
  return file?.startedAt.replace(/[-:.]/g, '') ?? /^\d{8}T\d{6}/.exec(id)?.[0] ?? '';
}

async function isRun(folder: string): Promise<boolean> {
  return (await journalSize(folder)) > 0;
}
