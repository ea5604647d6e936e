/** `signals runs list`: every run in the folder, also those that cannot be read. */
import { readHandover } from '../../journal/handover.ts';
import { Lineages } from '../../journal/lineage.ts';
import { readRuns } from '../../journal/run-index.ts';
import { printable } from '../../lib/printable.ts';
import { type ListedRun, listText, type UnreadableRun } from '../../report/runs-text.ts';
import { type Context, subcommand } from '../shared/command.ts';
import { runsRoot } from '../shared/run-argument.ts';
import { type CommonOptions, commonOptions, listed } from '../shared/stored-runs.ts';
import { createSuggest } from '../shared/suggest.ts';

export const list = subcommand('list', 'list runs, and what each still needs', commonOptions, run);

async function run(context: Context, _args: readonly string[], options: CommonOptions): Promise<number> {
  const { streams } = context;
  const root = await runsRoot(context, options);
  const found: (ListedRun | UnreadableRun)[] = [];
  const runs = await readRuns(root);
  const lineages = new Lineages(runs.filter((run) => 'rows' in run));
  for (const run of runs) {
    if ('rows' in run) {
      found.push(listed(run, lineages.of(run), readHandover(run.folder.path)?.time));
    } else {
      const { folder, problem: error } = run;
      const [problem = { code: 'run.unreadable', message: error.message }] = error.problems;
      found.push({ run: folder.id, folder: folder.path, problem });
    }
  }
  const suggest = createSuggest(context, options);
  if (options.json) {
    const listed = found.map((run) => ('next' in run ? { ...run, next: run.next && suggest(...run.next) } : run));
    streams.out(`${JSON.stringify({ folder: root, runs: listed })}\n`);
  } else if (found.length === 0) streams.out(`No runs in ${printable(root)}.\n`);
  else streams.out(`${listText(found, suggest, streams.style.out)}\n`);
  return 0;
}
