/** `signals upload`: reads, maps, validates, batches and sends files. */
import { statSync } from 'node:fs';
import path from 'node:path';
import { lockRun } from '../journal/lock.ts';
import { type RunFile, renderRunFile } from '../journal/run-file.ts';
import { createRunFolder, runId } from '../journal/run-folder.ts';
import { areSiblings, type DividedRun, shardDifferences } from '../journal/shard-runs.ts';
import { findUnfinishedRun, type InputIdentity } from '../journal/unfinished-run.ts';
import { printable } from '../lib/printable.ts';
import type { Suggest } from '../lib/shell.ts';
import { version } from '../lib/version.ts';
import { renderMapping } from '../map/index.ts';
import { ProblemError } from '../model/problem.ts';
import { type Plan, type PlanRequest, planRun } from '../plan/index.ts';
import { prepare, sampleRecord } from '../prepare/index.ts';
import { createReasons } from '../report/failure-reasons.ts';
import { nameList } from '../report/text-layout.ts';
import { rejectsInput } from '../run/rejects-folder.ts';
import { openRunFiles, type RunFiles } from '../run/run-files.ts';
import { type OpenInput, spool } from '../source/index.ts';
import { Cancelled, createPrompts } from '../terminal/prompts.ts';
import type { Context } from './shared/command.ts';
import { type Destination, noBaseUrl, openSandbox, openService } from './shared/destination.ts';
import type { OptionValues } from './shared/option.ts';
import {
  deliveryOptions,
  outputOptions,
  uploadOptions as ownOptions,
  planOptions,
  serviceOptions,
} from './shared/options.ts';
import { planAsking } from './shared/plan-asking.ts';
import { closePlan, inputsOf, planRequest } from './shared/plan-request.ts';
import { type Own, withResources } from './shared/resources.ts';
import { recordOptions, recordProfile } from './shared/run-file-options.ts';
import { dividedJob, recall } from './shared/run-history.ts';
import { withStartLock } from './shared/run-lock.ts';
import { announce, send } from './shared/send.ts';
import { resolveRequest } from './shared/send-request.ts';
import { describeShard, parseShard, shardRunId } from './shared/shard.ts';
import { createSuggest } from './shared/suggest.ts';

export const uploadOptions = {
  ...planOptions,
  ...serviceOptions,
  ...deliveryOptions,
  ...ownOptions,
  ...outputOptions,
};

export type UploadOptions = OptionValues<typeof uploadOptions>;

export const uploadHelp = [
  'FILES are CSV, NDJSON or JSON arrays, optionally compressed (.gz, .br, .zst), Excel workbooks, Parquet, a folder or a',
  'zip archive with such files, or a pattern such as "*.csv". "-", or no file, reads stdin.',
  '',
  'Examples:',
  '  signals upload fixtures/signals.csv --sandbox',
  '  signals upload export.csv -c company_name=Account --set signal_source=news',
  '  psql -c "COPY (…) TO STDOUT CSV HEADER" | signals upload - --type social',
].join('\n');

