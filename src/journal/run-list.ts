/**
 * The list of this user's runs, `runs.ndjson` in the state folder: one line for each run, appended when it starts. With
 * it a run can be named from any folder, and the history finds the journals of killed runs.
 *
 * No run depends on the list: without it, runs are found by their folders.
 */

import { readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { openAppend } from './append-file.ts';
import { decodeLine, encodeLine } from './event-line.ts';
import { linesOf } from './file-lines.ts';
import { isMissing, makeFolder } from './file-system.ts';
import { journalSize } from './run-folder.ts';

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

const LIST = 'runs.ndjson';
/** The list, and a copy that a killed process has left while it compacted the list. */
const ANY_LIST = /^runs(?:-\d+)?\.ndjson$/;
/** Size above which the list is rewritten without missing folders, in bytes. */
const COMPACT_ABOVE = 1_000_000;

/** @throws the system's error if the state folder cannot be written */
export async function addToRunList(state: string, run: RunListEntry): Promise<void> {
  makeFolder(state);
  const file = await openAppend(path.join(state, LIST));
  try {
    // A leading line feed, because the last line may be torn.
    await file.append(`${file.length > 0 ? '\n' : ''}${encodeLine(entry.parse(run))}`);
  } finally {
    await file.close();
  }
  if (file.length > COMPACT_ABOVE) await compact(state);
}

/** Oldest first. If a folder is listed twice, the last entry counts. */
export async function readRunList(state: string): Promise<readonly RunListEntry[]> {
  const names = await readdir(state).catch(() => []);
  const found = new Map<string, RunListEntry>();
  for (const name of names.filter((one) => ANY_LIST.test(one))) {
    for (const run of await read(path.join(state, name))) found.set(run.folder, run);
  }
  return [...found.values()].sort((one, other) => (one.startedAt < other.startedAt ? -1 : 1));
}

async function read(file: string): Promise<readonly RunListEntry[]> {
  const runs: RunListEntry[] = [];
  try {
    for await (const { text } of linesOf(file)) {
      const run = entry.safeParse(decodeLine(text)).data;
      if (run !== undefined) runs.push(run);
    }
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  return runs;
}

/** Rewrites the list without missing folders. Renames it first, so that new entries go into a new file. */
async function compact(state: string): Promise<void> {
  const old = path.join(state, `runs-${Date.now()}.ndjson`);
  await rename(path.join(state, LIST), old);
  let size = -1;
  // A process that opened the old file before may still append a line.
  while ((await stat(old)).size !== size) {
    size = (await stat(old)).size;
    const kept: RunListEntry[] = [];
    for (const run of await read(old)) if ((await journalSize(run.folder)) > 0) kept.push(run);
    const file = await openAppend(path.join(state, LIST));
    await file.append(`\n${kept.map(encodeLine).join('')}`);
    await file.close();
  }
  await rm(old);
}
