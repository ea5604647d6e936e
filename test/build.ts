/** Builds the program once before the tests: test/cli runs what users run, and never something older. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';

export default function build(): void {
  const root = path.join(import.meta.dirname, '..');
  const rolldown = path.join(root, 'node_modules', 'rolldown', 'bin', 'cli.mjs');
  for (const words of [[rolldown, '-c', '.rolldown.mjs'], ['.compile.mjs']]) {
    execFileSync(process.execPath, words, { cwd: root, stdio: 'inherit' });
  }
}
