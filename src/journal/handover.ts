/** The mark of a run that was packed for somebody else to finish: from then on nobody sends from here. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { once } from '../lib/once.ts';
import { ProblemError } from '../model/problem.ts';
import { isMissing } from './exists.ts';
import { replaceFile } from './file-system.ts';
import type { RunFolder } from './run-folder.ts';

const schema = once(() => z.object({ time: z.string(), archive: z.string() }));

export type Handover = z.infer<ReturnType<typeof schema>>;

const NAME = 'handed-over.json';

export async function readHandover(folder: string): Promise<Handover | undefined> {
  let text: string;
  try {
    text = await readFile(path.join(folder, NAME), 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  // Somebody has marked it; whatever has become of the mark, it counts.
  const parsed = schema().safeParse(orUndefined(() => JSON.parse(text)));
  return parsed.success ? parsed.data : { time: '', archive: 'an archive' };
}

export function writeHandover(folder: string, mark: Handover): void {
  replaceFile(path.join(folder, NAME), `${JSON.stringify(mark)}\n`);
}

/** @throws ProblemError `run.handed_over` where it was, and the user has not said `--again` */
export async function assertNotHandedOver(folder: RunFolder, again: boolean): Promise<void> {
  const mark = again ? undefined : await readHandover(folder.path);
  if (mark === undefined) return;
  throw new ProblemError({
    code: 'run.handed_over',
    message: `${folder.id} was handed over to somebody else, in ${mark.archive}. Whoever has it may have sent the rest already. Nothing was sent.`,
    hint: 'Where you are sure that nobody will finish it elsewhere, add --again.',
  });
}

function orUndefined(work: () => unknown): unknown {
  try {
    return work();
  } catch {
    return undefined;
  }
}
