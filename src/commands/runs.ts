/** `signals runs`: lists the runs, also those that cannot be read, with what each still needs. Sends nothing. */

import { rm } from 'node:fs/promises';
import { commonOptions, parseAge, runsRoot } from '../app/find-run.ts';
import { suggestsAbout } from '../app/foreign-run.ts';
import { contextOf, type OtherRuns, replacementOf } from '../app/run-context.ts';
import { folderSize } from '../journal/file-system.ts';
import { lockRun } from '../journal/lock.ts';
import { fileNow, readRunFile, type StoredRun } from '../journal/run-file.ts';
import type { RunFolder } from '../journal/run-folder.ts';
import { printable } from '../lib/printable.ts';
import { once } from '../lib/resources.ts';
import type { Suggest } from '../lib/shell.ts';
import { humanBytes, plural } from '../lib/units.ts';
import { sumOf } from '../model/counts.ts';
import { openFailures } from '../model/outcome.ts';
import { flag, parsed, usageError } from '../options/option-spec.ts';
import { leftRows, repairedRows } from '../report/ending-text.ts';
import { nextCommand, nextStep, otherSteps } from '../report/next-step.ts';
import { deliveredRows } from '../report/run-summary.ts';
import { listText, type RunLine, type UnreadableRun } from '../report/runs-text.ts';
import {
  type CataloguedRun,
  readCatalogue,
  rebuildCatalogue,
  type UnreadableFolder,
} from '../stored-runs/catalogue.ts';
import { defineCommand, defineSubcommand, listed, type Work } from './command.ts';
import { confirm, printAnswer } from './screen/print.ts';

const RUNS_LISTED = 20;

const list = defineCommand({
  options: commonOptions,
  async run(context, _args, options) {
    const root = await runsRoot(context, options);
    const all = await readCatalogue(root);
    const shown = options.json ? all : all.slice(-RUNS_LISTED);
    const others = othersOf(all);
    const suggestFor = suggestsAbout(context, options);
    const last = all.at(-1);
    const runs: (RunLine | UnreadableRun)[] = [];
    for (const run of shown) {
      const name = run === last ? [] : [run.folder.id];
      runs.push('problem' in run ? unreadable(run) : await lineOf(run, others, name, suggestFor));
    }
    const none = `No runs in ${printable(root)}.`;
    const text = runs.length === 0 ? none : listText(runs, all.length - runs.length, context.streams.style.out);
    return printAnswer(context, options, { folder: root, runs }, text);
  },
});

