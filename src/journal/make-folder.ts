/**
 * Folders with those above them. Node's own recursive mkdir tries for ever where a folder is there and yet nothing
 * can be made in it (`/proc`, the home of some service accounts): the system then says "not found".
 */
import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * Makes a folder, for its owner alone, and each one above it that is missing. One that is there stays as it is.
 *
 * @throws the system's error
 */
export function makeFolder(folder: string): void {
  const parent = path.dirname(folder);
  if (parent !== folder && !isFolder(folder) && !isFolder(parent)) makeFolder(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it a moment ago.
    if (!isFolder(folder)) throw error;
  }
}

function isFolder(name: string): boolean {
  try {
    return statSync(name).isDirectory();
  } catch {
    // Missing, or behind a folder that lets nobody look.
    return false;
  }
}
