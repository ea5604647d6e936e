/**
 * `signals runs`: inspects, packs and deletes the run folders. Sends nothing. Alone, it lists them, also those that cannot be
 * read, with what each still needs.
 */
import { commonOptions, parseAge, runsRoot } from '../app/find-run.ts';
import { suggestsAbout } from '../app/foreign-run.ts';
import { contextOf, rejectsReaders } from '../app/run-context.ts';
import { fileNow, readRunFile, type StoredRun } from '../journal/run-file.ts';
import { printable } from '../lib/printable.ts';
import type { Suggest } from '../lib/shell.ts';
import { choice, parsed } from '../options/option-spec.ts';
import { leftRows, repairedRows } from '../report/ending-text.ts';
import { nextCommand, nextStep } from '../report/next-step.ts';
import { deliveredRows } from '../report/run-summary.ts';
import { listText, type RunLine, type UnreadableRun } from '../report/runs-text.ts';
import { type CataloguedRun, type FoundRun, readCatalogue, type UnreadableFolder } from '../stored-runs/catalogue.ts';
import { defineCommand, listed, type Work } from './command.ts';
import { printAnswer } from './screen/print.ts';

const STATES = ['complete', 'stopped', 'interrupted', 'running'];
const RUNS_LISTED = 20;

const list = defineCommand({
  options: {
    state: choice('state', STATES, 'only runs in this state'),
    since: parsed('time', parseAge, 'only runs that are at most this old: 7d, 12h'),
    ...commonOptions,
  },
  async run(context, _args, options) {
    const { state, since } = options;
    const isWanted = (run: CataloguedRun | UnreadableFolder): boolean =>
      'problem' in run ||
      ((state === undefined || stateOf(run) === state) &&
        (since === undefined || Date.parse(run.file.startedAt) >= Date.now() - since));
    const root = await runsRoot(context, options);
    const all = await readCatalogue(root);
    const wanted = all.filter(isWanted);
    const shown = options.json ? wanted : wanted.slice(-RUNS_LISTED);
    const readers = await rejectsReaders(root);
    const suggestFor = suggestsAbout(context, options);
    const names = namesOf(all);
    const runs: (RunLine | UnreadableRun)[] = [];
    for (const run of shown) {
      runs.push(
        'problem' in run ? unreadable(run) : await lineOf(run, readers, names.get(run.folder.id) ?? [], suggestFor),
      );
    }
    const none = `No ${all.length === 0 ? '' : 'such '}runs in ${printable(root)}.`;
    const text = runs.length === 0 ? none : listText(runs, wanted.length - runs.length, context.streams.style.out);
    return printAnswer(context, options, { folder: root, runs }, text);
  },
});

export const command = {
  more: [
    'Without a command, lists the runs. RUN is an id, an unambiguous part of an id, a folder, or "last".',
    '',
    'Examples:',
    '  signals runs',
    '  signals runs show last',
    '  signals runs show last --rows unknown',
    '  signals runs find "Northwind Traders"',
    '  signals runs explain last',
    '  signals runs prune --older-than 30d',
  ],
  options: list.options,
  run: list.run,
  commands: [
    listed('list', `list the last ${RUNS_LISTED} runs, and what each still needs`, async () => ({ command: list })),
    listed('show', 'show the summary of a run, or list its rows', () => import('./runs-show.ts'), '[run]'),
    listed(
      'find',
      'find rows by FILE:LINE or by whole words, and show their outcome',
      () => import('./runs-find.ts'),
      '<what...>',
    ),
    listed(
      'explain',
      'find out which records of a run the service rejected, by sending parts of their batches again',
      () => import('./runs-explain.ts'),
      '[run]',
    ),
    listed('merge', 'fold all shards of an upload into one summary', () => import('./runs-merge.ts'), '<runs...>'),
    listed('pack', 'pack a run into one archive', () => import('./runs-pack.ts'), '<run>'),
    listed('prune', 'delete the folders of old, finished runs', () => import('./runs-prune.ts')),
  ],
} satisfies Work;

function stateOf({ isRunning, state }: CataloguedRun): RunLine['state'] {
  return isRunning ? 'running' : state === 'running' ? 'interrupted' : state;
}

/** How commands name the runs: the last one needs no name, and others the end of their id if that is enough. */
function namesOf(runs: readonly (CataloguedRun | UnreadableFolder)[]): ReadonlyMap<string, readonly string[]> {
  const ids = runs.map(({ folder }) => folder.id);
  const last = ids.at(-1);
  return new Map(
    ids.map((id) => {
      const end = id.slice(-4);
      const isEnough =
        /^\d{8}T\d{6}Z-.*-[0-9a-f]{4}$/.test(id) && ids.every((other) => other === id || !other.includes(end));
      return [id, id === last ? [] : [isEnough ? end : id]];
    }),
  );
}

async function lineOf(
  run: CataloguedRun,
  readers: readonly FoundRun[],
  name: readonly string[],
  suggestFor: (run: StoredRun) => Promise<Suggest>,
): Promise<RunLine> {
  const { folder, file: identity, isRunning, rows, unread, handedOver } = run;
  const { startedAt, type, variant, sandbox, inputs } = identity;
  // What is delivered needs nothing, and is most of a long list.
  const isDone = run.state === 'complete' && leftRows(run, { rejects: [] }) + Math.abs(run.service.unaccounted) === 0;
  const file = isDone ? undefined : fileNow(await readRunFile(folder.path), run);
  const suggest = file && (await suggestFor({ folder, file }));
  const context = file && suggest && (await contextOf(run, { folder, file, readers, suggest, name, isRunning }));
  const step = context && nextStep({ ...run, type, variant }, context);
  const next = suggest === undefined ? null : nextCommand(step, suggest);
  return {
    run: identity.run,
    folder: folder.path,
    startedAt,
    type,
    variant,
    sandbox,
    inputs: inputs.map(({ source }) => source),
    state: stateOf(run),
    handedOver,
    rows,
    delivered: deliveredRows(run) + (context === undefined ? 0 : repairedRows(context)),
    left: leftRows(run, { rejects: context?.rejects ?? [] }),
    isEstimate: unread !== undefined,
    next,
    // A label that is a sentence says when the command is right.
    why: next === null || step?.label.endsWith(':') === true ? step?.label : undefined,
  };
}

function unreadable({ folder, problem: error }: UnreadableFolder): UnreadableRun {
  const [problem = { code: 'run.unreadable', message: error.message }] = error.problems;
  return { run: folder.id, folder: folder.path, problem };
}
