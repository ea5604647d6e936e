/** `signals runs list`: every run in the folder, also those that cannot be read. */
import { readHandover } from '../../journal/handover.ts';
import { Lineages } from '../../journal/lineage.ts';
import { readRuns } from '../../journal/run-index.ts';
import { printable } from '../../lib/printable.ts';
import { choice, parsed } from '../../options/option-spec.ts';
import { createSuggest } from '../../options/suggest.ts';
import { type ListedRun, listText, type UnreadableRun } from '../../report/runs-text.ts';
import { defineSubcommand } from '../shared/command.ts';
import { printAnswer } from '../shared/output.ts';
import { commonOptions, listed, parseAge, runsRoot } from '../shared/stored-runs.ts';

const STATES = ['complete', 'stopped', 'interrupted', 'running'];

export const list = defineSubcommand({
  name: 'list',
  summary: 'list runs, and what each still needs',
  options: {
    state: choice('--state <state>', 'only runs in this state', STATES),
    since: parsed('--since <time>', 'only runs that started in the last TIME: 7d, 12h', parseAge),
    ...commonOptions,
  },
  async run(context, _args, options) {
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
        const lineage = lineages.of(run);
        const deliveredByReplays =
          run.file.parent === undefined
            ? lineage.reduce((sum, { rows }) => sum + rows.delivered, -run.rows.delivered)
            : 0;
        const line = { ...listed(run, lineage, readHandover(run.folder.path)?.time), deliveredByReplays };
        if (isWanted(line)) found.push(line);
      } else {
        const { folder, problem: error } = run;
        const [problem = { code: 'run.unreadable', message: error.message }] = error.problems;
        found.push({ run: folder.id, folder: folder.path, problem });
      }
    }
    const suggest = createSuggest(context, options);
    const shown = found.map((run) => ('next' in run ? { ...run, next: run.next && suggest(...run.next) } : run));
    const none = `No ${runs.length === 0 ? '' : 'such '}runs in ${printable(root)}.`;
    const text = found.length === 0 ? none : listText(found, suggest, context.streams.style.out);
    return printAnswer(context, options, { folder: root, runs: shown }, text);
  },
});
