/** `signals upload`: read, map, validate, batch and send. */
import path from 'node:path';
import { lockRun } from '../journal/lock.ts';
import type { RunFile } from '../journal/run-file.ts';
import { createRunFolder, runId } from '../journal/run-folder.ts';
import { findUnfinishedRun, type InputIdentity } from '../journal/unfinished-run.ts';
import { printable } from '../lib/printable.ts';
import type { Suggest } from '../lib/shell.ts';
import { version } from '../lib/version.ts';
import { renderMapping } from '../map/index.ts';
import { ProblemError } from '../model/problem.ts';
import { type Plan, planRun } from '../plan/index.ts';
import { prepare, sampleRecord } from '../prepare/index.ts';
import { createReasons } from '../report/failure-reasons.ts';
import { openRunFiles, type RunFiles, rejectsInputs } from '../run/run-files.ts';
import { resolveKey } from '../settings/api-key.ts';
import { type OpenInput, spool } from '../source/index.ts';
import { Cancelled, createPrompts } from '../terminal/prompts.ts';
import { agreesOnEncoding, planAsking } from './shared/ask-mapping.ts';
import type { Context, Options, Work } from './shared/command.ts';
import { type Destination, noBaseUrl, openDestination } from './shared/destination.ts';
import {
  deliveryOptions,
  inputsOf,
  outputOptions,
  planOptions,
  planRequest,
  rowLimits,
  sayWaiting,
  serviceOptions,
  suggestFor,
  text,
  uploadOptions,
} from './shared/options.ts';
import { profileOf, saidOf } from './shared/persisted-options.ts';
import { enter, recall, remember } from './shared/run-history.ts';
import { announce, readAsked, send } from './shared/send.ts';

export const upload = {
  options: [...planOptions, ...serviceOptions, ...deliveryOptions, ...uploadOptions, ...outputOptions],
  more: [
    'FILES are CSV, NDJSON or JSON arrays, optionally compressed (.gz, .br, .zst), a folder with such files, or a',
    'pattern such as "*.csv". "-", or no file, reads stdin.',
    '',
    'Examples:',
    '  signals upload fixtures/signals.csv --sandbox',
    '  signals upload export.csv -c company_name=Account -c signal_title=Headline --set signal_source=news',
    '  psql -c "COPY (…) TO STDOUT CSV HEADER" | signals upload - --type social --quiet',
  ].join('\n'),
  run,
} satisfies Work;

async function run(context: Context, files: readonly string[], options: Options): Promise<number> {
  const { streams } = context;
  const suggest = suggestFor(context, options);
  const asked = await readAsked(context, options);
  const { given, settings, warnings, judged, graceMs } = asked;
  const limits = rowLimits(options);
  const sandbox = options['sandbox'] === true;
  const { baseUrl } = settings;
  if (!sandbox && baseUrl === undefined) throw new ProblemError(noBaseUrl(suggest));

  const request = {
    ...planRequest(inputsOf(files, context, suggest), options, settings, suggest),
    ...sayWaiting(context, options),
    mayAsk: streams.interactive,
  };
  // With --sandbox no mapping is asked about: nothing leaves this machine.
  const plan = await (sandbox
    ? planRun(request, streams.stdin)
    : planAsking(request, streams, context.signal));
  try {
    if (baseUrl !== undefined && !sandbox && options['again'] !== true) {
      await refuseUnfinished(suggest, settings.out, plan, baseUrl);
    }
    const target = await openDestination(context, suggest, { sandbox, baseUrl }, () => resolveKey(given));
    try {
      const all = [...warnings, ...target.warnings];
      announce(context, options, all, opening(plan, target));
      await agreeOnEncodings(context, plan);
      if (plan.automatic && !sandbox && !(await agreed(context, plan, target))) throw new Cancelled();

      const startedAt = new Date();
      const { type } = plan.job.contract;
      const recalled = await recall(
        context,
        options,
        type,
        sandbox ? undefined : { type, baseUrl: target.baseUrl },
        startedAt,
      );
      const { asks, seen } = recalled;
      const name = plan.job.inputs[0]?.source.name ?? 'run';
      const id = text(options, 'runId') ?? runId(startedAt, name, Math.random);
      const folder = createRunFolder(settings.out, id);
      const lock = await lockRun(folder.path);
      try {
        const runFiles = await openRunFiles(folder, rejectsInputs(plan.job.inputs), {
          fsync: options['fsync'] === true,
        });
        const runFile = {
          ...runFileOf(context, folder.id, startedAt, plan, target),
          ...asks,
          ...saidOf(options),
          ...(sandbox ? {} : profileOf(asked)),
        };
        await runFiles.begin({
          'mapping.yaml': renderMapping(plan.mapping),
          'run.json': `${JSON.stringify(runFile, null, 2)}\n`,
        });
        all.push(...recalled.warnings, ...(await enter(context, runFile, folder.path)));
        const job = {
          ...plan.job,
          inputs: await spooled(plan, runFiles),
          ...(seen === undefined ? {} : { seen: seen.filter }),
        };
        return await send(context, options, {
          job,
          prepare: () => prepare(job),
          settings,
          target,
          runFiles,
          reasons: createReasons(),
          graceMs,
          limits,
          keys: asks.keys === true,
          remember: () => remember(context, runFile, folder.path),
          judged,
          warnings: all,
          // Consent to send this input again is no consent for its rejects, nor for a run that was handed over.
          suggest: suggestFor(context, { ...options, again: undefined }),
          ...(plan.job.inputs.some(isPipe) ? {} : { again: context.argv }),
        });
      } finally {
        await lock.release();
      }
    } finally {
      await target.close();
    }
  } finally {
    for (const { source } of plan.job.inputs) await source.close();
  }
}

