/**
 * Who may import whom (docs/internals/architecture.md, "Layers"). Each rule says what it protects.
 */

/** From top to bottom: a folder imports folders below it only. `main.ts` is above all of them. */
const layers = [
  'cli',
  'library',
  'commands',
  'app',
  'options',
  'terminal',
  'run',
  'fix',
  'plan',
  'questions',
  'prepare',
  'claims',
  'stored-runs',
  'input',
  'map',
  'deliver',
  'journal',
  'report',
  'fast',
  'sandbox',
  'contract',
  'model',
  'lib',
];

/** Each of these does one thing to the data and knows no other stage; prepare, plan, run and claims join them. */
const stages = ['input', 'map', 'deliver', 'journal', 'report', 'fast', 'sandbox'];

const folder = (...names) => `^src/(${names.join('|')})/`;

/** Each library is imported in one place, so that replacing it changes one place. */
const libraries = {
  'xxhash-wasm': '^src/lib/digest\\.ts$',
  undici: '^src/deliver/(http|dispatcher)\\.ts$',
  '@redis/client': '^src/deliver/redis-rate-store\\.ts$',
  'p-queue': '^src/deliver/throttle\\.ts$',
  'cli-progress': folder('terminal'),
  chalk: folder('terminal'),
  '@clack/prompts': folder('terminal'),
  commander: '^src/cli/command-line\\.ts$',
  conf: folder('options'),
  'env-paths': folder('options'),
  'csv-parse': '^src/input/csv\\.ts$',
  tinyglobby: folder('input'),
  yauzl: '^src/input/zip\\.ts$',
  'modern-tar': '^src/stored-runs/(pack|unpack)-run\\.ts$',
  sax: '^src/input/xml\\.ts$',
  hyparquet: '^src/input/parquet(-thread\\.js|\\.ts)$',
  'hyparquet-compressors': '^src/input/parquet-thread\\.js$',
  yaml: folder('map'),
  tldts: folder('map'),
  luxon: folder('map'),
  zod: folder('contract', 'map', 'options', 'journal', 'stored-runs', 'claims', 'sandbox', 'model'),
};

const { dependencies, peerDependencies } = require('./package.json');
const unplaced = Object.keys({ ...dependencies, ...peerDependencies }).filter((name) => !(name in libraries));
if (unplaced.length > 0) throw new Error(`Say in \`libraries\` which file imports ${unplaced.join(', ')}.`);

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-loose-files',
      comment: 'src/ holds main.ts and folders.',
      severity: 'error',
      from: { path: '^src/(?!main\\.ts$)[^/]+\\.ts$' },
      to: {},
    },
    ...layers.map((layer, index) => ({
      name: `${layer}-imports-only-downward`,
      severity: 'error',
      from: { path: folder(layer) },
      to: { path: ['^src/main\\.ts$', ...layers.slice(0, index).map((above) => folder(above))] },
    })),
    ...stages.map((stage) => ({
      name: `stage-${stage}-imports-no-other-stage`,
      comment: 'A stage imports model, contract and lib.',
      severity: 'error',
      from: { path: folder(stage) },
      to: { path: '^src/', pathNot: folder(stage, 'model', 'contract', 'lib') },
    })),
    {
      name: 'model-and-lib-import-nothing-of-ours',
      severity: 'error',
      from: { path: '^src/(model|lib)/' },
      to: { path: '^src/', pathNot: '^src/$1/' },
    },
    {
      name: 'contract-imports-model-lib-and-zod',
      comment: 'The interface as data is readable without the rest of the program.',
      severity: 'error',
      from: { path: folder('contract') },
      to: { pathNot: [folder('contract', 'model', 'lib'), 'node_modules/zod/'] },
    },
    {
      name: 'only-prepare-imports-fast',
      comment: 'The fast path can be deleted.',
      severity: 'error',
      from: { path: '^src/', pathNot: folder('fast', 'prepare') },
      to: { path: folder('fast') },
    },
    {
      name: 'use-cases-know-no-screen',
      comment: 'Commands and the library share them.',
      severity: 'error',
      from: { path: folder('app', 'library') },
      to: { path: folder('terminal', 'commands') },
    },
    {
      name: 'a-command-imports-no-other-command',
      comment: 'They share app/ and commands/screen/.',
      severity: 'error',
      from: { path: '^src/commands/', pathNot: '^src/commands/(index|runs)\\.ts$' },
      to: { path: '^src/commands/', pathNot: '^src/commands/(command\\.ts$|screen/)' },
    },
    {
      name: 'pure-folders-do-no-io',
      comment: 'Their tests need no files, no sockets and no clock.',
      severity: 'error',
      from: {
        path: [
          folder('model', 'lib', 'contract', 'map', 'report', 'fast'),
          '^src/prepare/(sealer|record)\\.ts$',
          '^src/deliver/(decide|throttle-rules|rate-limit|split-batch)\\.ts$',
          '^src/journal/(batch-reducer|apply-event)\\.ts$',
        ],
      },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?(crypto|buffer|events|path|util)$' },
    },
    ...Object.entries(libraries).map(([library, place]) => ({
      name: `only-one-place-imports-${library}`,
      severity: 'error',
      from: { path: '^src/', pathNot: place },
      to: { path: `node_modules/${library}/` },
    })),
    {
      name: 'no-private-paths',
      comment: 'A package is imported by what it exports, never by a path inside it.',
      severity: 'error',
      from: { path: '^src/' },
      to: {
        path: 'node_modules/[^/]+/(lib|src)/',
        // Its main file.
        pathNot: 'hyparquet-compressors/src/index\\.js$',
        dependencyTypes: ['npm-no-pkg', 'npm-unknown'],
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    exclude: { path: '^(dist|node_modules/\\.cache)' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
    },
  },
};
