/** The version of this program, from its package.json: beside src/ and beside dist/ alike. */
import { readFile } from 'node:fs/promises';

export async function version(): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest)
    return String(manifest.version);
  throw new Error('package.json names no version');
}
