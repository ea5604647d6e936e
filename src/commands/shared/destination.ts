/** Where the batches of a run go, and with which key: the configured service, or a sandbox on this machine. */
import { randomBytes } from 'node:crypto';
import type { Route } from '../../deliver/dispatcher.ts';
import type { RateStore } from '../../deliver/index.ts';
import { printable } from '../../lib/printable.ts';
import type { Suggest } from '../../lib/shell.ts';
import { type Problem, ProblemError } from '../../model/problem.ts';
import { cleanKey, resolveKey } from '../../options/api-key.ts';
import { parseKey } from '../../options/parse-values.ts';
import { createPrompts } from '../../terminal/prompts.ts';
import type { Context } from './command.ts';
import { confirmBaseUrl } from './foreign-run.ts';
import { checkOf } from './init-settings.ts';
import type { Own } from './resources.ts';
import { openSharedRate, routeTo } from './route.ts';
import type { ReopenedRun, SendRequest } from './send-request.ts';

export interface Destination {
  readonly baseUrl: string;
  readonly key: string;
  /** Where the key was found. Undefined if the user was asked, and for the sandbox. */
  readonly keyOrigin?: string | undefined;
  readonly rereadKey?: (() => Promise<string | undefined>) | undefined;
  readonly route: Route;
  /** Connects when the first request is about to leave. */
  readonly rateStore?: RateStore | undefined;
  readonly sandbox: boolean;
  readonly warnings: readonly Problem[];
}

/**
 * Finds the key of the service; on a terminal, prompts for a missing one.
 *
 * @throws ProblemError `settings.key` if it is missing, and those of {@link routeTo} and {@link openSharedRate}
 */
export async function openService(
  context: Context,
  suggest: Suggest,
  request: SendRequest,
  baseUrl: string,
): Promise<Destination> {
  const route = routeTo(baseUrl, request, context.env);
  const { key: found, origin: keyOrigin, reread, warnings } = await resolveKey(request.given);
  const key = found ?? (await askKey(context, suggest, baseUrl));
  const rateStore = await openSharedRate(request.settings, baseUrl, key);
  return { baseUrl, key, keyOrigin, route, rateStore, warnings, sandbox: false, rereadKey: reread };
}

export async function openSandbox(own: Own): Promise<Destination> {
  const { startSandbox } = await import('../../sandbox/index.ts');
  const options = { key: randomBytes(16).toString('hex'), keepRecords: false };
  const { url, key } = own(await startSandbox(options), (server) => server.close());
  return { baseUrl: url, key, route: {}, sandbox: true, warnings: [] };
}

/** The destination for the rest of a run. */
export async function reopenDestination(own: Own, context: Context, run: ReopenedRun): Promise<Destination> {
  if (run.runFile.sandbox) return openSandbox(own);
  return openService(context, run.suggest, run.request, await confirmBaseUrl(context, run));
}

async function askKey(context: Context, suggest: Suggest, baseUrl: string): Promise<string> {
  if (!context.streams.interactive) {
    throw new ProblemError({
      code: 'settings.key',
      message: 'No API key is configured.',
      hint: `Set SIGNALS_API_KEY, pass --api-key-file, or save the key with \`${suggest('config', 'set', 'api_key')}\`.`,
    });
  }
  const given = await createPrompts(context).askHidden(`API key for ${printable(baseUrl)}`, checkOf(parseKey));
  return cleanKey(given, 'The key');
}

/** The destination of a resume, in words. */
export function describeDestination({ sandbox, baseUrl }: Destination): string {
  return sandbox ? 'a new sandbox on this machine' : baseUrl;
}
