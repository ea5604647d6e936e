/** The way to the service. */
import { isLoopback } from '../lib/loopback.ts';

export interface Route {
  /** Certificates and keys, in PEM. `ca` is trusted besides the CAs of Node.js and of the system. */
  readonly tls?: TlsFiles | undefined;
  /** `--proxy`: the URL of an HTTP proxy, instead of the one in the environment. */
  readonly proxy?: string | undefined;
  /** `--resolve`: the IP address to connect to, instead of that of the host name; without a proxy. */
  readonly address?: string | undefined;
}

export interface TlsFiles {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** Whether no proxy is used. Loopback never uses one, whatever the environment says. */
export function isDirect(base: URL, { proxy, address }: Route, env: NodeJS.ProcessEnv): boolean {
  return isLoopback(base.hostname) || address !== undefined || (proxy === undefined && !namesProxy(env));
}

/** Whether the environment names a proxy. */
function namesProxy(env: NodeJS.ProcessEnv): boolean {
  return ['http_proxy', 'https_proxy'].some((name) => Boolean(env[name] ?? env[name.toUpperCase()]));
}
