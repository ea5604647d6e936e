/** Finds the folder of a run: by its path, its id, an unambiguous part of it, or `last` (cli.md, "Commands"). */
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { ProblemError } from '../model/problem.ts';
import type { RunFolder } from './folder.ts';
import { readRunFile } from './run.ts';

/**
 * @param root the folder in which runs are kept
 * @throws ProblemError `run.none`, `run.unknown`, `run.ambiguous`
 */
export async function findRun(root: string, wanted: string): Promise<RunFolder> {
  if (await isRun(wanted)) return { id: path.basename(path.resolve(wanted)), path: wanted };
  const runs = await listRuns(root);
  const last = runs.at(-1);
  if (last === undefined) {
    throw new ProblemError({
      code: 'run.none',
      message: `There is no run in ${root}.`,
      hint: 'Name the folder in which runs are kept with --out, or the run by its own folder.',
    });
  }
  if (wanted === 'last') return last;
  const exact = runs.find(({ id }) => id === wanted);
  const matching = exact === undefined ? runs.filter(({ id }) => id.includes(wanted)) : [exact];
  const [only] = matching;
  if (only !== undefined && matching.length === 1) return only;
  throw new ProblemError(
    only === undefined
      ? {
          code: 'run.unknown',
          message: `No run in ${root} is called "${wanted}".`,
          hint: `The last one is ${last.id}.`,
        }
      : {
          code: 'run.ambiguous',
          message: `"${wanted}" is part of the names of ${matching.length} runs: ${matching.map(({ id }) => id).join(', ')}.`,
          hint: 'Write more of the name.',
        },
  );
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
  return stat(path.join(folder, 'journal.ndjson')).then(
    // An empty journal is that of a run that never began: nothing was sent.
    (stats) => stats.isFile() && stats.size > 0,
    () => false,
  );
}
