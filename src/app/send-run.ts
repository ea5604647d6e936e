/**
 * Sends the batches of a run, writes summary.json and adds the run to the catalogue. Knows no screen. Commands call it with a
 * progress display (commands/screen/show-run.ts), and programs through the library.
 */
import path from 'node:path';
import type { Claims } from '../claims/index.ts';
import type { HttpTransport } from '../deliver/http.ts';
import { systemClock } from '../deliver/index.ts';
import { readTextFile } from '../journal/file-system.ts';
import type { Lock } from '../journal/lock.ts';
import type { StoredRun } from '../journal/run-file.ts';
import type { RunFolder } from '../journal/run-folder.ts';
import { UNDELIVERED } from '../journal/undelivered.ts';
import type { Suggest } from '../lib/shell.ts';
import { messageOf } from '../lib/text.ts';
import { userAgent } from '../lib/version.ts';
import type { Problem } from '../model/problem.ts';
import type { RunState } from '../model/run-state.ts';
import type { ResumeState, RunJob, UploadDeps, UploadJob } from '../run/job.ts';
import type { RunFiles } from '../run/run-files.ts';
import { executeRun } from '../run/upload-run.ts';
import { catalogueRun } from '../stored-runs/catalogue.ts';
import type { Destination } from './destination.ts';
import { nameOfRun } from './find-run.ts';
import { addToRunList } from './foreign-run.ts';
import { finishClaims, stateProblem } from './run-claims.ts';
import { type ContextParts, type SummarisedRun, summariseRun } from './run-context.ts';
import type { SendRequest } from './send-request.ts';

/** What a run may use of the outside world. */
export interface RunEnvironment extends Pick<UploadDeps, 'readers' | 'signal' | 'onStop'> {
  /** The state folder. Undefined if there is none. */
  readonly state: string | undefined;
  /** Longest outage before the run stops, in milliseconds, if no setting says so. */
  readonly retryMaxTimeMs: number;
  /** Called before work begins that must end in order. */
  readonly onBegin?: (() => void) | undefined;
}

export interface Sending extends StoredRun {
  readonly request: SendRequest;
  readonly job: RunJob;
  readonly prepare: UploadJob['prepare'];
  readonly destination: Destination;
  readonly lock: Lock;
  /** Closed at the end. */
  readonly runFiles: RunFiles;
  readonly resume?: ResumeState;
  /** Their session is open. Absent if the run claims nothing. */
  readonly claims?: Claims | undefined;
  readonly warnings: readonly Problem[];
  readonly suggest: Suggest;
}

export async function sendRun(environment: RunEnvironment, sending: Sending): Promise<SummarisedRun> {
  const { request, folder, file, runFiles, suggest, claims } = sending;
  const { state, signal } = environment;
  environment.onBegin?.();
  const warnings = [...sending.warnings];
  if (state !== undefined) warnings.push(...(await registerRun(state, sending)));
  const runState = await deliver(environment, sending);
  const { keyOrigin } = sending.destination;
  if (runState.stop?.code === 'key' && keyOrigin !== undefined) {
    const how = keyOrigin.includes(' in profile ')
      ? ` To change it: \`${suggest('config', 'set', 'api_key')}\`.`
      : ' Set the right one there.';
    runState.stop = { ...runState.stop, hint: `The key came from ${keyOrigin}.${how}` };
  }
  if (claims !== undefined && !isLost(runState)) warnings.push(...finishClaims(state, claims));
  const exit = { failOn: request.failOn, signal: signal.reason };
  const isReported = sending.resume !== undefined;
  return endRun(runFiles, runState, { folder, file, suggest, warnings, exit, isReported, out: request.settings.out });
}

/** Whether the folder belongs to the process that took over the run, or has another path. */
function isLost({ stop }: RunState): boolean {
  return stop?.code === 'lost' || stop?.code === 'folder';
}

/** What a process does after the last event of a run: tidies the folder, and writes summary.json. */
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
    if (state === 'complete' && rows.exhausted + rows.unknown === 0) await runFiles.dropSpool();
  });
  const isGone = runState.stop?.code === 'folder';
  const name = isGone ? [] : await nameOfRun(given.folder, out);
  const parts = { ...given, name, warnings, isGone };
  const summarised = await summariseRun(runState, parts);
  if (isLost(runState)) return summarised;
  const text = `${JSON.stringify(summarised.summary, null, 2)}\n`;
  const told = warnings.length;
  await attempt('run.summary', `Cannot write ${SUMMARY}`, () => runFiles.write(SUMMARY, text));
  catalogueRun(given, runState);
  return warnings.length === told ? summarised : summariseRun(runState, parts);
}

const SUMMARY = 'summary.json';

/** Whether the process that ended a run was killed before it had tidied the folder. */
export function isUntidy({ path: folder }: RunFolder, { endedAt }: RunState): boolean {
  try {
    return JSON.parse(readTextFile(path.join(folder, SUMMARY)) ?? '{}').endedAt !== endedAt;
  } catch {
    return true;
  }
}

/** @returns a warning if that failed */
async function registerRun(state: string, run: StoredRun): Promise<readonly Problem[]> {
  try {
    await addToRunList(state, run);
    return [];
  } catch (error) {
    return [stateProblem(state, error, 'Cannot add the run to the list of your runs')];
  }
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

/** Closing it also closes the rate store. */
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

/** @param longestOutageMs if no setting says so */
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