/** The same input again, while an earlier run of it is not complete, would arrive twice in part. */
async function refuseUnfinished(
  suggest: Suggest,
  root: string,
  { job }: Plan,
  baseUrl: string,
): Promise<void> {
  const inputs = job.inputs.map(({ source }) => knownInput(source));
  const unfinished = await findUnfinishedRun(root, inputs, { type: job.contract.type, baseUrl });
  if (unfinished === undefined) return;
  const { input, running, file } = unfinished;
  const command = suggest('resume', file.run);
  throw new ProblemError({
    code: 'upload.unfinished',
    message: running
      ? `The run ${file.run} is sending the same data just now. Nothing was sent.`
      : `The run ${file.run} has the same data and is not complete: sent anew, part of it would arrive twice. Nothing was sent.`,
    where: input,
    hint: running
      ? 'Wait until it has ended. To send the data a second time all the same, add --again.'
      : `To go on with that run: \`${command}\`. To send the data a second time all the same, add --again.`,
  });
}

function knownInput({ size, headDigest }: OpenInput): InputIdentity {
  return { ...(size === undefined ? {} : { bytes: size }), head: headDigest() };
}

/** Of a pipe nobody knows the size, and what it has given it will not give again. */
function isPipe({ source }: Plan['job']['inputs'][number]): boolean {
  return source.size === undefined;
}

/** A pipe is kept in the run folder as it is read, so that the run can go on without it. */
async function spooled({ job }: Plan, runFiles: RunFiles): Promise<Plan['job']['inputs']> {
  const inputs = [];
  for (const [index, input] of job.inputs.entries()) {
    const { source } = input;
    inputs.push(
      isPipe(input)
        ? { ...input, source: await spool(source, runFiles.spoolFile(source.name, index)) }
        : input,
    );
  }
  return inputs;
}

/** What the output begins with: where it goes, and what was understood. */
function opening(plan: Plan, target: Destination): readonly string[] {
  return [
    ...(target.sandbox
      ? [`Sandbox: the service runs on this machine, at ${target.baseUrl}. Nothing leaves it.`]
      : []),
    ...plan.inputs.map(({ name, description: said }) => `${name}: ${said.join(', ')}.`),
    ...plan.description,
  ];
}

/** An encoding that was only guessed is shown at work, on words of the file itself. */
async function agreeOnEncodings(context: Context, plan: Plan): Promise<void> {
  for (const { name, guessed } of plan.inputs) {
    if (guessed === undefined) continue;
    if (await agreesOnEncoding(createPrompts(context.streams, context.signal), name, guessed)) continue;
    context.streams.err('Say the right one with --encoding.\n');
    throw new Cancelled();
  }
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
  if (!yes) {
    context.streams.err('Change the mapping with --column and --set, or write one for -m.\n');
  }
  return yes;
}

function runFileOf(context: Context, run: string, startedAt: Date, plan: Plan, target: Destination): RunFile {
  const { contract, variant, inputs, decode, batchSize, maxBytes, skip, limit } = plan.job;
  return {
    run,
    startedAt: startedAt.toISOString(),
    version: version,
    type: contract.type,
    ...(variant === undefined ? {} : { variant }),
    baseUrl: target.baseUrl,
    sandbox: target.sandbox,
    inputs: inputs.map(({ source, detected }) => ({
      source: source.name,
      ...(source.size === undefined ? {} : { path: path.resolve(source.name) }),
      ...knownInput(source),
      format: detected.format,
      columns: [...detected.columns],
    })),
    ...(plan.transform === undefined
      ? {}
      : { transform: { path: path.resolve(plan.transform.file), digest: plan.transform.digest } }),
    decode,
    batchSize,
    maxBytes,
    skip,
    ...(Number.isFinite(limit) ? { limit } : {}),
    argv: [...context.argv],
  };
}
