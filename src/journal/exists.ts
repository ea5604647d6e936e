/** Whether a file is there, and how much of a journal. A file that is not there is an answer here, and no fault. */
import { access, stat } from 'node:fs/promises';
import path from 'node:path';

/** Whether an operation failed because there is no such file or folder. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** Whether there is something at a path that this process may look at. */
export function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

/** Length of a run's journal in bytes; 0 where the folder has none. An empty one is that of a run that never began. */
export function journalSize(folder: string): Promise<number> {
  return stat(path.join(folder, 'journal.ndjson')).then(
    (stats) => (stats.isFile() ? stats.size : 0),
    () => 0,
  );
}
