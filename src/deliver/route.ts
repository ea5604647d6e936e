/** The way to the service. */
import { isLoopback } from '../lib/loopback.ts';

export interface Route {
  /** Certificates and keys, in PEM. `ca` is trusted besides the CAs of Node.js and of the system. */
  readonly tls?: TlsFiles | undefined;
  /** The URL of an HTTP proxy. */
  readonly proxy?: string | undefined;
  /** Hosts that are reached without the proxy, as in `NO_PROXY`. */
  readonly noProxy?: string | undefined;
  /** `--resolve`: the IP address to connect to, instead of that of the host name. */
  readonly address?: string | undefined;
}

export interface TlsFiles {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/**
 * The proxy for a base URL. Loopback never uses one, whatever the environment says.
 *
 * @param given `--proxy`, instead of the one in the environment
 */
export function proxyFor(base: URL, env: NodeJS.ProcessEnv, given?: string): Pick<Route, 'proxy' | 'noProxy'> {
  if (isLoopback(base.hostname)) return {};
  const find = (name: string): string | undefined => env[name] || env[name.toUpperCase()];
  const proxy = given ?? (base.protocol === 'https:' ? find('https_proxy') : undefined) ?? find('http_proxy');
  return proxy === undefined || proxy === '' ? {} : { proxy, noProxy: find('no_proxy') };
}
