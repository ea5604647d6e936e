/** The way to the service, from the options and settings about TLS, proxies and addresses. */
import { proxyFor, type Route } from '../../deliver/route.ts';
import { isLoopback } from '../../lib/loopback.ts';
import { printable } from '../../lib/printable.ts';
import { ProblemError } from '../../model/problem.ts';
import { assertProxyVariables } from '../../settings/proxy.ts';
import type { Settings } from '../../settings/setting-table.ts';
import type { Resolve } from './options.ts';
import { readTlsFiles } from './tls-files.ts';

/**
 * @param env {} if it must not be read
 * @throws ProblemError those of {@link readTlsFiles}, `setting.proxy` for a variable that names no HTTP proxy, `option.resolve` for another host than
 *   that of the base URL
 */
export function routeTo(
  baseUrl: string,
  { settings, resolve }: { readonly settings: Settings; readonly resolve?: Resolve | undefined },
  env: NodeJS.ProcessEnv,
): Route {
  const base = new URL(baseUrl);
  const tls = readTlsFiles(settings);
  if (!isLoopback(base.hostname)) assertProxyVariables(env);
  if (resolve === undefined) return { tls, ...proxyFor(base, env, settings.proxy) };
  const host = `${base.hostname}:${base.port || (base.protocol === 'https:' ? 443 : 80)}`;
  if (resolve.host === host) return { tls, address: resolve.address };
  throw new ProblemError({
    code: 'option.resolve',
    message: `--resolve names ${printable(resolve.host)}, but the base URL is for ${printable(host)}.`,
    hint: `Pass --resolve ${printable(host)}:${resolve.address}.`,
  });
}
