/** `signals runs`: inspects, packs and deletes the run folders. Sends nothing. */
import type { Work } from './command.ts';
import { explain } from './runs-explain.ts';
import { find } from './runs-find.ts';
import { list } from './runs-list.ts';
import { merge } from './runs-merge.ts';
import { pack } from './runs-pack.ts';
import { prune } from './runs-prune.ts';
import { show } from './runs-show.ts';

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
  commands: [list, show, find, explain, merge, pack, prune],
} satisfies Work;
