/** The connections to the service: direct, through a proxy, or to another address. Also reads the service's certificate. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { isIPv6, type LookupFunction } from 'node:net';
import * as tls from 'node:tls';
import { type PeerCertificate, TLSSocket } from 'node:tls';
import { type buildConnector, type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import { cut } from '../lib/text.ts';

export interface Route {
  /** Certificates and keys, in PEM. `ca` is trusted besides the CAs of Node.js and of the system. */
  readonly tls?: TlsFiles | undefined;
  /** The URL of an HTTP proxy. */
  readonly proxy?: string | undefined;
  /** Hosts that are reached without the proxy, as in `NO_PROXY`. */
  readonly noProxy?: string | undefined;
  /** `resolve`: the IP address to connect to, instead of that of the host name. */
  readonly address?: string | undefined;
}

export interface TlsFiles {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

interface ConnectionOptions extends Route {
  readonly base: URL;
  /** Maximum requests in flight; each has its own keep-alive connection. */
  readonly connections: number;
  /** For connecting. */
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
    clientFactory: (url, { connect: connector }: { readonly connect: buildConnector.connector }) =>
      new Pool(url, {
        connect: (target, callback) =>
          connector(target, (...[error, socket]) =>
            error === null ? callback(null, socket) : callback(new ProxyConnectError(url.host, error), null),
          ),
      }),
  });
}

/** The proxy, and not the service, could not be reached. */
export class ProxyConnectError extends Error {
  constructor(host: string, { code = 'unknown' }: NodeJS.ErrnoException) {
    super(`${host}: ${code}`);
    Object.assign(this, { code });
  }
}

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

/** Connects on the same route as requests, verifies nothing and sends nothing. Undefined if there is no TLS connection. */
export async function readCertificate(base: URL, route: Route, timeoutMs: number) {
  if (base.protocol !== 'https:') return undefined;
  const dispatcher = createDispatcher({ ...route, base, connections: 1, timeoutMs, insecure: true });
  let certificate: ReturnType<typeof describe> | undefined;
  // undici announces a connection here before it writes a request.
  const onConnected = (message: unknown): void => {
    const { socket, connectParams } = message as Connected;
    if (socket instanceof TLSSocket && connectParams.hostname === base.hostname) certificate ??= describe(socket);
  };
  subscribe('undici:client:connected', onConnected);
  try {
    await new Promise<void>((resolve) => {
      dispatcher.dispatch(
        { origin: base.origin, path: '/', method: 'HEAD' },
        {
          onRequestStart: (controller) => controller.abort(new Error('the certificate is read')),
          onResponseError: () => resolve(),
        },
      );
    });
  } finally {
    unsubscribe('undici:client:connected', onConnected);
    await dispatcher.destroy();
  }
  return certificate;
}

interface Connected {
  readonly socket: unknown;
  readonly connectParams: { readonly hostname: string };
}

/** `validTo`: milliseconds since 1970. */
function describe(socket: TLSSocket) {
  const { subject, issuer, valid_to } = socket.getPeerCertificate();
  return {
    protocol: socket.getProtocol() ?? '',
    subject: nameOf(subject),
    issuer: nameOf(issuer),
    validTo: Date.parse(valid_to),
  };
}

/** In characters. */
const NAME_LIMIT = 100;

function nameOf({ CN, O }: PeerCertificate['subject']): string {
  return cut([CN ?? O ?? 'no name'].flat().join(', '), NAME_LIMIT);
}
