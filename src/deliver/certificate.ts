/** Reads the TLS certificate of a service, to explain why it is not accepted, and for `signals doctor`. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type PeerCertificate, TLSSocket } from 'node:tls';
import { cut } from '../lib/text.ts';
import type { ServiceCertificate } from '../model/outcome.ts';
import { createDispatcher } from './dispatcher.ts';
import type { Route } from './route.ts';

/**
 * Connects on the same route as requests, and sends nothing. Resolves to undefined if there is no TLS connection. The
 * certificate is not verified here: requests are.
 *
 * @param timeoutMs for connecting
 */
export async function readCertificate(
  base: URL,
  route: Route,
  timeoutMs: number,
): Promise<ServiceCertificate | undefined> {
  if (base.protocol !== 'https:') return undefined;
  const dispatcher = createDispatcher({ ...route, base, connections: 1, timeoutMs, insecure: true });
  let certificate: ServiceCertificate | undefined;
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

function describe(socket: TLSSocket): ServiceCertificate {
  const { subject, issuer, valid_from, valid_to } = socket.getPeerCertificate();
  return {
    protocol: socket.getProtocol() ?? '',
    subject: nameOf(subject),
    issuer: nameOf(issuer),
    validFrom: Date.parse(valid_from),
    validTo: Date.parse(valid_to),
  };
}

/** Maximum length of a name in a message, in characters. */
const NAME_LIMIT = 100;

function nameOf({ CN, O }: PeerCertificate['subject']): string {
  return cut([CN ?? O ?? 'no name'].flat().join(', '), NAME_LIMIT);
}
