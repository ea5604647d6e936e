/**
 * Sources of AssemblyScript as WebAssembly, for rolldown and for vitest: `import code from './kernel/index.ts?wasm'` gives
 * the bytes of the module that the source is compiled to. They are put into the importing file as text, so that the
 * program needs no file beside its own.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';
import { modulesInTexts } from './licences.mjs';

const SUFFIX = '?wasm';
/** No collector of garbage: the source allocates once and gives nothing back. */
const OPTIONS = ['-O3', '--noAssert', '--runtime', 'stub', '--enable', 'simd'];

/** @type {import('rolldown').Plugin} */
export const assembly = {
  name: 'assembly',
  resolveId: {
    filter: { id: /\?wasm$/ },
    handler: (id, importer) => path.resolve(path.dirname(importer), id),
  },
  load: {
    filter: { id: /\?wasm$/ },
    async handler(id) {
      const file = id.slice(0, -SUFFIX.length);
      // Its runtime is in what it compiles.
      modulesInTexts.add(fileURLToPath(import.meta.resolve('assemblyscript/asc')));
      const bytes = await compile(file, (used) => this.addWatchFile(used));
      return `export default Buffer.from('${Buffer.from(bytes).toString('base64')}', 'base64');`;
    },
  },
};

/** @throws Error with the compiler's own words */
async function compile(file, onRead) {
  let compiled;
  const { error, stderr } = await asc.main([path.basename(file), ...OPTIONS, '--outFile', 'out.wasm'], {
    readFile(name, folder) {
      const full = path.join(path.dirname(file), folder, name);
      try {
        const text = readFileSync(full, 'utf8');
        onRead(full);
        return text;
      } catch {
        return null; // The compiler asks under several names.
      }
    },
    writeFile(_name, bytes) {
      compiled = bytes;
    },
    listFiles: () => [],
  });
  if (error !== null || compiled === undefined) throw new Error(`${file}: ${stderr.toString()}`);
  return compiled;
}