export async function runUpload(context: Context, files: readonly string[], options: UploadOptions): Promise<number> {
  const { streams } = context;
  const { sandbox } = options;
  const suggest = createSuggest(context, options);
  const shard = parseShard(options.shard, context.env);
  const request = await resolveRequest(context, options, { shard });
  const { out } = request.settings;
  const baseUrl = sandbox ? undefined : request.settings.baseUrl;
  const inputs = planRequest(context, inputsOf(files, context, suggest), options, request.settings, suggest);
  if (!sandbox && baseUrl === undefined) throw await noServiceError(inputs, context, suggest);

  return withResources(async (own) => {
    const asking = { ...inputs, mayAsk: streams.interactive };
    const plan = own(await planAsking(context, asking, baseUrl), closePlan);
    const assertNew = async (): Promise<void> => {
      if (baseUrl === undefined || options.again) return;
      await refuseUnfinished(suggest, out, { ...contentOf(plan), baseUrl, shard, dedupe: options.dedupe || undefined });
    };
    await assertNew();
    const destination =
      baseUrl === undefined ? await openSandbox(own) : await openService(context, suggest, request, baseUrl);
    const warnings = [...request.warnings, ...destination.warnings];
    announce(context, options, warnings, [
      ...describePlan(plan, destination),
      ...(shard === undefined ? [] : [describeShard(shard, request.settings)]),
    ]);
    await confirmPlan(context, plan, destination);

    const startedAt = new Date();
    const { type } = plan.job.contract;
    const service = baseUrl === undefined ? undefined : { type, baseUrl };
    const { recorded, ...recalled } = await recall(context, options, type, service, startedAt);
    const name = plan.job.inputs[0]?.source.name ?? 'run';
    const id = options.runId ?? shardRunId(runId(startedAt, name, Math.random), shard);
    const runFile: RunFile = {
      ...runFileOf(context, id, startedAt, plan, destination),
      shard,
      ...recorded,
      ...recordOptions(options),
      ...(sandbox ? {} : recordProfile(request)),
    };
    const { lock, runFiles } = await withStartLock(out, async () => {
      // Another upload of the same input may have started since.
      await assertNew();
      return createRun(own, out, plan, runFile, options.fsync);
    });
    const job = { ...plan.job, inputs: await spoolPipes(plan, runFiles), ...dividedJob(recalled, runFile) };
    return send(context, options, {
      request,
      job,
      prepare: () => prepare(job),
      destination,
      lock,
      runFile,
      runFiles,
      reasons: createReasons(),
      warnings: [...warnings, ...recalled.warnings],
      // --again is consent to send this input again. It covers neither its rejects nor a run that was handed over.
      suggest: createSuggest(context, { ...options, again: false }),
      argv: plan.job.inputs.some(isPipe) ? undefined : context.argv,
    });
  });
}

/** Creates the folder of a run, and locks it. */
async function createRun(own: Own, root: string, plan: Plan, runFile: RunFile, fsync: boolean) {
  const folder = createRunFolder(root, runFile.run);
  const lock = own(await lockRun(folder.path), (held) => held.release());
  const rejects = plan.job.inputs.map(({ source, detected }) => rejectsInput(source.name, detected));
  const runFiles = own(await openRunFiles(folder, rejects, { fsync }), (files) => files.close());
  await runFiles.begin({ 'mapping.yaml': renderMapping(plan.mapping), 'run.json': renderRunFile(runFile) });
  return { lock, runFiles };
}

/** Reports the missing base URL with the problems of the inputs, so that you can fix all of them at once. */
async function noServiceError(inputs: PlanRequest, { streams }: Context, suggest: Suggest): Promise<ProblemError> {
  const missing = noBaseUrl(suggest);
  // Reading a pipe would lose its data.
  const isFifo = (file: string): boolean => statSync(file, { throwIfNoEntry: false })?.isFIFO() === true;
  if (inputs.files.some((file) => file === '-' || isFifo(file))) return new ProblemError(missing);
  try {
    await closePlan(await planRun(inputs, streams.stdin));
    return new ProblemError(missing);
  } catch (error) {
    if (error instanceof ProblemError) return new ProblemError([missing, ...error.problems]);
    throw error;
  }
}

