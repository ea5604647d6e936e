/**
 * The list of this user's runs: one file per month in the state folder (`runs-2026-11.ndjson`), one line for each run,
 * appended when it starts. Only of the runs in it, the program knows that this user has started them.
 */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { openAppend } from '../journal/append-file.ts';
import { decodeLine, encodeLine } from '../journal/event-line.ts';
import { linesOf } from '../journal/file-lines.ts';
import { makeFolder } from '../journal/file-system.ts';

const entry = z.object({
  run: z.string(),
  /** Absolute. */
  folder: z.string(),
  startedAt: z.string(),
  baseUrl: z.string(),
});

export type RunListEntry = z.infer<typeof entry>;

const LIST = /^runs-\d{4}-\d{2}\.ndjson$/;

/** Adds a run before it sends anything. @throws the system's error if the state folder cannot be written */
export async function addToRunList(
  state: string,
  { run, startedAt, baseUrl }: Omit<RunListEntry, 'folder'>,
  folder: string,
): Promise<void> {
  makeFolder(state);
  const file = await openAppend(path.join(state, `runs-${startedAt.slice(0, 7)}.ndjson`));
  try {
    // A leading line feed, because the last line may be incomplete.
    const line = encodeLine({ run, folder: path.resolve(folder), startedAt, baseUrl });
    await file.append(`${file.length > 0 ? '\n' : ''}${line}`);
  } finally {
    await file.close();
  }
}

/** Oldest first. If a folder is listed twice, the last entry counts. */
export async function readRunList(state: string): Promise<readonly RunListEntry[]> {
  const names = await readdir(state).catch(() => []);
  const found = new Map<string, RunListEntry>();
  for (const name of names.filter((one) => LIST.test(one)).sort()) {
    for await (const { text } of linesOf(path.join(state, name))) {
      const run = entry.safeParse(decodeLine(text)).data;
      if (run !== undefined) found.set(run.folder, run);
    }
  }
  return [...found.values()].sort((one, other) => (one.startedAt < other.startedAt ? -1 : 1));
}
