/** Uploads what was planned: creates the run, and sends it. Knows no screen; used by `upload` and by the library. */
import path from 'node:path';
import { spool } from '../input/open-inputs.ts';
import { lockRun } from '../journal/lock.ts';
import { type RunFile, renderRunFile } from '../journal/run-file.ts';
import { createRunFolder, runId } from '../journal/run-folder.ts';
import type { Adopt } from '../lib/resources.ts';
import type { Suggest } from '../lib/shell.ts';
import { version } from '../lib/version.ts';
import { renderMapping } from '../map/index.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import type { OptionValues } from '../options/option-spec.ts';
import type { OptionsOf } from '../options/option-table.ts';
import { type DividedRun, dividedRun, keepOptions, recordProfile, shardDifferences } from '../options/run-options.ts';
import type { Plan } from '../plan/index.ts';
import { Duplicates, prepare } from '../prepare/index.ts';
import { nameList } from '../report/text-layout.ts';
import { openRunFiles, type RunFiles } from '../run/run-files.ts';
import { headWarnings } from './head-warnings.ts';
import { findUnfinishedRun, withStartLock } from './open-run.ts';
import { beginClaims, claimOptions, openClaims } from './run-claims.ts';
import type { SummarisedRun } from './run-context.ts';
import { type RunEnvironment, type Sending, sendRun } from './send-run.ts';
import { shardRunId } from './shard.ts';

export interface PlannedUpload extends Pick<Sending, 'request' | 'destination' | 'warnings' | 'suggest'> {
  readonly options: Pick<OptionValues<OptionsOf<'check'>>, 'again' | 'dedupe' | 'skipDelivered'> &
    Pick<OptionValues<OptionsOf<'upload'>>, 'runId'>;
  /** The words of the command, if it was one. */
  readonly argv?: readonly string[] | undefined;
}

export async function uploadPlan(
  adopt: Adopt,
  environment: RunEnvironment,
  plan: Plan,
  { request, destination, options, argv = [], suggest, ...given }: PlannedUpload,
): Promise<SummarisedRun> {
  const { out, fsync } = request.settings;
  const { baseUrl, sandbox } = destination;
  const { state } = environment;
  const startedAt = new Date();
  const { shard } = request;
  const newId = runId(startedAt, plan.job.inputs[0]?.source.name ?? 'run', Math.random);
  const file: RunFile = {
    ...contentOf(plan),
    baseUrl,
    sandbox,
    shard,
    skippedFiles: plan.skipped.length === 0 ? undefined : [...plan.skipped],
    run: shardRunId(options.runId ?? newId, shard),
    startedAt: startedAt.toISOString(),
    ...claimOptions(options, plan.job.contract.type, sandbox),
    ...keepOptions(options),
    ...(sandbox ? {} : recordProfile(request)),
    argv: [...argv],
  };
  const mapping = renderMapping(plan.mapping);
  const opened = openClaims(adopt, state, file);
  const unreadable: Problem[] = [];
  const { lock, runFiles } = await withStartLock(out, async () => {
    if (!sandbox && !options.again) {
      await refuseUnfinished(suggest, out, { ...file, mapping }, (problem) => unreadable.push(problem));
    }
    return createRun(adopt, out, file, { mapping, fsync });
  });
  const { folder } = runFiles;
  const { claims, warnings } = await beginClaims(opened, state, { folder, file }, fsync);
  const ofHead = await headWarnings(plan.job, options.dedupe);
  const findDuplicate = options.dedupe ? new Duplicates().find : undefined;
  const inputs = await spoolPipes(plan, runFiles);
  const job = { ...plan.job, inputs, findDuplicate, shard: shard && { ...shard, recordKeys: options.dedupe } };
  return sendRun(environment, {
    request,
    job,
    prepare: () => prepare(job),
    destination,
    lock,
    folder,
    file,
    runFiles,
    claims,
    warnings: [...given.warnings, ...ofHead, ...plan.warnings, ...unreadable, ...warnings],
    suggest,
  });
}

/** Uploading the same input while an earlier run of it is unfinished would send part of it twice. */
async function refuseUnfinished(
  suggest: Suggest,
  out: string,
  run: DividedRun,
  warn: (problem: Problem) => void,
): Promise<void> {
  const unfinished = await findUnfinishedRun(out, run, warn);
  if (unfinished === undefined) return;
  const { input, isRunning, file, folder } = unfinished;
  const unlike = unlikeShard(run, dividedRun(file, folder.path));
  const command = suggest('resume', file.run);
  const next = isRunning ? 'Wait until it ends.' : `To resume that run: \`${command}\`.`;
  throw new ProblemError({
    code: 'upload.unfinished',
    message: isRunning
      ? `The run ${file.run} is sending the same data now. Nothing was sent.`
      : `The run ${file.run} of the same data is unfinished: uploading again would send part of it twice. Nothing was sent.`,
    where: input,
    hint: `${unlike}${next} To send the data twice anyway, add --again.`,
  });
}

/** Why two shards with different numbers may send the same rows. */
function unlikeShard(run: DividedRun, other: DividedRun): string {
  const areShards = run.shard !== undefined && other.shard !== undefined && run.shard.index !== other.shard.index;
  return areShards ? `Shards of the same data must agree in ${nameList(shardDifferences(run, other))}. ` : '';
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

/** Creates the folder of a run, and locks it. */
async function createRun(
  adopt: Adopt,
  root: string,
  file: RunFile,
  { mapping, fsync }: { readonly mapping: string; readonly fsync: boolean },
) {
  const folder = createRunFolder(root, file.run);
  const lock = adopt(await lockRun(folder.path), (held) => held.release());
  const runFiles = adopt(await openRunFiles(folder, file, { fsync, lock }), (files) => files.close());
  await runFiles.begin({ 'mapping.yaml': mapping, 'run.json': renderRunFile(file) });
  return { lock, runFiles };
}

/** What decides the batches of a run. */
function contentOf(plan: Plan): Omit<DividedRun, 'baseUrl' | 'sandbox' | 'dedupe' | 'shard' | 'mapping'> {
  const { contract, variant, inputs, decode, batchSize, maxBytes, skip, limit } = plan.job;
  return {
    version,
    type: contract.type,
    variant,
    inputs: inputs.map(({ source, detected }) => ({
      source: source.name,
      path: source.path === undefined ? undefined : path.resolve(source.path),
      member: source.member,
      bytes: source.size,
      head: source.headDigest(),
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
