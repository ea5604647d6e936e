/**
 * Folders with those above them. Node's own recursive mkdir tries for ever where a folder is there and yet nothing
 * can be made in it (`/proc`, the home of some service accounts): the system then says "not found".
 */
import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';

/**
 * Makes a folder, for its owner alone, and each one above it that is missing. One that is there stays as it is.
 *
 * @throws the system's error
 */
export async function makeFolder(folder: string): Promise<void> {
  const parent = path.dirname(folder);
  if (parent !== folder && !(await isFolder(folder)) && !(await isFolder(parent))) await makeFolder(parent);
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it a moment ago.
    if (!(await isFolder(folder))) throw error;
  }
}

function isFolder(name: string): Promise<boolean> {
  return stat(name).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}
