/** Builds the program once before the tests: test/cli runs what users run, and never something older. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';

export default function build(): void {
  const root = path.join(import.meta.dirname, '..');
  const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  execFileSync(process.execPath, [tsc, '-p', 'src'], { cwd: root, stdio: 'inherit' });
}
