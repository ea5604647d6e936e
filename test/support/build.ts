/** Builds the program once before the tests that run it, so that they never run an older one. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';

export default function build(): void {
  // Each project of the test runner that needs the build calls this.
  if (process.env['SIGNALS_TEST_BUILT'] !== undefined) return;
  process.env['SIGNALS_TEST_BUILT'] = '1';
  const script = path.join(import.meta.dirname, '..', '..', 'scripts', 'build.mjs');
  execFileSync(process.execPath, [script], { stdio: 'inherit' });
}
