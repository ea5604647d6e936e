/** `signals sandbox`: runs a local mock of the service until it is interrupted. It prints how to use it, with its key. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { shellWith } from '../lib/shell.ts';
import { plural } from '../lib/units.ts';
import { choice, flag, parsed, repeated, text, under } from '../options/option-spec.ts';
import { parseCount as countOf } from '../options/parse-values.ts';
import {
  countRequests,
  createFaults,
  faultForms,
  parseFault,
  type Sandbox,
  startSandbox,
  VARIANTS,
} from '../sandbox/index.ts';
import { type Context, defineCommand } from './command.ts';

export const command = defineCommand({
  options: {
    key: text('key', 'API key of the sandbox', { defaultText: 'random' }),
    json: flag('print base URL and key as one JSON object on stdout, everything else on stderr'),
    ...under('Listening:', {
      port: parsed('n', countOf(0, 65_535), 'port', { defaultText: 'any free port' }),
    }),
    ...under('Behaviour that the API leaves open:', {
      variants: choice('which', VARIANTS, 'accepted field-name sets of a signal', { default: 'either' }),
      reject: text('text', 'reject signals that contain this text, as by a rule that only the service has'),
    }),
    ...under('Fault injection:', {
      fault: repeated('what', 'inject a fault; repeatable (see below)'),
      seed: parsed('n', countOf(0, 2 ** 32 - 1), 'seed that decides which batches get a fault', { defaultText: '1' }),
    }),
  },
  more: [
    'A fault is a kind and its conditions, separated by commas: --fault status=503,rate=0.1,retry-after=2',
    `  kinds       ${faultForms}`,
    '  conditions  rate=0.1 (probability), type=signals|social, after=N (skip N batches), first=N (only N batches)',
    '  modifiers   processed (store the batch before answering with status), retry-after=TEXT',
    '',
    'What arrived: GET /sandbox/records, /sandbox/requests. POST /sandbox/reset deletes it. Press Ctrl-C to stop the sandbox.',
  ],
  /** Runs until the context's signal aborts, then resolves to 0: an interruption is how a sandbox ends. */
  async run(context, _args, options) {
    const { streams, signal } = context;
    const { key = `sandbox-${randomBytes(12).toString('hex')}`, port, variants, reject, fault, seed = 1 } = options;
    const server = await startSandbox({
      key,
      port,
      behaviour: { variants, reject },
      injectFault: createFaults(fault.map(parseFault), seed),
    });
    context.takeSignals();
    try {
      const { url: baseUrl, key } = server;
      if (options.json) streams.json({ baseUrl, key });
      else streams.print(welcome(context, server));
      if (!signal.aborted) await once(signal, 'abort');
      const requests = server.requests();
      // Since the start or the last reset.
      const counts = [plural(requests.length, 'request'), ...countRequests(requests)].join('; ');
      streams[options.json ? 'err' : 'print'](`The sandbox stopped. ${counts}.\n`);
    } finally {
      await server.close();
    }
    return 0;
  },
});

function welcome(context: Context, { url, key }: Sandbox): string {
  const upload = context.suggest('upload', '--base-url', url, 'FILE');
  return [
    'The sandbox, a local mock of the service, is running. Nothing sent to it leaves this machine.',
    '',
    `  base URL   ${url}`,
    `  key        ${key}`,
    `  arrived    ${url}/sandbox/records`,
    `  requests   ${url}/sandbox/requests`,
    '',
    'To upload a file to it, run this in another terminal:',
    '',
    ...shellWith('SIGNALS_API_KEY', key, upload, context.shell).map((line) => `  ${line}`),
    '',
    'Press Ctrl-C to stop it.',
    '',
  ].join('\n');
}
