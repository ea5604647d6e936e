/** `signals runs`: inspects, packs and deletes the run folders. Sends nothing. */
import { listed, type Work } from './command.ts';
import { command as list, RUNS_LISTED } from './runs-list.ts';

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
