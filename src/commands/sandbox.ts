/**
 * `signals sandbox`: the service on this machine, on loopback, until it is interrupted. It prints how to use it,
 * its key included: that key opens nothing but this sandbox.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { ProblemError } from '../model/problem.ts';
import { printable } from '../report/printable.ts';
import { shellCommand, shellQuote } from '../report/shell.ts';
import { count, plural } from '../report/units.ts';
import { type RequestFact, type Sandbox, startSandbox } from '../sandbox/index.ts';
import type { Command, Context, Options } from './command.ts';

/** Longest latency in milliseconds: an answer that comes later is an answer that does not come. */
const LATENCY_LIMIT = 600_000;

export const sandbox: Command = {
  name: 'sandbox',
  summary: 'the service on this machine, on loopback',
  more: [
    'What arrived can be read back: GET /sandbox/records, GET /sandbox/requests.',
    'POST /sandbox/reset forgets it. Ctrl-C ends the sandbox.',
  ].join('\n'),
  options: [
    { flags: '--port <n>', about: 'the port; default: any that is free' },
    { flags: '--key <key>', about: "the sandbox's key; default: one that is made up" },
    { flags: '--log <file>', about: 'append a line of JSON for each request' },
    { flags: '--latency <ms>', about: 'answer each batch so many milliseconds late' },
  ],
  run,
};

/** Resolves to 0 when the context's signal aborts: to interrupt it is how a sandbox ends. */
async function run(context: Context, _args: readonly string[], options: Options): Promise<number> {
  const { streams, signal } = context;
  const latencyMs = wholeNumber(options, 'latency', LATENCY_LIMIT);
  const port = wholeNumber(options, 'port', 65_535);
  const log = options['log'];
  const server = await startSandbox({
    key: typeof options['key'] === 'string' ? options['key'] : `sandbox-${randomBytes(12).toString('hex')}`,
    ...(port === undefined ? {} : { port }),
    ...(typeof log === 'string' ? { log } : {}),
    ...(latencyMs === undefined ? {} : { behave: () => ({ latencyMs }) }),
  });
  context.takeSignals();
  try {
    streams.out(welcome(context, server));
    if (!signal.aborted) await once(signal, 'abort');
    streams.out(farewell(server.requests()));
  } finally {
    await server.close();
  }
  return 0;
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

function welcome({ invocation }: Context, { url, key }: Sandbox): string {
  const upload = shellCommand(invocation, ['upload', '--base-url', url]);
  return [
    'The service runs on this machine. Nothing that is sent to it leaves this machine.',
    '',
    `  base URL   ${url}`,
    `  key        ${key}`,
    `  arrived    ${url}/sandbox/records`,
    `  requests   ${url}/sandbox/requests`,
    '',
    'To upload a file to it, type in another window:',
    '',
    `  SIGNALS_API_KEY=${shellQuote(key)} ${upload} FILE`,
    '',
    'Ctrl-C ends it.',
    '',
  ].join('\n');
}

/** One line of counts, of the requests since the start or the last reset. */
function farewell(facts: readonly RequestFact[]): string {
  const sum = (type: RequestFact['type'], read: (fact: RequestFact) => number | undefined): number =>
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
