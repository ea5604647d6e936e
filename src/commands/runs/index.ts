/** `signals runs`: inspects, packs and deletes the run folders. Sends nothing. */
import type { Work } from '../shared/command.ts';
import { explain } from './explain.ts';
import { find } from './find.ts';
import { list } from './list.ts';
import { merge } from './merge.ts';
import { pack } from './pack.ts';
import { prune } from './prune.ts';
import { show } from './show.ts';

export const command = {
  more: [
    'Without a command, lists the runs. RUN is an id, an unambiguous part of an id, a folder, or "last".',
    '',
    'Examples:',
    '  signals runs',
    '  signals runs show last',
    '  signals runs show last --rows unknown',
    '  signals runs find last export.csv:812',
    '  signals runs explain last',
    '  signals runs prune --older-than 30d',
  ],
  options: list.options,
  run: list.run,
  commands: [list, show, find, explain, merge, pack, prune],
} satisfies Work;
