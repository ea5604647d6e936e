/**
 * The list of this user's runs: one file per month in the state folder (`runs-2026-11.ndjson`), one line for each run,
 * appended when it starts. With it a run can be named from any folder, and the history finds the journals of killed runs.
 *
 * No run depends on the list: without it, runs are found by their folders.
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
  type: z.enum(['signals', 'social']),
  baseUrl: z.string(),
  sandbox: z.boolean(),
  /** Whether the journal has the keys of the records. */
  keys: z.boolean(),
});

export type RunListEntry = z.infer<typeof entry>;

const LIST = /^runs-\d{4}-\d{2}\.ndjson$/;

/** @throws the system's error if the state folder cannot be written */
export async function addToRunList(state: string, run: RunListEntry): Promise<void> {
  const file = await openRunList(state, run.startedAt);
  try {
    // A leading line feed, because the last line may be torn.
    await file.append(`${file.length > 0 ? '\n' : ''}${encodeLine(run)}`);
  } finally {
    await file.close();
  }
}

/** @throws the system's error if the state folder cannot be written */
export function openRunList(state: string, startedAt: string): ReturnType<typeof openAppend> {
  makeFolder(state);
  return openAppend(path.join(state, `runs-${startedAt.slice(0, 7)}.ndjson`));
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
