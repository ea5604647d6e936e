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
 * half a megabyte), and its modules are of a kind that no bundler can thin out by itself.
 */
const undiciThin = {
  name: 'undici-thin',
  resolveId: { filter: { id: /^undici$/ }, handler: () => '\0undici-thin' },
  load: {
    filter: { id: /^\0undici-thin$/ },
    handler: () => `
      export { default as Agent } from 'undici/lib/dispatcher/agent.js';
      export { default as EnvHttpProxyAgent } from 'undici/lib/dispatcher/env-http-proxy-agent.js';
      export { default as errors } from 'undici/lib/core/errors.js';
    `,
  },
};

export default defineConfig({
  // The sandbox is an entry for bench/ alone: the program loads it as a part of a command.
  input: { main: 'src/main.ts', sandbox: 'src/sandbox/index.ts' },
  platform: 'node',
  tsconfig: 'tsconfig.json',
  plugins: [assembly, undiciThin, licences],
  // That compiling the kernel takes most of a build is no news.
  checks: { bundlerTimings: false },
  output: {
    dir: 'dist',
    cleanDir: true,
    sourcemap: true,
    // All side by side: src/version.ts finds package.json from any of them.
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
  },
});
