/** `signals runs list`: every run in the folder, those that cannot be read too. */
import { listRuns } from '../../journal/find-run.ts';
import { printable } from '../../lib/printable.ts';
import { ProblemError } from '../../model/problem.ts';
import { type ListedRun, listText, type UnreadableRun } from '../../report/runs-text.ts';
import type { Command, Context, Options } from '../shared/command.ts';
import { suggestFor } from '../shared/options.ts';
import { COMMON, familyOf, listed, rootOf } from './runs-options.ts';

export const list = {
  name: 'list',
  summary: 'list runs, and what each still needs',
  options: COMMON,
  run,
} satisfies Command;

async function run(context: Context, _args: readonly string[], options: Options): Promise<number> {
  const { streams } = context;
  const root = await rootOf(context, options);
  const found: (ListedRun | UnreadableRun)[] = [];
  for (const folder of await listRuns(root)) {
    try {
      found.push(listed(await familyOf(folder)));
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      const [problem = { code: 'run.unreadable', message: error.message }] = error.problems;
      found.push({ run: folder.id, folder: folder.path, problem });
    }
  }
  if (options['json'] === true) streams.out(`${JSON.stringify({ folder: root, runs: found })}\n`);
  else if (found.length === 0) streams.out(`There is no run in ${printable(root)}.\n`);
  else streams.out(`${listText(found, suggestFor(context, options), streams.style.out)}\n`);
  return 0;
}
