/** `signals upload`: read, map, validate, batch and send. */
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { createTransport, systemClock } from '../deliver/index.ts';
import { createRunFolder, runId } from '../journal/folder.ts';
import { openKeeper } from '../keep.ts';
import { renderMapping } from '../map/index.ts';
import type { RunEvent } from '../model/event.ts';
import type { Ledger } from '../model/ledger.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import { upload as uploadJob } from '../pipeline.ts';
import { makePlan, type Plan } from '../plan.ts';
import { sampleRecord } from '../prepare.ts';
import { describeProblem } from '../report/issue.ts';
import { narrate } from '../report/narrate.ts';
import { printable } from '../report/printable.ts';
import { createReasons } from '../report/reasons.ts';
import { exitCodeOf, type FailOn, summarise } from '../report/summary.ts';
import { type SummaryContext, summaryText } from '../report/text.ts';
import { startSandbox } from '../sandbox/index.ts';
import { cleanKey, resolveKey } from '../settings/key.ts';
import { resolveSettings, type Settings } from '../settings/resolve.ts';
import { duration } from '../settings/values.ts';
import { createProgress } from '../terminal/progress.ts';
import { createPrompts } from '../terminal/prompts.ts';
import { version } from '../version.ts';
import type { Command, Context, Options } from './command.ts';
import {
  failOn,
  inputsOf,
  outputOptions,
  parsed,
  planOptions,
  planRequest,
  serviceOptions,
  settingFlags,
  text,
  uploadOptions,
} from './options.ts';

export const upload = {
  name: 'upload',
  arguments: '[files...]',
  summary: 'read, map, validate, batch and send files of rows',
  options: [...planOptions, ...serviceOptions, ...uploadOptions, ...outputOptions],
  more: [
    'Files are CSV, NDJSON or a JSON array, compressed or not (.gz, .br, .zst); a folder means the files in it,',
    'a pattern such as "*.csv" the files that it fits, "-" or nothing what is piped in.',
    '',
    'Examples:',
    '  signals upload fixtures/signals.csv --sandbox',
    '  signals upload export.csv -c company_name=Account -c signal_title=Headline --set signal_source=news',
    '  psql -c "COPY (…) TO STDOUT CSV HEADER" | signals upload - --type social --quiet',
  ].join('\n'),
  run,
} satisfies Command;

/** Where the batches go. */
interface Destination {
  readonly baseUrl: string;
  readonly key: string;
  readonly sandbox: boolean;
  close(): Promise<void>;
}

async function run(context: Context, files: readonly string[], options: Options): Promise<number> {
  const { streams, env, invocation } = context;
  const tell = (line: string): void => {
    if (options['quiet'] !== true) streams.err(`${line}\n`);
  };
  const asked = {
    flags: settingFlags(options),
    apiKeyFile: text(options, 'apiKeyFile'),
    profile: text(options, 'profile'),
    allowHttp: options['allowHttp'] === true,
    env,
    invocation,
  };
  const { settings, warnings } = await resolveSettings(asked);
  const judged = failOn(options);
  const graceMs = parsed(options, 'grace', '--grace', duration({ least: '0s', most: '1h' })) ?? 20_000;
  if (options['sandbox'] !== true && settings.baseUrl === undefined)
    throw new ProblemError(noBaseUrl(invocation));

  const plan = await makePlan(planRequest(inputsOf(files, context), options, settings), streams.stdin);
  try {
    const target = await destination(context, options, settings, () => resolveKey(asked));
    try {
      const allWarnings = [...warnings, ...target.warnings];
      for (const warning of allWarnings)
        tell(`${streams.style.err.yellow('warning')}: ${describeProblem(warning)}`);
      if (target.sandbox)
        tell(`Sandbox: the service runs on this machine, at ${target.baseUrl}. Nothing leaves it.`);
      for (const line of planLines(plan)) tell(printable(line));
      if (plan.automatic && !target.sandbox && !(await agreed(context, plan, target))) return 130;
      return await send(context, options, { plan, settings, target, graceMs, judged, warnings: allWarnings });
    } finally {
      await target.close();
    }
  } finally {
    for (const { source } of plan.job.inputs) await source.close();
  }
}

interface Sending {
  readonly plan: Plan;
  readonly settings: Settings;
  readonly target: Destination;
  readonly graceMs: number;
  readonly judged: FailOn;
  readonly warnings: readonly Problem[];
}

