/**
 * Scripts for browsers, for rolldown and for vitest: `import script from './browser/index.ts?script'` gives the text of
 * that module bundled with everything that it imports, so that a page can contain it.
 */
import path from 'node:path';
import { rolldown } from 'rolldown';

const SUFFIX = '?script';

/** The modules of all scripts, for the list of licences. */
export const scriptModules = new Set();

/** @type {import('rolldown').Plugin} */
export const pageScript = {
  name: 'page-script',
  resolveId: {
    filter: { id: /\?script$/ },
    handler: (id, importer) => path.resolve(path.dirname(importer), id),
  },
  load: {
    filter: { id: /\?script$/ },
    async handler(id) {
      const bundle = await rolldown({
        input: id.slice(0, -SUFFIX.length),
        platform: 'browser',
        moduleTypes: { '.css': 'text' },
      });
      const { output } = await bundle.generate({ format: 'iife', minify: true, comments: { legal: true } });
      await bundle.close();
      const [{ code, moduleIds }] = output;
      for (const module of moduleIds) {
        scriptModules.add(module);
        if (path.isAbsolute(module)) this.addWatchFile(module);
      }
      return `export default ${JSON.stringify(code)};`;
    },
  },
};
