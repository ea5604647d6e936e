/** Where the batches of a run go, and with which key: the configured service, or a sandbox on this machine. */
import { randomBytes, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { Route, TlsFiles } from '../deliver/dispatcher.ts';
import type { RateStore } from '../deliver/index.ts';
import { RateLimit } from '../deliver/rate-limit.ts';
import { printable } from '../lib/printable.ts';
import type { Adopt } from '../lib/resources.ts';
import type { Suggest } from '../lib/shell.ts';
import { messageOf } from '../lib/text.ts';
import { isLoopback } from '../lib/url.ts';
import { type Problem, ProblemError } from '../model/problem.ts';
import { cleanKey, resolveKey } from '../options/api-key.ts';
import type { Settings } from '../options/option-table.ts';
import { checkOf, parseKey, parseProxy } from '../options/parse-values.ts';
import type { Surroundings } from './context.ts';
import { confirmBaseUrl } from './foreign-run.ts';
import type { OpenedRun, ReopenedRun } from './open-run.ts';
import type { SendRequest } from './plan-request.ts';

export interface Destination {
  readonly baseUrl: string;
  readonly key: string;
  /** Where the key came from, if the service refuses it. Undefined for the sandbox. */
  readonly keyHint?: string | undefined;
  readonly route: Route;
  /** Connects when the first request is about to leave. */
  readonly rateStore?: RateStore | undefined;
  readonly rateLimit?: RateLimit | undefined;
  readonly sandbox: boolean;
  readonly warnings: readonly Problem[];
}

/** @throws ProblemError `settings.key` if no key is found, and those of {@link routeTo} and {@link openSharedRate} */
export async function openService(
  context: Surroundings,
  suggest: Suggest,
  request: SendRequest,
  baseUrl: string,
): Promise<Destination> {
  const route = routeTo(baseUrl, request, context.env);
  const { key: found, origin, warnings } = await resolveKey(request.given);
  const key = found ?? (await askKey(context, suggest, baseUrl));
  const how = origin?.includes(' in profile ')
    ? `To change it: \`${suggest('config', 'set', 'api_key')}\`.`
    : 'Set the right one there.';
  const keyHint =
    origin === undefined ? 'You typed the key. `resume` asks for it again.' : `The key came from ${origin}. ${how}`;
  const rateStore = await openSharedRate(request.settings, baseUrl, key);
  const rateLimit = limitOf(context, request.settings, baseUrl);
  return { baseUrl, key, keyHint, route, rateStore, rateLimit, warnings, sandbox: false };
}

function limitOf({ rateLimits }: Surroundings, { rate }: Settings, baseUrl: string): RateLimit | undefined {
  if (rateLimits === undefined || rate === undefined) return undefined;
  const key = `${baseUrl} ${rate.count}/${rate.perMs}`;
  const limit = rateLimits.get(key) ?? new RateLimit(rate);
  rateLimits.set(key, limit);
  return limit;
}

export async function openSandbox(adopt: Adopt): Promise<Destination> {
  const { startSandbox } = await import('../sandbox/index.ts');
  const options = { key: randomBytes(16).toString('hex'), keepRecords: false };
  const { url, key } = adopt(await startSandbox(options), (server) => server.close());
  return { baseUrl: url, key, route: {}, sandbox: true, warnings: [] };
}

export async function reopenDestination(
  adopt: Adopt,
  context: Surroundings,
  run: OpenedRun<ReopenedRun>,
): Promise<Destination> {
  if (run.file.sandbox) return openSandbox(adopt);
  return openService(context, run.suggest, run.request, await confirmBaseUrl(context, run));
}

async function askKey({ prompts }: Surroundings, suggest: Suggest, baseUrl: string): Promise<string> {
  if (prompts === undefined) {
    throw new ProblemError({
      code: 'settings.key',
      message: 'No API key is configured.',
      hint: `Set SIGNALS_API_KEY, pass --api-key-file, or save the key with \`${suggest('config', 'set', 'api_key')}\`.`,
    });
  }
  const given = await prompts.askHidden(`API key for ${printable(baseUrl)}`, checkOf(parseKey));
  return cleanKey(given, 'The key');
}

/** @throws ProblemError those of the TLS files, `setting.proxy`, `option.resolve` for another host than that of the base URL */
export function routeTo(baseUrl: string, { settings }: { readonly settings: Settings }, env: NodeJS.ProcessEnv): Route {
  const { resolve } = settings;
  const base = new URL(baseUrl);
  const tls = readTlsFiles(settings);
  if (resolve === undefined) return { tls, ...proxyFor(base, env, settings.proxy) };
  const host = `${base.hostname}:${base.port || (base.protocol === 'https:' ? 443 : 80)}`;
  if (resolve.host === host) return { tls, address: resolve.address };
  throw new ProblemError({
    code: 'option.resolve',
    message: `The setting resolve names ${printable(resolve.host)}, but the base URL is for ${printable(host)}.`,
    hint: `Pass --setting resolve=${printable(host)}:${resolve.address}.`,
  });
}

/** Loopback never uses a proxy. @throws ProblemError `setting.proxy` for an address that is not an HTTP proxy */
function proxyFor(base: URL, env: NodeJS.ProcessEnv, given?: string): Pick<Route, 'proxy' | 'noProxy'> {
  if (isLoopback(base.hostname)) return {};
  const find = (name: string): string | undefined => env[name] || env[name.toUpperCase()];
  const proxy = given ?? (base.protocol === 'https:' ? find('https_proxy') : undefined) ?? find('http_proxy');
  if (proxy === undefined || proxy === '') return {};
  if ('value' in parseProxy(proxy)) return { proxy, noProxy: find('no_proxy') };
  throw new ProblemError({
    code: 'setting.proxy',
    // The value is not shown, because it may contain a password.
    message: 'HTTPS_PROXY or HTTP_PROXY is not the address of an HTTP proxy. Nothing was sent.',
    hint: 'Expected an address such as http://user:password@proxy.example:3128. To bypass the proxy, unset the variable or add the host to NO_PROXY.',
  });
}

/** @throws ProblemError `option.ca_file`, `option.client_cert`, `option.client_key` */
function readTlsFiles({ caFile, clientCert, clientKey }: Settings): TlsFiles {
  const ca = readPem('ca_file', caFile, (text) => new X509Certificate(text));
  const cert = readPem('client_cert', clientCert, (text) => new X509Certificate(text));
  const key = readPem('client_key', clientKey, (text) => createSecureContext({ key: text, cert }));
  if ((cert === undefined) !== (key === undefined)) {
    const [given, other] = key === undefined ? ['client_cert', 'client_key'] : ['client_key', 'client_cert'];
    throw new ProblemError({
      code: `option.${given}`,
      message: `The setting ${given} needs ${other}: a client certificate is used with its private key.`,
    });
  }
  return { ca, cert, key };
}

function readPem(name: string, path: string | undefined, check: (text: string) => unknown): string | undefined {
  if (path === undefined) return undefined;
  try {
    const text = readFileSync(path, 'utf8');
    check(text);
    return text;
  } catch (error) {
    throw new ProblemError({
      code: `option.${name}`,
      message: `The file of the setting ${name} cannot be used: ${messageOf(error)}.`,
      where: path,
      hint: 'Name a readable file in PEM format. A private key must not be encrypted.',
    });
  }
}

/** @throws ProblemError `settings.rate_store_client` if the client of the store is not installed */
export async function openSharedRate(
  { rateStore: url }: Settings,
  baseUrl: string,
  key: string,
): Promise<RateStore | undefined> {
  if (url === undefined) return undefined;
  const { openRateStore } = await import('../deliver/redis-rate-store.ts');
  return openRateStore({ url, baseUrl, key });
}