async function send(context: Context, options: Options, sending: Sending): Promise<number> {
  const { plan, settings, target, warnings } = sending;
  const { streams } = context;
  const { job } = plan;
  const startedAt = new Date();
  const started = performance.now();
  const name = job.inputs[0]?.source.name ?? 'run';
  const folder = await createRunFolder(settings.out, runId(startedAt, name, Math.random));
  const keeper = await openKeeper(
    folder,
    job.inputs.map(({ source, recognised: { format, columns, delimiter = ',' } }) => ({
      name: source.name,
      // The rejects of a JSON array are lines of NDJSON: each can be corrected for itself.
      form: format === 'csv' ? { format, columns, delimiter } : { format: 'ndjson' },
    })),
    { fsync: options['fsync'] === true },
  );
  const { type } = job.contract;
  const mapping = path.join(folder.path, 'mapping.yaml');
  const sizes = job.inputs.map(({ textSize }) => textSize);
  const again = job.inputs.every(({ source }) => source.size !== undefined);
  const progress = createProgress({
    stream: streams.stderr,
    live: streams.isTTY.stderr && context.env['CI'] === undefined && context.env['TERM'] !== 'dumb',
    now: () => performance.now(),
    type,
    totalBytes: sizes.some((size) => size === undefined)
      ? undefined
      : sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0),
  });
  const reasons = createReasons();
  const tell = (event: RunEvent): void => {
    const line = narrate(event);
    if (line !== undefined) progress.note(line);
  };
  const onInterrupt = (): void => {
    const more = context.signal.reason === 'SIGINT' ? ' Ctrl-C once more ends at once.' : '';
    if (options['quiet'] !== true) progress.note(`Stopping: requests under way may finish.${more}`);
  };
  context.signal.addEventListener('abort', onInterrupt, { once: true });
  const transport = createTransport({
    baseUrl: target.baseUrl,
    key: target.key,
    agent: `signals-upload/${await version()}`,
    connections: settings.concurrency,
    timeoutMs: settings.timeoutMs,
  });
  let ledger: Ledger;
  try {
    await keeper.write('mapping.yaml', renderMapping(plan.mapping));
    await keeper.write(
      'run.json',
      `${JSON.stringify(await asked(context, folder.id, startedAt, sending), null, 2)}\n`,
    );
    const showing = options['progress'] !== false && options['quiet'] !== true;
    ledger = await uploadJob(
      {
        ...job,
        run: folder.id,
        graceMs: sending.graceMs,
        delivery: {
          concurrency: settings.concurrency,
          ...(settings.rate === undefined ? {} : { rate: settings.rate }),
          retries: settings.retries,
          maxWaitMs: settings.maxWaitMs,
          retryMaxTimeMs: settings.retryMaxTimeMs ?? (streams.isTTY.stderr ? 120_000 : 1_800_000),
          resendUnknown: settings.onUnknown === 'resend',
        },
      },
      {
        transport,
        clock: systemClock,
        keeper,
        readers: [
          reasons.on,
          ...(options['verbose'] === true ? [tell] : []),
          ...(showing ? [progress.on] : []),
        ],
        signal: context.signal,
      },
    );
  } finally {
    context.signal.removeEventListener('abort', onInterrupt);
    progress.stop();
    await transport.close();
  }

  const exitCode = exitCodeOf(ledger, {
    failOn: sending.judged,
    ...(context.signal.aborted ? { signal: context.signal.reason as NodeJS.Signals } : {}),
  });
  const seconds = (performance.now() - started) / 1000;
  const summary = summarise(ledger, { exitCode, folder: folder.path, seconds, warnings });
  // Where the disk is full this fails once more, and the summary on the screen has said so.
  if (ledger.stop?.code !== 'storage')
    await keeper.write('summary.json', `${JSON.stringify(summary, null, 2)}\n`);
  await keeper.close();

  const undelivered = keeper.undeliveredFile();
  const words: SummaryContext = {
    destination: target.sandbox ? 'the sandbox' : target.baseUrl,
    sandbox: target.sandbox,
    invocation: context.invocation,
    shell: process.platform === 'win32' ? 'windows' : 'posix',
    options: optionsAgain(options),
    ...(again ? { again: context.argv } : {}),
    files: {
      results: path.join(folder.path, 'results.csv'),
      mapping,
      rejects: keeper.rejectsFiles(),
      ...(undelivered === undefined ? {} : { undelivered }),
    },
    reasons,
  };
  if (options['json'] === true) streams.out(`${JSON.stringify(summary)}\n`);
  if (options['quiet'] === true && exitCode === 0) return exitCode;
  const toStderr = options['json'] === true || options['quiet'] === true;
  const style = toStderr ? streams.style.err : streams.style.out;
  const rendered = `${summaryText(ledger, summary, words, style)}\n`;
  if (toStderr) streams.err(rendered);
  else streams.out(rendered);
  return exitCode;
}

