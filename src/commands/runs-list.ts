/** `signals runs list`: every run in the folder, also those that cannot be read. */
import { commonOptions, listed, parseAge, runsRoot } from '../app/stored-runs.ts';
import { printable } from '../lib/printable.ts';
import { choice, parsed } from '../options/option-spec.ts';
import { createSuggest } from '../options/suggest.ts';
import { nextCommand } from '../report/next-step.ts';
import { type ListedRun, listText, type UnreadableRun } from '../report/runs-text.ts';
import { readCatalogue, type UnreadableFolder } from '../runs/catalogue.ts';
import { defineSubcommand } from './command.ts';
import { printAnswer } from './output.ts';

const STATES = ['complete', 'stopped', 'interrupted', 'running'];

export const list = defineSubcommand({
  name: 'list',
  summary: 'list runs, and what each still needs',
  options: {
    state: choice('state', STATES, 'only runs in this state'),
    since: parsed('time', parseAge, 'only runs that started in the last TIME: 7d, 12h'),
    ...commonOptions,
  },
  async run(context, _args, options) {
    const { state, since } = options;
    const isWanted = (run: ListedRun): boolean =>
      (state === undefined || run.state === state) &&
      (since === undefined || Date.parse(run.startedAt) >= Date.now() - since);
    const root = await runsRoot(context, options);
    const runs = await readCatalogue(root);
    const found = runs
      .map((run): ListedRun | UnreadableRun => ('rows' in run ? listed(run) : unreadable(run)))
      .filter((run) => 'problem' in run || isWanted(run));
    const suggest = createSuggest(context, options);
    const shown = found.map((run) => ('next' in run ? { ...run, next: nextCommand(run.next, suggest) } : run));
    const none = `No ${runs.length === 0 ? '' : 'such '}runs in ${printable(root)}.`;
    const text = found.length === 0 ? none : listText(found, suggest, context.streams.style.out);
    return printAnswer(context, options, { folder: root, runs: shown }, text);
  },
});

function unreadable({ folder, problem: error }: UnreadableFolder): UnreadableRun {
  const [problem = { code: 'run.unreadable', message: error.message }] = error.problems;
  return { run: folder.id, folder: folder.path, problem };
}
