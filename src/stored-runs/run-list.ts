/**
 * The list of this user's runs: one file per month in the state folder (`runs-2026-11.ndjson`), one line for each time that a
 * process works on a run. Only of the runs in it, the program knows that this user has started or resumed them.
 */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { openAppend } from '../journal/append-file.ts';
import { makeFolder } from '../journal/file-system.ts';
import { decodeLine, encodeLine, linesOf } from '../journal/lines.ts';
import type { StoredRun } from '../journal/run-file.ts';

const LIST = /^runs-\d{4}-\d{2}\.ndjson$/;

/** Adds a run with the address to which it is about to send. @throws the system's error if the state folder cannot be written */
export async function addToRunList(
  state: string,
  { folder, file: { run, startedAt, baseUrl } }: StoredRun,
): Promise<void> {
  makeFolder(state);
  const list = await openAppend(path.join(state, `runs-${startedAt.slice(0, 7)}.ndjson`));
  try {
    // A leading line feed, because the last line may be incomplete.
    const line = encodeLine({ run, folder: path.resolve(folder.path), startedAt, baseUrl });
    await list.append(`${list.length > 0 ? '\n' : ''}${line}`);
  } finally {
    await list.close();
  }
}

/** Whether this user has sent the run in this folder to this address, or was about to. */
export async function isInRunList(state: string, { folder, file }: StoredRun): Promise<boolean> {
  const at = path.resolve(folder.path);
  const names = await readdir(state).catch(() => []);
  for (const name of names.filter((one) => LIST.test(one))) {
    for await (const { text } of linesOf(path.join(state, name))) {
      const entry: Readonly<Record<string, unknown>> = Object(decodeLine(text));
      if (entry['folder'] === at && entry['run'] === file.run && entry['baseUrl'] === file.baseUrl) return true;
    }
  }
  return false;
}