/** Uploading the same input while an earlier run of it is unfinished would send part of it twice. */
async function refuseUnfinished(suggest: Suggest, root: string, run: DividedRun): Promise<void> {
  const unfinished = await findUnfinishedRun(root, run.inputs, run, (other) => areSiblings(run, other));
  if (unfinished === undefined) return;
  const { input, running, file } = unfinished;
  const command = suggest('resume', file.run);
  throw new ProblemError({
    code: 'upload.unfinished',
    message: running
      ? `The run ${file.run} is sending the same data now. Nothing was sent.`
      : `The run ${file.run} of the same data is unfinished: uploading again would send part of it twice. Nothing was sent.`,
    where: input,
    hint: `${running ? 'Wait until it ends.' : `To resume that run: \`${command}\`.`} To send the data twice anyway, add --again.${unlikeShard(run, file)}`,
  });
}

/** Why a shard may not send beside another one that has a different number. */
function unlikeShard(run: DividedRun, other: DividedRun): string {
  const isSame = run.shard === undefined || other.shard === undefined || run.shard.index === other.shard.index;
  if (isSame) return '';
  return ` Shards of the same data must be alike: here ${nameList(shardDifferences(run, other))} differ.`;
}

function knownInput({ size, headDigest }: OpenInput): InputIdentity {
  return { bytes: size, head: headDigest() };
}

/** A pipe has no size, and cannot be read a second time. */
function isPipe({ source }: Plan['job']['inputs'][number]): boolean {
  return source.size === undefined;
}

/** Copies each pipe into the run folder as it is read, so that the run can be resumed. */
function spoolPipes({ job }: Plan, runFiles: RunFiles): Promise<Plan['job']['inputs']> {
  return Promise.all(
    job.inputs.map(async (input, index) => {
      if (!isPipe(input)) return input;
      const { source } = input;
      return { ...input, source: await spool(source, runFiles.spoolFile(source.name, index)) };
    }),
  );
}

/** The first lines of the output: the destination, and what was detected. */
function describePlan(plan: Plan, destination: Destination): readonly string[] {
  return [
    ...(destination.sandbox
      ? [`Sandbox: sending to a local mock at ${destination.baseUrl}. Nothing leaves this machine.`]
      : []),
    ...plan.inputs.map(({ name, description }) => `${name}: ${description.join(', ')}.`),
    ...plan.description,
  ];
}

/** The inputs of an automatic mapping that cannot be changed, such as pipes: shows one record as it would be sent. */
async function confirmPlan(context: Context, plan: Plan, { baseUrl, sandbox }: Destination): Promise<void> {
  const { streams, signal } = context;
  if (!plan.automatic || sandbox || !streams.interactive) return;
  const sample = await sampleRecord(plan.job);
  if (sample !== undefined) {
    streams.err('\nThe first record, as it would be sent:\n');
    for (const line of JSON.stringify(JSON.parse(sample), null, 2).split('\n')) {
      streams.err(`  ${printable(line)}\n`);
    }
  }
  if (await createPrompts(streams, signal).confirm(`Send to ${printable(baseUrl)}?`)) return;
  streams.err('Change the mapping with --column and --set, or pass a mapping file with -m.\n');
  throw new Cancelled();
}

function runFileOf(context: Context, run: string, startedAt: Date, plan: Plan, destination: Destination): RunFile {
  return {
    run,
    startedAt: startedAt.toISOString(),
    version,
    ...contentOf(plan),
    baseUrl: destination.baseUrl,
    sandbox: destination.sandbox,
    argv: [...context.argv],
  };
}

/** What decides the batches of a run. */
function contentOf(plan: Plan): Omit<DividedRun, 'baseUrl' | 'dedupe' | 'shard'> {
  const { contract, variant, inputs, decode, batchSize, maxBytes, skip, limit } = plan.job;
  return {
    type: contract.type,
    variant,
    inputs: inputs.map(({ source, detected }) => ({
      source: source.name,
      path: source.path === undefined ? undefined : path.resolve(source.path),
      member: source.member,
      ...knownInput(source),
      format: detected.format,
      delimiter: detected.delimiter,
      columns: [...detected.columns],
    })),
    transform: plan.transform && { path: path.resolve(plan.transform.file), digest: plan.transform.digest },
    decode,
    batchSize,
    maxBytes,
    skip,
    limit: Number.isFinite(limit) ? limit : undefined,
  };
}
