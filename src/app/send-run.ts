/**
 * Begins the run of a plan, sends the batches of a run, writes summary.json and adds the run to the catalogue. Knows no screen.
 * Commands call it with a progress display (commands/screen/show-run.ts), and programs through the library.
 */

import path from 'node:path';
import type { Claims } from '../claims/index.ts';
import type { HttpTransport } from '../deliver/http.ts';
import { systemClock } from '../deliver/index.ts';
import { spool } from '../input/open-inputs.ts';
import { readTextFile } from '../journal/file-system.ts';
import type { RunFile } from '../journal/run-file.ts';
import { type RunFolder, runId } from '../journal/run-folder.ts';
import { UNDELIVERED } from '../journal/undelivered.ts';
import type { Adopt } from '../lib/resources.ts';
import type { Suggest } from '../lib/shell.ts';
import { isObject, messageOf, parseJson } from '../lib/text.ts';
import { userAgent, version } from '../lib/version.ts';
import { renderMapping } from '../map/index.ts';
import { sumOf } from '../model/counts.ts';
import { openFailures } from '../model/outcome.ts';
import type { Problem } from '../model/problem.ts';
import type { RunState } from '../model/run-state.ts';
import type { OptionValues } from '../options/option-spec.ts';
import type { OptionsOf } from '../options/option-table.ts';
import { type DividedRun, recordOptions, recordProfile } from '../options/run-options.ts';
import type { Plan } from '../plan/index.ts';
import { Duplicates, prepare } from '../prepare/index.ts';
import type { ResumeState, RunJob, UploadDeps, UploadJob } from '../run/job.ts';
import type { RunFiles } from '../run/run-files.ts';
import { executeRun } from '../run/upload-run.ts';
import { catalogueRun } from '../stored-runs/catalogue.ts';
import type { Destination } from './destination.ts';
import { nameOfRun } from './find-run.ts';
import { firstRowWarnings } from './first-row-warnings.ts';
import { addToRunList } from './foreign-run.ts';
import { type LockedRun, makeRun } from './open-run.ts';
import type { SendRequest } from './plan-request.ts';
import { beginClaims, claimOptions, finishClaims, openClaims } from './run-claims.ts';
import { type ContextParts, type SummarisedRun, summariseRun } from './run-context.ts';
import { shardRunId } from './shard.ts';

export interface RunEnvironment extends Pick<UploadDeps, 'readers' | 'signal' | 'onStop'> {
  readonly state: string | undefined;
  /** Longest outage before the run stops, in milliseconds, if no setting says so. */
  readonly retryMaxTimeMs: number;
  /** Called before work begins that must end in order, with the command that continues it. */
  readonly onBegin?: ((next?: string) => void) | undefined;
}

export interface Sending extends LockedRun {
  readonly request: SendRequest;
  readonly job: RunJob;
  readonly prepare: UploadJob['prepare'];
  readonly destination: Destination;
  readonly runFiles: RunFiles;
  readonly resume?: ResumeState;
  /** Their session is open. Absent if the run claims nothing. */
  readonly claims?: Claims | undefined;
  readonly warnings: readonly Problem[];
  readonly suggest: Suggest;
}

export interface PlannedUpload extends Pick<Sending, 'request' | 'destination' | 'warnings' | 'suggest'> {
  readonly options: Pick<OptionValues<OptionsOf<'check'>>, 'again' | 'dedupe' | 'skipDelivered'> &
    Pick<OptionValues<OptionsOf<'upload'>>, 'runId'>;
  readonly argv?: readonly string[] | undefined;
}

export async function uploadPlan(
  adopt: Adopt,
  environment: RunEnvironment,
  plan: Plan,
  { request, destination, options, argv = [], suggest, ...given }: PlannedUpload,
): Promise<SummarisedRun> {
  const { baseUrl, sandbox } = destination;
  const { state } = environment;
  const startedAt = new Date();
  const { shard, settings } = request;
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
    ...recordOptions(options),
    ...(sandbox ? {} : recordProfile(request)),
    argv: [...argv],
  };
  const mapping = renderMapping(plan.mapping);
  const opened = openClaims(adopt, state, file);
  const { again } = options;
  const { run, warnings: unreadable } = await makeRun(adopt, settings, { file, mapping, again, suggest });
  const { claims, warnings } = await beginClaims(opened, state, run, settings.fsync);
  const ofHead = await firstRowWarnings(plan.job, options.dedupe);
  const findDuplicate = options.dedupe ? new Duplicates().find : undefined;
  const inputs = await spoolPipes(plan, run.runFiles, settings.fsync);
  const job = { ...plan.job, inputs, findDuplicate, shard: shard && { ...shard, recordKeys: options.dedupe } };
  return sendRun(environment, {
    ...run,
    request,
    job,
    prepare: () => prepare(job),
    destination,
    claims,
    warnings: [...given.warnings, ...ofHead, ...plan.warnings, ...unreadable, ...warnings],
    suggest,
  });
}

function spoolPipes({ job }: Plan, runFiles: RunFiles, fsync: boolean): Promise<Plan['job']['inputs']> {
  return Promise.all(
    job.inputs.map(async (input, index) => {
      const { source } = input;
      if (source.size !== undefined) return input;
      return { ...input, source: await spool(source, runFiles.spoolFile(source.name, index), fsync) };
    }),
  );
}

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

