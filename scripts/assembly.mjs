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
      const { bytes, sources } = await compiled(file);
      for (const used of sources.keys()) this.addWatchFile(used);
      return `export default Buffer.from('${Buffer.from(bytes).toString('base64')}', 'base64');`;
    },
  },
};

/** Each project of the test runner asks for the same module. @type {Map<string, ReturnType<typeof compile>>} */
const modules = new Map();

/** Compiles once, and again after a source has changed. */
function compiled(file) {
  const isSame = ({ sources }) => [...sources].every(([used, text]) => readFileSync(used, 'utf8') === text);
  const again = () => compile(file);
  const module = modules.get(file)?.then((before) => (isSame(before) ? before : again()), again) ?? again();
  modules.set(file, module);
  return module;
}

/** @throws Error with the compiler's own words */
async function compile(file) {
  let bytes;
  /** Path -> text. */
  const sources = new Map();
  const { error, stderr } = await asc.main([path.basename(file), ...OPTIONS, '--outFile', 'out.wasm'], {
    readFile(name, folder) {
      const full = path.join(path.dirname(file), folder, name);
      try {
        const text = readFileSync(full, 'utf8');
        sources.set(full, text);
        return text;
      } catch {
        return null; // The compiler asks under several names.
      }
    },
    writeFile(_name, output) {
      bytes = output;
    },
    listFiles: () => [],
  });
  if (error !== null || bytes === undefined) throw new Error(`${file}: ${stderr.toString()}`);
  return { bytes, sources };
}
