/** Marks a run that was packed for another person to finish: it is no longer sent from this folder. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { once } from '../lib/once.ts';
import { ProblemError } from '../model/problem.ts';
import { isMissing, replaceFile } from './file-system.ts';
import type { RunFolder } from './run-folder.ts';

const schema = once(() => z.object({ time: z.string(), archive: z.string() }));

export type Handover = z.infer<ReturnType<typeof schema>>;

const NAME = 'handed-over.json';

export function readHandover(folder: string): Handover | undefined {
  let text: string;
  try {
    text = readFileSync(path.join(folder, NAME), 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  try {
    return schema().parse(JSON.parse(text));
  } catch {
    // A damaged mark counts too.
    return { time: '', archive: 'an archive' };
  }
}

export function writeHandover(folder: string, mark: Handover): void {
  replaceFile(path.join(folder, NAME), `${JSON.stringify(mark)}\n`);
}

/** @throws ProblemError `run.handed_over`, unless the user has given `--again` */
export function assertNotHandedOver(folder: RunFolder, again: boolean): void {
  const mark = again ? undefined : readHandover(folder.path);
  if (mark === undefined) return;
  throw new ProblemError({
    code: 'run.handed_over',
    message: `${folder.id} was handed over in ${mark.archive}. Its recipient may have sent the rest already. Nothing was sent.`,
    hint: 'If you are sure that it will not be finished elsewhere, add --again.',
  });
}
