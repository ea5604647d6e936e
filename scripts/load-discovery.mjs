/** Discovery as a module for scripts, with its tables: Node.js 20 runs no TypeScript. */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const root = path.join(import.meta.dirname, '..');

/** As deep in the repository as the tests, whose paths are relative. */
const FILE = path.join(root, `test/.tmp/discovery/${process.pid}.mjs`);

export async function loadDiscovery() {
  const input = path.join(root, 'test/map/discover/for-scripts.ts');
  const bundle = await rolldown({ input, platform: 'node', tsconfig: path.join(root, 'tsconfig.json') });
  await bundle.write({ file: FILE, format: 'esm', codeSplitting: false });
  await bundle.close();
  return import(pathToFileURL(FILE).href);
}
