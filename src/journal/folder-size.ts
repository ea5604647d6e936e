/** How much room a folder takes, in bytes: the sizes of its files. */
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';

export async function folderSize(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  let bytes = 0;
  for (const entry of entries) {
    if (entry.isFile()) bytes += (await stat(path.join(entry.parentPath, entry.name))).size;
  }
  return bytes;
}