export async function sendRun(environment: RunEnvironment, sending: Sending): Promise<SummarisedRun> {
  const { request, folder, file, runFiles, suggest, claims } = sending;
  const { state, signal } = environment;
  environment.onBegin?.(suggest('resume', file.run));
  const warnings = [...sending.warnings];
  if (state !== undefined) warnings.push(...(await addToRunList(state, sending)));
  const runState = await deliver(environment, sending);
  const { keyHint: hint } = sending.destination;
  if (runState.stop?.code === 'key') runState.stop = { ...runState.stop, hint };
  if (claims !== undefined && !isLost(runState)) warnings.push(...finishClaims(state, claims));
  const exit = { failOn: request.failOn, signal: signal.reason };
  const isReported = sending.resume !== undefined;
  return endRun(runFiles, runState, { folder, file, suggest, warnings, exit, isReported, out: request.settings.out });
}

function isLost({ stop }: RunState): boolean {
  return stop?.code === 'lost' || stop?.code === 'folder';
}

export async function endRun(
  runFiles: RunFiles,
  runState: RunState,
  {
    out,
    ...given
  }: Pick<ContextParts, 'folder' | 'file' | 'suggest' | 'exit' | 'isReported'> & {
    readonly warnings: readonly Problem[];
    /** The folder of runs that commands use. */
    readonly out: string;
  },
): Promise<SummarisedRun> {
  const warnings = [...given.warnings];
  const { state, rows, undelivered } = runState;
  /** Adds a warning if the work fails, unless the run has stopped because of the same failure. The journal has all facts. */
  const attempt = async (code: string, what: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (runState.stop?.code === 'storage') return;
      warnings.push({ code, message: `${what}: ${messageOf(error)}.` });
    }
  };
  if (!isLost(runState)) {
    await attempt('run.undelivered', `Cannot remove delivered batches from ${UNDELIVERED}`, () =>
      runFiles.undelivered.retain((batch) => undelivered.has(batch)),
    );
  }
  // Some systems write only when a file is closed.
  await attempt('run.files', 'Cannot close and tidy the files of the run', async () => {
    await runFiles.close();
    if (state === 'complete' && sumOf(rows, openFailures) === 0) await runFiles.dropSpool();
  });
  const isGone = runState.stop?.code === 'folder';
  const name = isGone ? [] : await nameOfRun(given.folder, out);
  const parts = { ...given, name, warnings, isGone };
  const summarised = await summariseRun(runState, parts);
  if (isLost(runState)) return summarised;
  const text = `${JSON.stringify(summarised.summary, null, 2)}\n`;
  const before = warnings.length;
  await attempt('run.summary', `Cannot write ${SUMMARY}`, () => runFiles.write(SUMMARY, text));
  catalogueRun(given, runState);
  return warnings.length === before ? summarised : summariseRun(runState, parts);
}

const SUMMARY = 'summary.json';

/** Whether the process that ended a run was killed before it had tidied the folder. */
export function isUntidy({ path: folder }: RunFolder, { endedAt }: RunState): boolean {
  const summary = parseJson(readTextFile(path.join(folder, SUMMARY)) ?? '{}');
  return !isObject(summary) || summary['endedAt'] !== endedAt;
}

async function deliver(
  { readers, signal, onStop, retryMaxTimeMs }: RunEnvironment,
  { job, prepare, request, destination, lock, folder, file, runFiles, resume, claims }: Sending,
): Promise<RunState> {
  const { maxInvalid, minRows, grace } = request.settings;
  const transport = await openTransport(request, destination);
  try {
    return await executeRun(
      {
        ...job,
        prepare,
        findSent: claims && ((keys) => claims.claim(keys, file.skipSent === undefined)),
        run: folder.id,
        graceMs: grace,
        limits: { maxInvalid, minRows },
        recordKeys: file.keys === true,
        delivery: deliverySettings(request, destination, retryMaxTimeMs),
        resume,
      },
      {
        transport,
        clock: systemClock,
        lock,
        claims,
        runFiles,
        readers: [...(claims === undefined ? [] : [claims.on]), ...readers],
        signal,
        onStop,
      },
    );
  } finally {
    await transport.close();
  }
}

export async function openTransport(
  { settings }: SendRequest,
  { route, baseUrl, key, rateStore }: Destination,
): Promise<HttpTransport> {
  // undici is a third of the program, and only sending needs it.
  const { HttpTransport } = await import('../deliver/http.ts');
  const { concurrency: connections, timeout: timeoutMs } = settings;
  return new HttpTransport({
    ...route,
    baseUrl,
    key,
    agent: userAgent,
    connections,
    timeoutMs,
    onClose: () => rateStore?.close(),
  });
}

export function deliverySettings(
  { settings }: SendRequest,
  { rateStore, rateLimit }: Destination,
  longestOutageMs: number,
): UploadJob['delivery'] {
  const { concurrency, rate, retries, maxWait, timeout, retryMaxTime, onUnknown, isolate, canary } = settings;
  return {
    concurrency,
    rate,
    rateStore,
    rateLimit,
    retries,
    maxWaitMs: maxWait,
    timeoutMs: timeout,
    retryMaxTimeMs: retryMaxTime ?? longestOutageMs,
    resendUnknown: onUnknown === 'resend',
    isolate,
    canary,
  };
}
