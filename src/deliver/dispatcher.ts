/** The connections to the service: direct, through a proxy, or to another address; with which TLS certificates. */
import { isIPv6, type LookupFunction } from 'node:net';
import * as tls from 'node:tls';
import { type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import type { Route, TlsFiles } from './route.ts';

interface ConnectionOptions extends Route {
  readonly base: URL;
  /** Maximum requests in flight; each has its own keep-alive connection. */
  readonly connections: number;
  /** For connecting, in milliseconds. */
  readonly timeoutMs: number;
  /** Accepts any certificate: to read it, and to send nothing. */
  readonly insecure?: true;
}

export function createDispatcher({ base, connections, timeoutMs, insecure, ...route }: ConnectionOptions): Dispatcher {
  const { proxy, noProxy = '', address } = route;
  const isTls = base.protocol === 'https:';
  const connect = {
    timeout: timeoutMs,
    ...(isTls && { secureContext: secureContext(route.tls), rejectUnauthorized: insecure !== true }),
    ...(address !== undefined && { lookup: lookupOf(address) }),
  };
  // Exchange has one time-out for the whole attempt.
  const settings = { connections, pipelining: 1, headersTimeout: 0, bodyTimeout: 0, connect };
  if (proxy === undefined) return new Pool(base.origin, settings);
  return new EnvHttpProxyAgent({
    ...settings,
    httpProxy: proxy,
    httpsProxy: proxy,
    noProxy,
    requestTls: connect,
    // A proxy gets no client certificate.
    proxyTls: { ca: trusted(route.tls?.ca) },
  });
}

/** Made once: certificates are parsed for each context, and a connection without one makes its own. */
function secureContext({ ca, cert, key }: TlsFiles = {}): tls.SecureContext {
  return tls.createSecureContext({ ca: trusted(ca), cert, key });
}

/** The CA certificates of Node.js, of the system where Node.js can read them (22.15 or later), and the given one. */
function trusted(ca: string | undefined): string[] | undefined {
  if (hasStores(tls))
    return [...tls.getCACertificates('default'), ...tls.getCACertificates('system'), ...(ca ? [ca] : [])];
  return ca === undefined ? undefined : [...tls.rootCertificates, ca];
}

function hasStores(module: object): module is { getCACertificates(store: 'default' | 'system'): string[] } {
  return 'getCACertificates' in module;
}

function lookupOf(address: string): LookupFunction {
  const family = isIPv6(address) ? 6 : 4;
  return (_name, { all }, callback) => {
    if (all === true) callback(null, [{ address, family }]);
    else callback(null, address, family);
  };
}
