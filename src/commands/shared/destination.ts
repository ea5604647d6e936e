/** Where the batches of a run go, and with which key: the service of the settings, or one on this machine. */
import { randomBytes } from 'node:crypto';
import type { RunFile } from '../../journal/run-file.ts';
import { printable } from '../../lib/printable.ts';
import { type Problem, ProblemError } from '../../model/problem.ts';
import { cleanKey, type resolveKey } from '../../settings/api-key.ts';
import { parseKey } from '../../settings/parse-values.ts';
import { createPrompts } from '../../terminal/prompts.ts';
import type { Context, Options } from './command.ts';
import { text } from './options.ts';

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
  asked: { readonly sandbox: boolean; readonly baseUrl: string | undefined },
  findKey: () => ReturnType<typeof resolveKey>,
): Promise<Destination> {
  if (asked.sandbox) {
    const { startSandbox } = await import('../../sandbox/index.ts');
    const sandbox = await startSandbox({ key: randomBytes(16).toString('hex'), keepRecords: false });
    return { baseUrl: sandbox.url, key: sandbox.key, sandbox: true, close: sandbox.close, warnings: [] };
  }
  const { baseUrl } = asked;
  if (baseUrl === undefined) throw new ProblemError(noBaseUrl(context.invocation));
  const found = await findKey();
  const key = found.key ?? (await askKey(context, baseUrl));
  return { baseUrl, key, sandbox: false, close: async () => undefined, warnings: found.warnings };
}

async function askKey(context: Context, baseUrl: string): Promise<string> {
  if (!context.streams.interactive) {
    throw new ProblemError({
      code: 'settings.key',
      message: 'There is no API key.',
      hint: `Put it into SIGNALS_API_KEY, name a file with --api-key-file, or store it with \`${context.invocation} config set api_key\`.`,
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

/** Where what is left of a run goes, in words. */
export function nameOf({ sandbox, baseUrl }: Destination): string {
  return sandbox ? 'a new sandbox on this machine' : baseUrl;
}

export function noBaseUrl(invocation: string): Problem {
  return {
    code: 'settings.base_url',
    message: 'Nobody has said where the service is.',
    hint: `Name it with --base-url, SIGNALS_BASE_URL or \`${invocation} config set base_url https://…\`; or try it with --sandbox, on this machine alone.`,
  };
}
