/**
 * Lists the complete runs of a folder in its file `.complete`: a line `ID complete` when a run ends, and `ID open` when a
 * process starts to write to it. An upload reads only the journals of other runs. For a missing or torn line, one more
 * journal is read; without the file, all of them.
 */
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { readTextFile } from './file-system.ts';
import type { RunFolder } from './run-folder.ts';

const NAME = '.complete';

export function completeRuns(root: string): ReadonlySet<string> {
  const complete = new Set<string>();
  for (const line of (readTextFile(path.join(root, NAME)) ?? '').split('\n')) {
    // The state comes last, so that the rest of a torn line is not the id of another run.
    const [, id = '', state] = /^(.+) (complete|open)$/.exec(line) ?? [];
    if (state === 'complete') complete.add(id);
    else complete.delete(id);
  }
  return complete;
}

/** Ignores a failure, for example in a read-only folder: uploads then read the journal of the run. */
export function markComplete({ id, path: folder }: RunFolder): void {
  try {
    append(folder, `${id} complete`);
  } catch {
    // See above.
  }
}

/** Call this before a process writes to the journal of a run. @throws the system's error */
export function markOpen({ id, path: folder }: RunFolder): void {
  const lines = readTextFile(path.join(rootOf(folder), NAME)) ?? '';
  if (lines.lastIndexOf(`\n${id} complete\n`) > lines.lastIndexOf(`\n${id} open\n`)) append(folder, `${id} open`);
}

function append(folder: string, line: string): void {
  // Starts with a line feed, because the last line may be torn.
  appendFileSync(path.join(rootOf(folder), NAME), `\n${line}\n`, { mode: 0o600 });
}

function rootOf(folder: string): string {
  return path.dirname(path.resolve(folder));
}
