/**
 * The list of runs of this user, `runs.ndjson` in the state folder: where their folders are, so that a run can be
 * named from anywhere, and so that what a killed run has delivered is found. A line a run, appended when it begins.
 *
 * A folder that is gone (pruned, moved) drops out. The list can be lost without harm to any run: they are then found
 * by their folders alone.
 */
import { readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { openAppend } from './append-file.ts';
import { decodeObjectLine, encodeObjectLine } from './event-line.ts';
import { isMissing, journalSize } from './exists.ts';
import { linesOf } from './file-lines.ts';
import { makeFolder } from './make-folder.ts';

const entry = z.object({
  run: z.string(),
  /** Absolute. */
  folder: z.string(),
  startedAt: z.string(),
  type: z.enum(['signals', 'social']),
  baseUrl: z.string(),
  sandbox: z.boolean(),
  /** Whether its journal tells the keys of its records. */
  keys: z.boolean(),
});

export type RunListEntry = z.infer<typeof entry>;

const LIST = 'runs.ndjson';
/** The list, and what a process that was killed while it tidied up has left of it. */
const ANY_LIST = /^runs(?:-\d+)?\.ndjson$/;
/** A list beyond this size is written anew without the folders that are gone, in bytes. */
const TIDY_AT = 1_000_000;

/** Adds a run. @throws the system's error where the state folder cannot be written */
export async function addToRunList(state: string, run: RunListEntry): Promise<void> {
  makeFolder(state);
  const file = await openAppend(path.join(state, LIST));
  try {
    // The line begins with a line feed too: one that was torn by a crash must not swallow it.
    await file.append(`${file.length > 0 ? '\n' : ''}${encodeObjectLine(entry.parse(run))}`);
  } finally {
    await file.close();
  }
  if (file.length > TIDY_AT) await tidy(state);
}

/** Every run of the list, in the order in which they began; the last entry where a run is there twice. */
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
      const run = entry.safeParse(decodeObjectLine(text)).data;
      if (run !== undefined) runs.push(run);
    }
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  return runs;
}

/** The list without the folders that are gone. The old one is first moved away, so that what is added goes into a new one. */
async function tidy(state: string): Promise<void> {
  const old = path.join(state, `runs-${Date.now()}.ndjson`);
  await rename(path.join(state, LIST), old);
  let size = -1;
  // Whoever had it open before may still write a line into it.
  while ((await stat(old)).size !== size) {
    size = (await stat(old)).size;
    const kept: RunListEntry[] = [];
    for (const run of await read(old)) if ((await journalSize(run.folder)) > 0) kept.push(run);
    const file = await openAppend(path.join(state, LIST));
    await file.append(`\n${kept.map(encodeObjectLine).join('')}`);
    await file.close();
  }
  await rm(old);
}
