/**
 * Scripts for browsers, for rolldown and for vitest: `import script from './browser/index.ts?script'` gives the text of
 * that module bundled with everything that it imports, so that a page can contain it.
 */
import path from 'node:path';
import { rolldown } from 'rolldown';
import { licencesOf, modulesInTexts } from './licences.mjs';

const SUFFIX = '?script';

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
      const { output } = await bundle.generate({ format: 'iife', minify: true });
      await bundle.close();
      const [{ code, moduleIds }] = output;
      for (const module of moduleIds) {
        modulesInTexts.add(module);
        if (path.isAbsolute(module)) this.addWatchFile(module);
      }
      // A page with the script leaves this machine, and with it the licences.
      return `export default ${JSON.stringify(`/*\n${licencesOf(moduleIds)}*/\n${code}`)};`;
    },
  },
};
