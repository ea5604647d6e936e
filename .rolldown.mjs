/**
 * How the program is bundled: few files, because finding and reading many takes longer than running what is in
 * them. The commands are loaded when they are asked for, so each has a file of its own. Not minified: what a stack
 * trace shows must be readable, with the source maps (src/trace.ts) and without them.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from 'rolldown';
import { assembly } from './.assembly.mjs';

/** Whose code is in the bundle must be said with it: the licences of all packages, in one file. */
const licences = {
  name: 'licences',
  generateBundle(_options, bundle) {
    const ids = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
    const folders = new Set(ids.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id) ?? []));
    const texts = [...folders].sort().map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
      const words = file === undefined ? '' : `\n${readFileSync(path.join(folder, file), 'utf8').trim()}\n`;
      return `${name} ${version} (${license})\n${words}`;
    });
    this.emitFile({ type: 'asset', fileName: 'licences.txt', source: texts.join(`\n${'-'.repeat(72)}\n\n`) });
  },
};

/**
 * Of undici the program needs one corner. Its front door loads all of it at once (fetch, caches, mocks, WebSockets:
 * half a megabyte), and its modules are of a kind that no bundler can thin out by itself. What is left out throws: a
 * body that is no Buffer, and HTTP/2, which is spoken with a server only where `allowH2` is set.
 */
const undiciThin = {
  name: 'undici-thin',
  resolveId: {
    filter: { id: /^undici$|\/client-h2\.js$|\/web\/fetch\/body\.js$/ },
    handler: (id) => (id === 'undici' ? '\0undici-thin' : '\0undici-left-out'),
  },
  load: {
    filter: { id: /^\0undici-/ },
    handler: (id) =>
      id === '\0undici-left-out'
        ? `
      const leftOut = () => { throw new TypeError('this part of undici is not in the bundle (.rolldown.mjs)'); };
      module.exports = Object.assign(leftOut, { extractBody: leftOut });
    `
        : `
      export { default as buildConnector } from 'undici/lib/core/connect.js';
      export { default as EnvHttpProxyAgent } from 'undici/lib/dispatcher/env-http-proxy-agent.js';
      export { default as errors } from 'undici/lib/core/errors.js';
      export { default as Pool } from 'undici/lib/dispatcher/pool.js';
    `,
  },
};

/**
 * Of Node itself two libraries ask for more than they use here, and each part takes Node a millisecond or several to
 * load. commander would run other programs by it. undici takes from it a number, which only an option of Node changes,
 * and asks of bodies that are streams whether they are requests; there are none. Its assertions hold: where one does
 * not, Node's own module says so.
 */
const nodeThin = {
  name: 'node-thin',
  resolveId: {
    filter: { id: /^(node:)?(assert|http|child_process)$/ },
    handler(id, importer = '') {
      if (/\/undici\//.test(importer) && /assert$/.test(id)) return '\0node-assert-thin';
      if (/\/commander\//.test(importer) && /child_process$/.test(id)) return '\0node-left-out';
      return /\/undici\//.test(importer) && /http$/.test(id) ? '\0node-http-thin' : undefined;
    },
  },
  load: {
    filter: { id: /^\0node-/ },
    handler: (id) => NODE_THIN[id],
  },
};

const NODE_THIN = {
  '\0node-left-out': `exports.spawn = () => { throw new TypeError('no other program is run (.rolldown.mjs)'); };`,
  '\0node-assert-thin': `
      module.exports = (holds, message) => { if (!holds) process.getBuiltinModule('node:assert')(holds, message); };
    `,
  '\0node-http-thin': `
      const given = [process.env.NODE_OPTIONS, ...process.execArgv].join(' ').includes('max-http-header-size');
      exports.maxHeaderSize = given ? process.getBuiltinModule('node:http').maxHeaderSize : 16 * 1024;
      exports.IncomingMessage = class {};
    `,
};

/** The same library twice: as modules that a bundler can thin out, and, for Node, as eighty that run one by one. */
const yamlModules = path.join(import.meta.dirname, 'node_modules/yaml/browser/dist/index.js');

const BASE = /\/src\/(batch|contract|decode|journal|model|report|seen|settings|source|validate)\//;

/**
 * V8 reads a text of ASCII many times faster than any other, and all of the program is read at a start. What is not
 * ASCII stands in strings, patterns and comments, and means the same there when it is escaped. A place behind it in
 * its line is off in the source map by as many columns.
 */
const ascii = {
  name: 'ascii',
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type === 'chunk') file.code = file.code.replace(/[^\0-\x7f]/g, escaped);
    }
  },
};

const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

export default defineConfig({
  platform: 'node',
  tsconfig: 'tsconfig.json',
  resolve: { alias: { yaml: yamlModules } },
  // That compiling the kernel takes most of a build is no news.
  checks: { bundlerTimings: false },
  // The launcher loads main, and that has load run the program. The sandbox is an entry for bench/ alone: the program
  // loads it as a part of a command.
  input: {
    main: 'src/main.ts',
    load: 'src/load.ts',
    program: 'src/program.ts',
    sandbox: 'src/sandbox/index.ts',
  },
  plugins: [assembly, undiciThin, nodeThin, ascii, licences],
  output: {
    dir: 'dist',
    cleanDir: true,
    sourcemap: true,
    // They would be read at every start. The source maps lead to where they stand; licences stay.
    comments: { annotation: false, jsdoc: false },
    // Node's machinery for modules takes longer to start than the version takes to be told, and what V8 compiled
    // before can be given to a script only (src/load.ts).
    format: 'cjs',
    strict: true,
    // All side by side: src/version.ts finds package.json from any of them.
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
    codeSplitting: {
      groups: [
        // What is needed before V8 may be handed what was compiled (src/main.ts); first, for a group takes along
        // what its files import.
        { name: 'tuning', test: /\/src\/tuning\.ts$/ },
        // What nearly every command needs is one file: left alone it would be thirty, a millisecond or two each. The
        // libraries that only some need (undici, luxon, tldts, …) stay with those.
        { name: 'base', test: BASE },
        // As one file, the fast path is loaded before V8 is told more (limitYoungSpace in src/tuning.ts).
        { name: 'prepare', test: /\/src\/(fast\/|prepare\.ts)/ },
        // What Node loads itself (src/load.ts).
        { name: 'import-file', test: /\/src\/import-file\.ts$/ },
        // What the version and the list of commands are answered from.
        { name: 'quick', test: /\/src\/(quick|version|commands\/index)\.ts$/ },
      ],
    },
  },
});
