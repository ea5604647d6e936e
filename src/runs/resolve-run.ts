/** The folder of the run that the user names: by its path, its id, an unambiguous part of the id, or `last`. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { journalSize, type RunFolder } from '../journal/run-folder.ts';
import { ProblemError } from '../model/problem.ts';
import { listRuns } from './catalogue.ts';

/**
 * @param root the folder of runs
 * @throws ProblemError `run.none`, `run.unknown`, `run.ambiguous`
 */
export async function resolveRun(root: string, wanted: string): Promise<RunFolder> {
  // Without its journal, the folder is named too, so that the command says what is wrong with it.
  if (journalSize(wanted) > 0 || existsSync(path.join(wanted, 'run.json'))) {
    return { id: path.basename(path.resolve(wanted)), path: wanted };
  }
  const runs = (await listRuns(root)).map(({ folder }) => folder);
  const last = runs.at(-1);
  if (last === undefined) {
    throw new ProblemError({
      code: 'run.none',
      message: `No runs in ${root}.`,
      hint: 'Name the folder of your runs with --out, or give the path of the run.',
    });
  }
  const found = matching(runs, wanted);
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

/** The last run, the run with this id, or else all runs whose id contains the text. */
function matching(runs: readonly RunFolder[], wanted: string): readonly RunFolder[] {
  if (wanted === 'last') return runs.slice(-1);
  const exact = runs.filter(({ id }) => id === wanted);
  return exact.length > 0 ? exact : runs.filter(({ id }) => id.includes(wanted));
}
