import { readdirSync } from 'node:fs';
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
