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
import type { SettingsInput } from '../../settings/resolve-settings.ts';
import { createPrompts } from '../../terminal/prompts.ts';
import type { Context } from './command.ts';
import type { Repeated } from './suggest.ts';

export interface Destination {
  readonly baseUrl: string;
  readonly key: string;
  readonly sandbox: boolean;
  readonly warnings: readonly Problem[];
  close(): Promise<void>;
}

/**
 * Starts a sandbox, or finds the key of the service; on a terminal, prompts for a missing key.
 *
 * @throws ProblemError `settings.base_url`, `settings.key` if one is missing
 */
export async function openDestination(
  context: Context,
  suggest: Suggest,
  { sandbox, baseUrl }: { readonly sandbox: boolean; readonly baseUrl: string | undefined },
  given: SettingsInput,
): Promise<Destination> {
  if (sandbox) {
    const { startSandbox } = await import('../../sandbox/index.ts');
    const server = await startSandbox({ key: randomBytes(16).toString('hex'), keepRecords: false });
    return { baseUrl: server.url, key: server.key, sandbox, close: server.close, warnings: [] };
  }
  if (baseUrl === undefined) throw noBaseUrl(suggest);
  if (!isLoopback(new URL(baseUrl).hostname)) assertProxyVariables(context.env);
  const { key, warnings } = await resolveKey(given);
  return {
    baseUrl,
    key: key ?? (await askKey(context, suggest, baseUrl)),
    sandbox,
    close: async () => undefined,
    warnings,
  };
}

async function askKey(context: Context, suggest: Suggest, baseUrl: string): Promise<string> {
  if (!context.streams.interactive) {
    throw new ProblemError({
      code: 'settings.key',
      message: 'No API key is configured.',
      hint: `Set SIGNALS_API_KEY, pass --api-key-file, or save the key with \`${suggest('config', 'set', 'api_key')}\`.`,
    });
  }
  const given = await createPrompts(context.streams, context.signal).askHidden(
    `API key for ${printable(baseUrl)}`,
    (answer) => {
      const parsed = parseKey(answer);
      return 'issue' in parsed ? `Expected ${parsed.issue.expected}.` : undefined;
    },
  );
  return cleanKey(given, 'The key');
}

/**
 * The base URL for the rest of a run: the one where it began, or that of `--base-url` if the user confirms it.
 *
 * @param configured `--base-url`, parsed
 * @throws ProblemError `resume.elsewhere`
 */
export async function confirmBaseUrl(
  context: Context,
  options: { readonly baseUrl: string | undefined; readonly yes: boolean },
  runFile: RunFile,
  configured: string | undefined,
): Promise<string> {
  const given = options.baseUrl === undefined ? undefined : configured;
  if (given === undefined || given === runFile.baseUrl) return runFile.baseUrl;
  const question = `This run began at ${printable(runFile.baseUrl)}. Continue at ${printable(given)}?`;
  if (context.streams.interactive) {
    const prompts = createPrompts(context.streams, context.signal);
    if (await prompts.confirm(question, { initial: false })) return given;
  } else if (options.yes) return given;
  throw new ProblemError({
    code: 'resume.elsewhere',
    message: `This run began at ${runFile.baseUrl}. It continues at ${given} only if you confirm that.`,
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

export function noBaseUrl(suggest: Suggest): ProblemError {
  return new ProblemError({
    code: 'settings.base_url',
    message: 'No service URL is configured.',
    hint: `Pass --base-url, set SIGNALS_BASE_URL, or save it with \`${suggest('config', 'set', 'base_url', 'URL')}\`. To try without a service, pass --sandbox.`,
  });
}
