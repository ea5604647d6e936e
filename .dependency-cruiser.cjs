/**
 * Who may import whom (docs/architecture.md, "The rooms"). Each rule says what it protects.
 */
const stages = ['source', 'decode', 'map', 'validate', 'batch', 'deliver', 'journal', 'report', 'seen'];
const room = (name) => `^src/${name}/`;
const digests = '^src/digest\\.ts$';

/** Each library is imported in one place only, so that replacing it is one room's work. */
const doors = {
  'xxhash-wasm': digests,
  undici: '^src/deliver/http\\.ts$',
  'p-queue': '^src/deliver/queue\\.ts$',
  'cli-progress': '^src/terminal/',
  chalk: '^src/terminal/',
  '@clack/prompts': '^src/terminal/',
  commander: '^src/cli\\.ts$',
  conf: '^src/settings/',
  'env-paths': '^src/settings/',
  'csv-parse': '^src/decode/',
  tinyglobby: '^src/source/',
  yaml: '^src/map/',
  tldts: '^src/map/',
  luxon: '^src/map/',
  zod: '^src/(contract|validate|map|settings|journal)/',
};

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'model-imports-nothing',
      comment: 'The model is words: everybody may import it, so it may import nobody.',
      severity: 'error',
      from: { path: room('model') },
      to: { pathNot: room('model') },
    },
    {
      name: 'contract-imports-model-and-zod',
      comment: 'The interface as code must be readable without the rest of the program.',
      severity: 'error',
      from: { path: room('contract') },
      to: { pathNot: [room('contract'), room('model'), 'node_modules/zod/'] },
    },
    ...stages.map((stage) => ({
      name: `stage-${stage}-imports-no-other-stage`,
      comment: 'A stage knows model, contract and digests; the pipeline joins the stages.',
      severity: 'error',
      from: { path: room(stage) },
      to: { path: '^src/', pathNot: [room(stage), room('model'), room('contract'), digests] },
    })),
    {
      name: 'sandbox-is-its-own-witness',
      comment: 'The sandbox judges the uploader, so it shares nothing with it but the contract and digests.',
      severity: 'error',
      from: { path: room('sandbox') },
      to: { path: '^src/', pathNot: [room('sandbox'), room('model'), room('contract'), digests] },
    },
    {
      name: 'fast-path-stands-beside',
      comment: 'Everything else is handed to it, so that the folder can be deleted.',
      severity: 'error',
      from: { path: room('fast') },
      to: { path: '^src/', pathNot: [room('fast'), room('model'), room('contract')] },
    },
    {
      name: 'fast-path-has-one-door',
      severity: 'error',
      from: { path: '^src/', pathNot: [room('fast'), '^src/prepare\\.ts$'] },
      to: { path: room('fast') },
    },
    {
      name: 'pipeline-knows-no-screen',
      severity: 'error',
      from: {
        path: '^src/(flow/|(pipeline|prepare|engine|facts|check|earlier|keep|plan|understand|layouts|replay|limits|row-function)\\.ts$)',
      },
      to: { path: ['^src/terminal/', '^src/commands/', '^src/cli\\.ts$', '^src/settings/'] },
    },
    {
      name: 'rooms-do-not-import-commands',
      severity: 'error',
      from: { pathNot: ['^src/commands/', '^src/(cli|quick)\\.ts$'] },
      to: { path: '^src/commands/' },
    },
    {
      name: 'a-command-imports-no-other-command',
      severity: 'error',
      from: { path: '^src/commands/([^/]+)\\.ts$', pathNot: '^src/commands/index\\.ts$' },
      to: {
        path: '^src/commands/',
        pathNot: [
          '^src/commands/$1\\.ts$',
          '^src/commands/(command|options|destination|earlier|said|send)\\.ts$',
        ],
      },
    },
    {
      name: 'a-command-of-commands-imports-no-other-command',
      severity: 'error',
      from: { path: '^src/commands/([^/]+)/' },
      to: {
        path: '^src/commands/',
        pathNot: ['^src/commands/$1/', '^src/commands/(command|options|destination|earlier|said|send)\\.ts$'],
      },
    },
    {
      name: 'pure-rooms-do-no-io',
      comment: 'Their tests need no files, no sockets and no clock.',
      severity: 'error',
      from: {
        path: [
          '^src/(model|contract|map|validate|batch|report|fast|seen)/',
          '^src/deliver/(decide|retry|pace|breaker|canary|concurrency|split)\\.ts$',
          '^src/journal/(fold|claims)\\.ts$',
        ],
      },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?(crypto|buffer|path)$' },
    },
    ...Object.entries(doors).map(([library, door]) => ({
      name: `one-door-for-${library}`,
      severity: 'error',
      from: { path: '^src/', pathNot: door },
      to: { path: `node_modules/${library}/` },
    })),
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
