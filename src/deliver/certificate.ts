/** Reads the TLS certificate of a service, for `signals doctor`. Sends nothing but the handshake. */
import { connect, type PeerCertificate } from 'node:tls';

export interface ServiceCertificate {
  /** `TLSv1.3`. */
  readonly protocol: string;
  readonly subject: string;
  readonly issuer: string;
  /** Milliseconds since 1970. */
  readonly validTo: number;
}

/**
 * Resolves to undefined if there is no TLS connection. The certificate is not verified here: requests are.
 *
 * @param timeoutMs for the whole handshake
 */
export function readCertificate(
  { hostname, port }: URL,
  tls: { readonly ca?: string[]; readonly cert?: string; readonly key?: string },
  timeoutMs: number,
): Promise<ServiceCertificate | undefined> {
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const servername = /^[\d.:]+$/.test(host) || host.includes(':') ? undefined : host;
    const socket = connect({ ...tls, host, port: Number(port || 443), servername, rejectUnauthorized: false });
    const finish = (certificate?: ServiceCertificate): void => {
      resolve(certificate);
      socket.destroy();
    };
    socket.setTimeout(timeoutMs, finish);
    socket.once('error', () => finish());
    socket.once('secureConnect', () => {
      const certificate = socket.getPeerCertificate();
      finish({
        protocol: socket.getProtocol() ?? '',
        subject: nameOf(certificate.subject),
        issuer: nameOf(certificate.issuer),
        validTo: Date.parse(certificate.valid_to),
      });
    });
  });
}

function nameOf({ CN, O }: PeerCertificate['subject']): string {
  return [CN ?? O ?? 'no name'].flat().join(', ');
}
