/** The version of this program, from its package.json: beside src/ and beside dist/ alike. */
import { readFileSync } from 'node:fs';

let known: string | undefined;

export function version(): string {
  known ??= read();
  return known;
}

function read(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest)
    return String(manifest.version);
  throw new Error('package.json names no version');
}
