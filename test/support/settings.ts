import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterEach } from 'vitest';

const folders: string[] = [];

/** A new folder inside the repository, removed after the test. */
export function tempFolder(): string {
  const root = path.join(import.meta.dirname, '..', '.tmp');
  mkdirSync(root, { recursive: true });
  const folder = mkdtempSync(path.join(root, 'settings-'));
  folders.push(folder);
  return folder;
}

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
