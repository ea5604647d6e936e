/**
 * `signals sandbox`: the service on this machine, on loopback, until it is interrupted. It prints how to use it,
 * its key included: that key opens nothing but this sandbox.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { openApi } from '../contract/index.ts';
import { printable } from '../lib/printable.ts';
import { shellWith } from '../lib/shell.ts';
import { count, plural } from '../lib/units.ts';
import { ProblemError } from '../model/problem.ts';
import {
  type BehaviourOptions,
  createFaults,
  DEFAULT_BEHAVIOUR,
  ERROR_SHAPES,
  LATENCY_LIMIT,
  type Latency,
  type LoggedRequest,
  MAX_BODY_LIMIT,
  OVER_LIMIT,
  parseFault,
  RETRY_AFTER,
  readAccounts,
  readIcpProfile,
  type Sandbox,
  type SandboxOptions,
  startSandbox,
  VARIANTS,
} from '../sandbox/index.ts';
import { count as countOf, parseRate, size } from '../settings/parse-values.ts';
import type { Context, Option, Options, Work } from './shared/command.ts';
import { list, parsed, text } from './shared/options.ts';
import { createSuggest } from './shared/suggest.ts';

const LISTEN = 'Listening:';
const OPEN = 'Behaviour that the API leaves open:';
const FAULTS = 'Fault injection:';
const KEEPS = 'Data:';

const keepOptions: readonly Option[] = [
  { flags: '--state <file>', about: 'file that stores received records and restores them at the next start' },
  { flags: '--log <file>', about: 'append one JSON line per request to this file' },
  { flags: '--accounts <file>', about: 'JSON file with the accounts to match (default: built-in examples)' },
  {
    flags: '--icp <file>',
    about: 'JSON file with the ICP: which companies qualify (default: 50 to 5000 employees)',
  },
];

const openOptions: readonly Option[] = [
  {
    flags: '--variants <which>',
    about: `accepted field-name sets of a signal (default: ${DEFAULT_BEHAVIOUR.variants})`,
    choices: VARIANTS,
  },
  {
    flags: '--max-events <n>',
    about: `maximum events per social batch (default: ${DEFAULT_BEHAVIOUR.maxEvents})`,
  },
  { flags: '--max-body <size>', about: 'maximum size of a request body (default: 10MiB)' },
  {
    flags: '--over-limit <answer>',
    about: `answer to a batch with too many records: a status, or accept the first ones and reject the rest (default: ${DEFAULT_BEHAVIOUR.overLimit})`,
    choices: OVER_LIMIT,
  },
  {
    flags: '--invalid-events <how>',
    about: `invalid social events: drop them, or refuse the batch (default: ${DEFAULT_BEHAVIOUR.invalidEvents})`,
    choices: ['drop', 'refuse'],
  },
  { flags: '--rate-limit <n/unit>', about: 'request rate; requests above it are answered with 429' },
  {
    flags: '--retry-after <form>',
    about: `form of Retry-After in a 429; reset sends RateLimit-Reset instead (default: ${DEFAULT_BEHAVIOUR.retryAfter})`,
    choices: RETRY_AFTER,
  },
  {
    flags: '--errors <shape>',
    about: `shape of error bodies (default: ${DEFAULT_BEHAVIOUR.errors})`,
    choices: ERROR_SHAPES,
  },
];

const faultOptions: readonly Option[] = [
  {
    flags: '--latency <ms>',
    about: 'delay each answer by MS milliseconds, or by a random time such as 50-200',
  },
  {
    flags: '--fault <what>',
    about: 'inject a fault; repeatable (see below)',
    repeat: true,
  },
  { flags: '--seed <n>', about: 'seed that decides which batches get a fault (default: 1)' },
];

export const sandbox: Work = {
  more: [
    'A fault is a kind and its conditions, separated by commas: --fault status=503,rate=0.1,retry-after=2',
    '  kinds       status=N, html[=N], hang[=after-headers], reset[=after-headers], cut, latency=MS',
    '  conditions  rate=0.1 (probability), type=signals|social, after=N (skip N batches), first=N (only N batches)',
    '  modifiers   taken (store the batch before answering with status or html), retry-after=TEXT',
    '',
    'The page at / shows what arrived. To read it: GET /sandbox/records, /sandbox/batches, /sandbox/requests.',
    'POST /sandbox/reset deletes it. Press Ctrl-C to stop the sandbox.',
  ].join('\n'),
  options: [
    { flags: '--port <n>', about: 'port (default: any free port)', group: LISTEN },
    {
      flags: '--host <address>',
      about: 'address to listen on (default: 127.0.0.1, this machine only)',
      group: LISTEN,
    },
    { flags: '--key <key>', about: 'API key of the sandbox (default: random)' },
    { flags: '--openapi', about: 'print the OpenAPI 3.1 document of the API and exit' },
    ...keepOptions.map((option) => ({ ...option, group: KEEPS })),
    ...openOptions.map((option) => ({ ...option, group: OPEN })),
    ...faultOptions.map((option) => ({ ...option, group: FAULTS })),
  ],
  run,
};

/** Resolves to 0 when the context's signal aborts: to interrupt it is how a sandbox ends. */
async function run(context: Context, _args: readonly string[], options: Options): Promise<number> {
  const { streams, signal } = context;
  if (options['openapi'] === true) {
    streams.out(`${JSON.stringify(openApi(), null, 2)}\n`);
    return 0;
  }
  const port = wholeNumber(options, 'port', 65_535);
  const [log, state, host] = ['log', 'state', 'host'].map((name) => text(options, name));
  const [accounts, icp] = [text(options, 'accounts'), text(options, 'icp')];
  const server = await startSandbox({
    key: typeof options['key'] === 'string' ? options['key'] : `sandbox-${randomBytes(12).toString('hex')}`,
    ...(port === undefined ? {} : { port }),
    ...(log === undefined ? {} : { log }),
    ...(state === undefined ? {} : { state }),
    ...(accounts === undefined ? {} : { accounts: readAccounts(accounts) }),
    ...(icp === undefined ? {} : { icp: readIcpProfile(icp) }),
    ...(host === undefined ? {} : { host }),
    behaviour: switchesOf(options),
    ...faultsOf(options),
  });
  context.takeSignals();
  try {
    if (!server.local) streams.err(openToOthers(server));
    streams.out(welcome(context, server));
    if (!signal.aborted) await once(signal, 'abort');
    streams.out(farewell(server.requests()));
  } finally {
    await server.close();
  }
  return 0;
}

