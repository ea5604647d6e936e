/** A forward proxy on loopback that leads every host name to one service. It records what it was asked. */
import { createServer, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { listen } from './listen.ts';

export interface Proxy {
  readonly url: string;
  /** One entry for each CONNECT: the host and port asked for. */
  readonly connects: readonly string[];
}

/**
 * @param answer status line for CONNECT: 200 opens the tunnel; any other refuses
 * @param credentials `user:password` that the proxy requires; it answers 407 without them
 */
export async function startProxy(
  serviceUrl: string,
  { answer = '200 OK', credentials }: { readonly answer?: string; readonly credentials?: string } = {},
): Promise<Proxy> {
  const { port } = new URL(serviceUrl);
  const connects: string[] = [];
  const server = createServer((_request, response) => response.writeHead(400).end());
  server.on('connect', (request: IncomingMessage, client) => {
    connects.push(request.url ?? '');
    client.on('error', () => client.destroy());
    const status = isAllowed(request, credentials) ? answer : '407 Proxy Authentication Required';
    if (!status.startsWith('200')) {
      client.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const tunnel = connect(Number(port), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      client.pipe(tunnel).pipe(client);
    });
    tunnel.on('error', () => client.destroy());
    client.on('close', () => tunnel.destroy());
  });
  return { url: `http://127.0.0.1:${await listen(server)}`, connects };
}

function isAllowed(request: IncomingMessage, credentials: string | undefined): boolean {
  const expected = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`;
  return expected === undefined || request.headers['proxy-authorization'] === expected;
}
