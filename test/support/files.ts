import { readdirSync, readlinkSync } from 'node:fs';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..', '..');

/** Paths of the files in a folder of the repository, without what other tests write meanwhile (`test/.tmp`). */
export function filesIn(folder: string): readonly string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = path.posix.join(folder, entry.name);
    if (entry.name === '.tmp' || entry.name === 'node_modules') return [];
    return entry.isDirectory() ? filesIn(name) : [name];
  });
}

/** Names of the files in a folder that this process has open. Linux only. */
export function openIn(folder: string): readonly string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const file = readlinkSync(`/proc/self/fd/${fd}`);
      return file.startsWith(folder) ? [path.basename(file)] : [];
    } catch {
      return [];
    }
  });
}
