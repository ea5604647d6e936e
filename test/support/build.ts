/** Builds the program once before the tests, so that they never run an older one. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';

export default function build(): void {
  const script = path.join(import.meta.dirname, '..', '..', 'scripts', 'build.mjs');
  execFileSync(process.execPath, [script], { stdio: 'inherit' });
}