async function destination(
  context: Context,
  options: Options,
  settings: Settings,
  findKey: () => ReturnType<typeof resolveKey>,
): Promise<Destination & { readonly warnings: readonly Problem[] }> {
  if (options['sandbox'] === true) {
    const sandbox = await startSandbox({ key: randomBytes(16).toString('hex'), keepRecords: false });
    return { baseUrl: sandbox.url, key: sandbox.key, sandbox: true, close: sandbox.close, warnings: [] };
  }
  const { baseUrl } = settings;
  if (baseUrl === undefined) throw new ProblemError(noBaseUrl(context.invocation));
  const found = await findKey();
  const key = found.key ?? (await askKey(context, baseUrl));
  return { baseUrl, key, sandbox: false, close: async () => undefined, warnings: found.warnings };
}

async function askKey(context: Context, baseUrl: string): Promise<string> {
  if (!context.streams.interactive) {
    throw new ProblemError({
      code: 'settings.key',
      message: 'There is no API key.',
      hint: `Put it into SIGNALS_API_KEY, name a file with --api-key-file, or store it with \`${context.invocation} config set api_key\`.`,
    });
  }
  const given = await createPrompts(context.streams, context.signal).askHidden(
    `API key for ${printable(baseUrl)}`,
  );
  return cleanKey(given, 'The key');
}

/** A mapping that nobody has seen is shown before anything leaves, with one record as it would be sent. */
async function agreed(context: Context, plan: Plan, target: Destination): Promise<boolean> {
  if (!context.streams.interactive) return true;
  const sample = await sampleRecord(plan.job);
  if (sample !== undefined) {
    context.streams.err('\nThe first record, as it would be sent:\n');
    for (const line of JSON.stringify(JSON.parse(sample), null, 2).split('\n')) {
      context.streams.err(`  ${printable(line)}\n`);
    }
  }
  const yes = await createPrompts(context.streams, context.signal).confirm(
    `Send to ${printable(target.baseUrl)}?`,
  );
  if (!yes)
    context.streams.err(
      'Nothing was sent. Change the mapping with --column and --set, or write one for -m.\n',
    );
  return yes;
}

function planLines(plan: Plan): readonly string[] {
  return [...plan.inputs.map(({ name, said }) => `${name}: ${said.join(', ')}.`), ...plan.said];
}

/** run.json: what was asked. The key is in none of it. */
async function asked(context: Context, run: string, startedAt: Date, sending: Sending): Promise<object> {
  const { plan, settings, target } = sending;
  const { contract, variant, inputs, decode, skip, limit } = plan.job;
  return {
    run,
    startedAt: startedAt.toISOString(),
    version: await version(),
    type: contract.type,
    ...(variant === undefined ? {} : { variant }),
    baseUrl: target.baseUrl,
    sandbox: target.sandbox,
    inputs: inputs.map(({ source, recognised }) => ({
      source: source.name,
      path: path.resolve(source.name),
      bytes: source.size,
      format: recognised.format,
      columns: recognised.columns,
    })),
    decode,
    skip,
    ...(Number.isFinite(limit) ? { limit } : {}),
    settings,
    argv: context.argv,
  };
}

/** Options that an upload of the corrected rejects needs again. */
function optionsAgain(options: Options): readonly string[] {
  const named = ['base-url', 'profile', 'api-key-file', 'out'] as const;
  const keys = {
    'base-url': 'baseUrl',
    profile: 'profile',
    'api-key-file': 'apiKeyFile',
    out: 'out',
  } as const;
  return [
    ...(options['sandbox'] === true ? ['--sandbox'] : []),
    ...(options['allowHttp'] === true ? ['--allow-http'] : []),
    ...named.flatMap((name) => {
      const value = text(options, keys[name]);
      return value === undefined ? [] : [`--${name}`, value];
    }),
  ];
}

function noBaseUrl(invocation: string): Problem {
  return {
    code: 'settings.base_url',
    message: 'Nobody has said where the service is.',
    hint: `Name it with --base-url, SIGNALS_BASE_URL or \`${invocation} config set base_url https://…\`; or try it with --sandbox, on this machine alone.`,
  };
}
