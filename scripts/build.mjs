/**
 * `npm run build`: bundles src/ into dist/. One file for the start and one for each command, because reading many
 * small files takes longer than running them. Not minified: a stack trace must be readable.
 */
import path from 'node:path';
import { rolldown } from 'rolldown';
import { assembly } from './assembly.mjs';
import { licences } from './licences.mjs';

const root = path.join(import.meta.dirname, '..');

const bundle = await rolldown({
  cwd: root,
  // The sandbox is an entry for bench/ and test/soak/; the program loads it as part of a command.
  input: { main: 'src/main.ts', sandbox: 'src/sandbox/index.ts' },
  platform: 'node',
  tsconfig: 'tsconfig.json',
  // Compiling the kernel takes most of a build.
  checks: { bundlerTimings: false },
  plugins: [assembly, licences],
});
await bundle.write({ dir: 'dist', cleanDir: true, format: 'esm', sourcemap: true });
await bundle.close();
