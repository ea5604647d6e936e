/**
 * `npm run build`: bundles src/ into dist/. Each command is a chunk of its own; modules that several commands share go
 * into one chunk, because Node loads one large file faster than thirty small ones. Local names are shortened. One character that
 * is not ASCII would make V8 keep a whole chunk in two bytes a character.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { assembly } from './assembly.mjs';
import { licences } from './licences.mjs';

process.chdir(path.join(import.meta.dirname, '..'));

/** What main.ts loads at every start, also for `--help`, and other modules load too. */
const START =
  /\/src\/(lib\/(nearest|printable|shell|text|units|version)|model\/(exit-code|input-format|problem)|questions\/question|commands\/(index|command)|report\/(text-layout|problem-text)|terminal\/log|options\/option-spec)\.|\/package\.json$/;
/** What commands load that look at runs and neither read nor send files. Other modules load it too. */
const RUNS =
  /\/src\/((contract|options|journal|report|model)\/|lib\/(resources|url|exact-number|buffers)|stored-runs\/(?!(un)?pack)|app\/(run-context|find-run|foreign-run)|run\/rejects-folder|commands\/screen\/print)/;
/** Loaded on demand: undici by runs that send, the others by few runs. */
const OPTIONAL =
  /undici|deliver\/(?:http|dispatcher|redis)|yauzl|\/sax\/|input\/(?:zip|open-workbook)|clack|cli-progress|modern-tar|picomatch|fdir|tinyglobby|env-paths|\/sandbox\//;

const bundle = await rolldown({
  // bench/ and test/soak/ start the sandbox without the program; a transform and a Parquet reader run in threads.
  input: {
    main: 'src/main.ts',
    index: 'src/library/index.ts',
    sandbox: 'src/sandbox/index.ts',
    'row-function-thread': 'src/plan/row-function-thread.js',
    'parquet-thread': 'src/input/parquet-thread.js',
  },
  platform: 'node',
  // Optional: loaded from the user's packages, if they are installed.
  external: ['@redis/client', 'hyparquet', 'hyparquet-compressors'],
  tsconfig: 'tsconfig.json',
  // Compiling the WebAssembly kernel takes most of a build.
  checks: { bundlerTimings: false },
  plugins: [assembly, licences],
});
/** @param {RegExp} pattern of names in dist/ */
function remove(pattern) {
  for (const name of existsSync('dist') ? readdirSync('dist') : []) if (pattern.test(name)) rmSync(`dist/${name}`);
}

// npm runs `prepack` before `prepare`, so what that has written stays.
remove(/\.js(?:\.map)?$/);
const { output } = await bundle.write({
  dir: 'dist',
  format: 'esm',
  sourcemap: true,
  sourcemapExcludeSources: true,
  charset: 'ascii',
  comments: { legal: false },
  minify: {
    compress: true,
    mangle: { keepNames: { function: true, class: true } },
    codegen: { removeWhitespace: true },
  },
  codeSplitting: {
    groups: [
      { name: 'undici', priority: 3, test: /node_modules\/undici\// },
      { name: 'start', minShareCount: 2, priority: 2, test: START },
      { name: 'runs', minShareCount: 2, priority: 1, test: RUNS },
      { name: 'packages', minShareCount: 2, test: (id) => id.includes('/node_modules/') && !OPTIONAL.test(id) },
      { name: 'shared', minShareCount: 2, test: (id) => !OPTIONAL.test(id) },
    ],
  },
});
await bundle.close();
// `--help` waits for all that main.js imports.
const start = output.filter(({ fileName }) => fileName === 'main.js' || fileName.startsWith('start-'));
const late = [
  ...start.flatMap(({ imports }) => imports).filter((name) => /^(?:shared|runs|packages)-/.test(name)),
  ...start.flatMap(({ moduleIds }) => moduleIds).filter((id) => /\/node_modules\/(?!commander\/)/.test(id)),
];
if (late.length > 0) throw new Error(`Every command would load ${late.join(', ')}: see START above`);
// A tenth of the package, and of no use: a stack trace names our own modules in other files.
remove(/^(?:undici|packages)-.*\.map$/);