function switchesOf(options: Options): Partial<BehaviourOptions> {
  const known = <T extends string>(key: string, values: readonly T[]): T | undefined =>
    values.find((value) => value === options[key]);
  const variants = known('variants', VARIANTS);
  const maxEvents = parsed(options, 'maxEvents', '--max-events', countOf(1, 1_000_000));
  const maxBody = parsed(options, 'maxBody', '--max-body', size({ least: '1B', most: `${MAX_BODY_LIMIT}B` }));
  const over = known('overLimit', OVER_LIMIT);
  const invalidEvents = known('invalidEvents', ['drop', 'refuse'] as const);
  const rateLimit = parsed(options, 'rateLimit', '--rate-limit', parseRate);
  const retryAfter = known('retryAfter', RETRY_AFTER);
  const errors = known('errors', ERROR_SHAPES);
  return {
    ...(variants === undefined ? {} : { variants }),
    ...(maxEvents === undefined ? {} : { maxEvents }),
    ...(maxBody === undefined ? {} : { maxBody }),
    ...(over === undefined ? {} : { overLimit: over }),
    ...(invalidEvents === undefined ? {} : { invalidEvents }),
    ...(rateLimit === undefined ? {} : { rateLimit }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(errors === undefined ? {} : { errors }),
  };
}

function faultsOf(options: Options): Pick<SandboxOptions, 'injectFault'> {
  const specs = list(options, 'fault').map(parseFault);
  const latency = latencyOf(options);
  const seed = parsed(options, 'seed', '--seed', countOf(0, 2 ** 32 - 1)) ?? 1;
  return specs.length === 0 && latency === undefined
    ? {}
    : { injectFault: createFaults(specs, seed, latency) };
}

/** `--latency 50` or `--latency 50-200`. */
function latencyOf(options: Options): Latency | undefined {
  const range = /^(\d{1,9})-(\d{1,9})$/.exec(text(options, 'latency') ?? '');
  if (range === null) {
    const ms = wholeNumber(options, 'latency', LATENCY_LIMIT);
    return ms === undefined ? undefined : [ms, ms];
  }
  const [least, most] = [Number(range[1]), Number(range[2])];
  if (least <= most && most <= LATENCY_LIMIT) return [least, most];
  throw new ProblemError({
    code: 'option.latency',
    message: `--latency is "${range[0]}"; expected milliseconds from 0 to ${LATENCY_LIMIT}, the smaller number first.`,
  });
}

function wholeNumber(options: Options, name: string, limit: number): number | undefined {
  const text = options[name];
  if (typeof text !== 'string') return undefined;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value <= limit) return value;
  throw new ProblemError({
    code: `option.${name}`,
    message: `--${name} is ${printable(JSON.stringify(text), 40)}; expected a whole number from 0 to ${limit}.`,
  });
}

/** What arrives is personal data, and the way to the sandbox is not encrypted. */
function openToOthers({ url }: Sandbox): string {
  return [
    `Warning: the sandbox listens on ${url}, where other machines may reach it. The key and the records travel`,
    'unencrypted. What arrived can still be read back on this machine alone.',
    '',
    '',
  ].join('\n');
}

function welcome(context: Context, { url, key }: Sandbox): string {
  const upload = createSuggest(context, {})('upload', '--base-url', url, 'FILE');
  return [
    'The service runs on this machine. Nothing that is sent to it leaves this machine.',
    '',
    `  base URL   ${url}`,
    `  key        ${key}`,
    `  page       ${url}/`,
    `  arrived    ${url}/sandbox/records`,
    `  requests   ${url}/sandbox/requests`,
    '',
    'To upload a file to it, type in another window:',
    '',
    ...shellWith('SIGNALS_API_KEY', key, upload, context.shell).map((line) => `  ${line}`),
    '',
    'Press Ctrl-C to stop it.',
    '',
  ].join('\n');
}

/** One line of counts, of the requests since the start or the last reset. */
function farewell(facts: readonly LoggedRequest[]): string {
  const sum = (type: LoggedRequest['type'], read: (fact: LoggedRequest) => number | undefined): number =>
    facts.reduce((total, fact) => total + (fact.type === type ? (read(fact) ?? 0) : 0), 0);
  const signals = (['accepted', 'deduplicated', 'rejected'] as const).map(
    (name) => `${count(sum('signals', (fact) => fact[name]))} ${name}`,
  );
  const events = [
    `${plural(
      sum('social', ({ accepted }) => accepted),
      'event',
    )} stored`,
    `${count(sum('social', ({ promoted }) => promoted))} promoted`,
  ];
  return `The sandbox ended. ${plural(facts.length, 'request')}; signals: ${signals.join(', ')}; ${events.join(', ')}.\n`;
}
