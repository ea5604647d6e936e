/** `signals runs list`: every run in the folder, also those that cannot be read. */
import { readHandover } from '../../journal/handover.ts';
import { Lineages } from '../../journal/lineage.ts';
import { readRuns } from '../../journal/run-index.ts';
import { printable } from '../../lib/printable.ts';
import { type ListedRun, listText, type UnreadableRun } from '../../report/runs-text.ts';
import { type Context, subcommand } from '../shared/command.ts';
import { choice, type OptionValues, parsed } from '../shared/option.ts';
import { runsRoot } from '../shared/run-argument.ts';
import { commonOptions, listed, parseAge } from '../shared/stored-runs.ts';
import { createSuggest } from '../shared/suggest.ts';

const STATES = ['complete', 'stopped', 'interrupted', 'running'];

const listOptions = {
  state: choice('--state <state>', 'only runs in this state', STATES),
  since: parsed('--since <time>', 'only runs that started in the last TIME: 7d, 12h', parseAge),
  ...commonOptions,
};

export const list = subcommand('list', 'list runs, and what each still needs', listOptions, run);

async function run(
  context: Context,
  _args: readonly string[],
  options: OptionValues<typeof listOptions>,
): Promise<number> {
  const { streams } = context;
  const { state, since } = options;
  const isWanted = (run: ListedRun): boolean =>
    (state === undefined || run.state === state) &&
    (since === undefined || Date.parse(run.startedAt) >= Date.now() - since);
  const root = await runsRoot(context, options);
  const found: (ListedRun | UnreadableRun)[] = [];
  const runs = await readRuns(root);
  const lineages = new Lineages(runs.filter((run) => 'rows' in run));
  for (const run of runs) {
    if ('rows' in run) {
      const line = listed(run, lineages.of(run), readHandover(run.folder.path)?.time);
      if (isWanted(line)) found.push(line);
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
  } else if (found.length === 0) streams.print(`No ${runs.length === 0 ? '' : 'such '}runs in ${printable(root)}.\n`);
  else streams.print(`${listText(found, suggest, streams.style.out)}\n`);
  return 0;
}
