/** Where the batches of a run go, and with which key: the configured service, or a sandbox on this machine. */
import { randomBytes } from 'node:crypto';
import type { RunFile } from '../../journal/run-file.ts';
import { isLoopback } from '../../lib/loopback.ts';
import { printable } from '../../lib/printable.ts';
import type { Suggest } from '../../lib/shell.ts';
import { type Problem, ProblemError } from '../../model/problem.ts';
import { cleanKey, resolveKey } from '../../settings/api-key.ts';
import { parseKey } from '../../settings/parse-values.ts';
import { assertProxyVariables } from '../../settings/proxy.ts';
import { createPrompts } from '../../terminal/prompts.ts';
import type { Context } from './command.ts';
import type { Own } from './resources.ts';
import type { SendRequest } from './send-request.ts';
import type { Repeated } from './suggest.ts';

export interface Destination {
  readonly baseUrl: string;
  readonly key: string;
  readonly sandbox: boolean;
  readonly warnings: readonly Problem[];
}

/**
 * Finds the key of the service; on a terminal, prompts for a missing one.
 *
 * @throws ProblemError `settings.key` if it is missing
 */
export async function openService(
  context: Context,
  suggest: Suggest,
  { given }: SendRequest,
  baseUrl: string,
): Promise<Destination> {
  if (!isLoopback(new URL(baseUrl).hostname)) assertProxyVariables(context.env);
  const { key, warnings } = await resolveKey(given);
  return { baseUrl, key: key ?? (await askKey(context, suggest, baseUrl)), sandbox: false, warnings };
}

export async function openSandbox(own: Own): Promise<Destination> {
  const { startSandbox } = await import('../../sandbox/index.ts');
  const options = { key: randomBytes(16).toString('hex'), keepRecords: false };
  const { url, key } = own(await startSandbox(options), (server) => server.close());
  return { baseUrl: url, key, sandbox: true, warnings: [] };
}

/** The destination for the rest of a run: where it began, or at `--base-url` if the user confirms it. */
export async function reopenDestination(
  own: Own,
  context: Context,
  suggest: Suggest,
  request: SendRequest,
  runFile: RunFile,
): Promise<Destination> {
  if (runFile.sandbox) return openSandbox(own);
  return openService(context, suggest, request, await confirmBaseUrl(context, request, runFile));
}

async function askKey(context: Context, suggest: Suggest, baseUrl: string): Promise<string> {
  if (!context.streams.interactive) {
    throw new ProblemError({
      code: 'settings.key',
      message: 'No API key is configured.',
      hint: `Set SIGNALS_API_KEY, pass --api-key-file, or save the key with \`${suggest('config', 'set', 'api_key')}\`.`,
    });
  }
  const prompts = createPrompts(context.streams, context.signal);
  const given = await prompts.askHidden(`API key for ${printable(baseUrl)}`, (answer) => {
    const parsed = parseKey(answer);
    return 'issue' in parsed ? `Expected ${parsed.issue.expected}.` : undefined;
  });
  return cleanKey(given, 'The key');
}

/** @throws ProblemError `resume.elsewhere` */
async function confirmBaseUrl(
  { streams, signal }: Context,
  { settings, origins, yes }: SendRequest,
  runFile: RunFile,
): Promise<string> {
  const { baseUrl } = settings;
  if (origins.base_url !== 'flag' || baseUrl === undefined || baseUrl === runFile.baseUrl) return runFile.baseUrl;
  const question = `This run began at ${printable(runFile.baseUrl)}. Continue at ${printable(baseUrl)}?`;
  if (streams.interactive) {
    if (await createPrompts(streams, signal).confirm(question, { initial: false })) return baseUrl;
  } else if (yes) return baseUrl;
  throw new ProblemError({
    code: 'resume.elsewhere',
    message: `This run began at ${runFile.baseUrl}. It continues at ${baseUrl} only if you confirm that.`,
    hint: 'Leave --base-url out, or add --yes.',
  });
}

/** The options with which an upload sends to the same place. */
export function destinationOptions({ sandbox, baseUrl }: Pick<Destination, 'sandbox' | 'baseUrl'>): Repeated {
  return sandbox ? { sandbox, baseUrl: undefined } : { baseUrl };
}

/** The destination of a resume or a replay, in words. */
export function describeDestination({ sandbox, baseUrl }: Destination): string {
  return sandbox ? 'a new sandbox on this machine' : baseUrl;
}

export function noBaseUrl(suggest: Suggest): Problem {
  return {
    code: 'settings.base_url',
    message: 'No service URL is configured.',
    hint: `Pass --base-url, set SIGNALS_BASE_URL, or save it with \`${suggest('config', 'set', 'base_url', 'URL')}\`. To try without a service, pass --sandbox.`,
  };
}