const prune = defineSubcommand({
  name: 'prune',
  summary: 'delete the folders of old, finished runs',
  options: {
    olderThan: parsed('time', parseAge, 'minimum age: 30d, 12h'),
    force: flag('also delete runs with undelivered rows'),
    dryRun: flag('show what would be deleted'),
    ...commonOptions,
  },
  async run(context, _args, options) {
    const { streams } = context;
    const { olderThan: age, dryRun } = options;
    if (age === undefined) {
      const example = context.suggest('runs', 'prune', '--older-than', '30d');
      throw usageError('--older-than is required.', `For example: \`${example}\`.`);
    }
    const root = await runsRoot(context, options);
    const old: { folder: RunFolder; bytes: number }[] = [];
    const kept: { run: string; why: string }[] = [];
    const all = await readCatalogue(root);
    const others = othersOf(all);
    for (const run of all) {
      const { folder } = run;
      const why = await whyKept(run, others, Date.now() - age, options.force);
      if (why === undefined) old.push({ folder, bytes: folderSize(folder.path) });
      else kept.push({ run: folder.id, why });
    }
    const bytes = old.reduce((sum, { bytes }) => sum + bytes, 0);
    const what = `${plural(old.length, 'run')} (${humanBytes(bytes)})`;
    if (!options.json) {
      for (const { folder, bytes } of old) streams.print(`${printable(folder.id)}: ${humanBytes(bytes)}\n`);
      for (const { run, why } of kept) if (why !== TOO_YOUNG) streams.print(`${printable(run)}: kept, ${why}\n`);
    }
    if (!dryRun && old.length > 0) {
      if (!options.yes) await confirm(context, `Delete ${what}?`, `Deleting ${what}`);
      for (const { folder } of old) await removeRun(folder);
      await rebuildCatalogue(root);
    }
    const removed = old.map(({ folder, bytes }) => ({ run: folder.id, bytes }));
    const text = `${what} ${dryRun ? 'would be deleted' : 'deleted'}; ${plural(kept.length, 'run')} kept.`;
    return printAnswer(context, options, { folder: root, dryRun, removed, kept, bytes }, text);
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
    prune,
  ],
} satisfies Work;

/** What a process that works on a run has sent is not known. */
function othersOf(all: readonly (CataloguedRun | UnreadableFolder)[]): OtherRuns {
  return once(async () => all.map((run) => ('problem' in run || run.isRunning() ? run : { ...run, facts: run })));
}

async function lineOf(
  run: CataloguedRun,
  others: OtherRuns,
  name: readonly string[],
  suggestFor: (run: StoredRun) => Promise<Suggest>,
): Promise<RunLine> {
  const { folder, file: identity, rows, unread, handedOver } = run;
  const isRunning = run.isRunning();
  const { startedAt, type, variant, sandbox, inputs } = identity;
  // What is delivered needs nothing, and is most of a long list.
  const isDone = run.state === 'complete' && leftRows(run, { rejects: [] }) + Math.abs(run.service.unaccounted) === 0;
  const file = isDone ? undefined : fileNow(await readRunFile(folder.path), run);
  const suggest = file && (await suggestFor({ folder, file }));
  const context = file && suggest && (await contextOf(run, { folder, file, others, suggest, name, isRunning }));
  const step = context && nextStep({ ...run, type, variant }, context);
  const next = suggest === undefined ? null : nextCommand(step, suggest);
  const more = context === undefined ? [] : otherSteps({ ...run, type, variant }, context, step);
  const before = suggest === undefined ? [] : more.map((one) => `${one.label} ${nextCommand(one, suggest)};`);
  // A label that is a sentence says when the command is right.
  const when = next === null || step?.label.endsWith(':') === true ? [step?.label ?? ''] : [];
  return {
    run: identity.run,
    folder: folder.path,
    startedAt,
    type,
    variant,
    sandbox,
    inputs: inputs.map(({ source }) => source),
    state: isRunning ? 'running' : run.state === 'running' ? 'interrupted' : run.state,
    handedOver,
    rows,
    delivered: deliveredRows(run) + (context === undefined ? 0 : repairedRows(context)),
    left: leftRows(run, context ?? { rejects: [] }),
    isEstimate: unread !== undefined && context?.replacedBy === undefined,
    next,
    why: [...before, ...when].join(' ') || undefined,
  };
}

function unreadable({ folder, problem: error }: UnreadableFolder): UnreadableRun {
  const [problem = { code: 'run.unreadable', message: error.message }] = error.problems;
  return { run: folder.id, folder: folder.path, problem };
}

const TOO_YOUNG = 'modified since';

async function whyKept(run: CataloguedRun | UnreadableFolder, others: OtherRuns, before: number, force: boolean) {
  if ('isRunning' in run && run.isRunning()) return 'in use by a process';
  if (run.journal.mtimeMs > before) return TOO_YOUNG;
  if (force) return undefined;
  if ('problem' in run) {
    const isEmpty = run.problem.problems.some(({ code }) => code === 'journal.empty');
    return isEmpty ? undefined : 'unreadable (--force deletes it)';
  }
  if (run.handedOver !== undefined) return undefined;
  const { state, rows, isRestLost } = run;
  const isUnfinished = (state !== 'complete' && isRestLost !== true) || sumOf(rows, openFailures) > 0;
  if (!isUnfinished) return undefined;
  const file = fileNow(await readRunFile(run.folder.path), run);
  const later = await replacementOf(run, { folder: run.folder, file, others });
  return later === undefined ? 'it is unfinished (--force deletes it)' : undefined;
}

/** @throws RunLockedError if a process has started to work on it */
async function removeRun(folder: RunFolder): Promise<void> {
  const lock = await lockRun(folder.path);
  try {
    await rm(folder.path, { recursive: true });
  } finally {
    lock.release();
  }
}
