/** Where the batches of a run go, and with which key: the service of the settings, or one on this machine. */
import { randomBytes } from 'node:crypto';
import type { RunFile } from '../../journal/run-file.ts';
import { printable } from '../../lib/printable.ts';
import type { Suggest } from '../../lib/shell.ts';
import { type Problem, ProblemError } from '../../model/problem.ts';
import { cleanKey, type resolveKey } from '../../settings/api-key.ts';
import { parseKey } from '../../settings/parse-values.ts';
import { createPrompts } from '../../terminal/prompts.ts';
import type { Context, Options } from './command.ts';
import { text } from './options.ts';
import type { Repeated } from './suggest.ts';

/** Where the batches go. */
export interface Destination {
  readonly baseUrl: string;
  readonly key: string;
  readonly sandbox: boolean;
  readonly warnings: readonly Problem[];
  close(): Promise<void>;
}

/**
 * @param asked `sandbox`: start the service on this machine. Else `baseUrl`, with the key that `findKey` finds or the
 *   user gives.
 * @throws ProblemError `settings.base_url`, `settings.key` where nobody says it and nobody can be asked
 */
export async function openDestination(
  context: Context,
  suggest: Suggest,
  asked: { readonly sandbox: boolean; readonly baseUrl: string | undefined },
  findKey: () => ReturnType<typeof resolveKey>,
): Promise<Destination> {
  if (asked.sandbox) {
    const { startSandbox } = await import('../../sandbox/index.ts');
    const sandbox = await startSandbox({ key: randomBytes(16).toString('hex'), keepRecords: false });
    return { baseUrl: sandbox.url, key: sandbox.key, sandbox: true, close: sandbox.close, warnings: [] };
  }
  const { baseUrl } = asked;
  if (baseUrl === undefined) throw new ProblemError(noBaseUrl(suggest));
  const found = await findKey();
  const key = found.key ?? (await askKey(context, suggest, baseUrl));
  return { baseUrl, key, sandbox: false, close: async () => undefined, warnings: found.warnings };
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
      return 'fault' in parsed ? `Expected ${parsed.fault.expected}.` : undefined;
    },
  );
  return cleanKey(given, 'The key');
}

/** A run goes on where it began. Another address needs to be named, and agreed to. */
export async function destinationOf(
  context: Context,
  options: Options,
  runFile: RunFile,
  configured: string | undefined,
): Promise<string> {
  const given = text(options, 'baseUrl') === undefined ? undefined : configured;
  if (given === undefined || given === runFile.baseUrl) return runFile.baseUrl;
  const question = `This run was begun at ${printable(runFile.baseUrl)}. Go on at ${printable(given)}?`;
  if (context.streams.interactive) {
    if (await createPrompts(context.streams, context.signal).confirm(question, { initial: false }))
      return given;
  } else if (options['yes'] === true) return given;
  throw new ProblemError({
    code: 'resume.elsewhere',
    message: `This run was begun at ${runFile.baseUrl}, and was not asked to go on at ${given}.`,
    hint: 'Leave --base-url out, or add --yes.',
  });
}

/** The options with which an upload sends to the same place. */
export function destinationOptions({ sandbox, baseUrl }: Pick<Destination, 'sandbox' | 'baseUrl'>): Repeated {
  return sandbox ? { sandbox, baseUrl: undefined } : { baseUrl };
}

/** Where what is left of a run goes, in words. */
export function nameOf({ sandbox, baseUrl }: Destination): string {
  return sandbox ? 'a new sandbox on this machine' : baseUrl;
}

export function noBaseUrl(suggest: Suggest): Problem {
  return {
    code: 'settings.base_url',
    message: 'No service URL is configured.',
    hint: `Pass --base-url, set SIGNALS_BASE_URL, or save it with \`${suggest('config', 'set', 'base_url', 'URL')}\`. To try without a service, pass --sandbox.`,
  };
}
