/**
 * The library: the runs of the command line without a screen. Nothing is printed, no process signal is handled, and no
 * environment variable, profile or prompt is read.
 */
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { checkPlan } from '../app/check-plan.ts';
import { openSharedRate, routeTo } from '../app/destination.ts';
import { planRequest, resolveRequest } from '../app/plan-request.ts';
import { assertRunName } from '../app/run-id.ts';
import { uploadPlan } from '../app/send-run.ts';
import { type Adopt, withResources } from '../lib/resources.ts';
import { shellOn } from '../lib/shell.ts';
import { parseMapping } from '../map/index.ts';
import type { RunEvent } from '../model/event.ts';
import { ProblemError } from '../model/problem.ts';
import type { CheckSummary, Summary } from '../model/summary.ts';
import { cleanKey } from '../options/api-key.ts';
import { optionTable } from '../options/option-table.ts';
import { createSuggest } from '../options/suggest.ts';
import { closePlan, planRun } from '../plan/index.ts';
import type { Sandbox } from '../sandbox/index.ts';
import { type CheckOptions, readOptions, type SandboxOptions, streamOf, type UploadOptions } from './options.ts';

export type { FieldMapping } from '../map/document-schema.ts';
export type { RunEvent } from '../model/event.ts';
export { type Problem, ProblemError } from '../model/problem.ts';
export type { CheckSummary, Summary } from '../model/summary.ts';
export type { LoggedRequest, Sandbox } from '../sandbox/index.ts';
export type { CheckOptions, Input, Mapping, SandboxOptions, SourceRow, UploadOptions } from './options.ts';

/**
 * Sends rows to the service. Resolves to the object that `signals upload --json` prints, also if the service failed or
 * `signal` ended the run: `exitCode`, `state`, `stop` and `rows` say what happened. `next` is the command that continues.
 *
 * @throws {ProblemError} before anything is sent, if options, mapping or input are not valid
 */
export async function upload(options: UploadOptions): Promise<Summary> {
  return withResources(async (adopt) => {
    const { apiKey, ...others } = options;
    const { request, given, plan, environment, suggest } = await planInput(adopt, 'upload', others);
    const { baseUrl } = request.settings;
    if (baseUrl === undefined) {
      throw new ProblemError({ code: 'settings.base_url', message: 'No service URL is given.', hint: 'Pass baseUrl.' });
    }
    // Without types, it may be a variable that is not set.
    const key = cleanKey(typeof apiKey === 'string' ? apiKey : '', 'apiKey');
    if (given.runId !== undefined) assertRunName(given.runId);
    options.signal?.throwIfAborted();
    const route = routeTo(baseUrl, request, {});
    const rateStore = await openSharedRate(request.settings, baseUrl, key);
    const { summary } = await uploadPlan(adopt, environment, plan, {
      request,
      suggest,
      options: given,
      warnings: [],
      destination: { baseUrl, key, route, rateStore, sandbox: false, warnings: [] },
    });
    return summary;
  });
}

/**
 * Reads, maps and validates rows like {@link upload}, and sends nothing. Resolves to the object that
 * `signals check --json` prints.
 *
 * @throws {ProblemError} if options, mapping or input are not valid
 */
export async function check(options: CheckOptions): Promise<CheckSummary> {
  return withResources(async (adopt) => {
    const { request, given, plan, environment } = await planInput(adopt, 'check', options);
    const { summary } = await checkPlan(adopt, environment, plan, { request, options: given });
    return summary;
  });
}

/** Starts a local mock of the service, for tests. Close it at the end. */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { startSandbox, createFaults, parseFault } = await import('../sandbox/index.ts');
  const { key = `sandbox-${randomBytes(12).toString('hex')}`, port, faults = [], seed = 1 } = options;
  return startSandbox({ key, port, injectFault: createFaults(faults.map(parseFault), seed) });
}

async function planInput(adopt: Adopt, command: 'upload' | 'check', options: CheckOptions) {
  const { input, name = 'rows', mapping, state, signal, onEvent, ...others } = options;
  const { given, typed } = readOptions(others, optionTable);
  const map = typeof mapping === 'string' ? mapping : undefined;
  const context = { invocation: 'signals', shell: shellOn(process.platform) };
  const suggest = createSuggest(context, given);
  const request = await resolveRequest(context, given);
  const { settings } = request;
  const paths = typeof input === 'string' ? [input] : isPaths(input) ? input : undefined;
  const planning = {
    ...planRequest(
      { streams: { err: () => undefined }, argv: [command], typed },
      paths ?? ['-'],
      { ...given, map, transform: undefined },
      { settings, suggest },
    ),
    stdinName: name,
    mapping: typeof mapping === 'object' ? parseMapping(JSON.stringify(mapping), 'mapping') : undefined,
  };
  const rows = input instanceof Uint8Array ? [input] : input;
  const plan = adopt(await planRun(planning, streamOf(paths === undefined ? rows : [])), closePlan);
  const environment = {
    signal: signal ?? new AbortController().signal,
    state: state ?? path.join(settings.out, '.state'),
    readers: onEvent === undefined ? [] : [(event: RunEvent) => onEvent(event)],
    retryMaxTimeMs: 1_800_000,
  };
  return { request, given, plan, environment, suggest };
}

function isPaths(input: Exclude<CheckOptions['input'], string>): input is readonly string[] {
  return Array.isArray(input) && input.length > 0 && input.every((one) => typeof one === 'string');
}
