/** Starts and stops the sandbox: its socket, timeouts and store. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadDigests } from '../lib/digest.ts';
import { once as onlyOnce } from '../lib/once.ts';
import { messageOf } from '../lib/text.ts';
import { ProblemError } from '../model/problem.ts';
import { createHandler } from './handler.ts';
import type { LoggedRequest } from './logged-request.ts';
import type { ServiceOptions } from './service.ts';
import { Store, type StoreOptions } from './store.ts';

export interface SandboxOptions extends ServiceOptions, StoreOptions {
  /** Default 127.0.0.1. */
  readonly host?: string | undefined;
  /** Default 0: any free port. */
  readonly port?: number | undefined;
}

export interface Sandbox {
  /** Base URL without a trailing slash. */
  readonly url: string;
  readonly key: string;
  /** Whether only this machine can connect. */
  readonly local: boolean;
  /** In order of arrival. */
  requests(): readonly LoggedRequest[];
  /** Closes every connection, idle or active, then the log. Requests that this interrupts are not logged. */
  close(): Promise<void>;
}

/** Longer than clients keep idle connections, so that the sandbox does not close them first. */
const KEEP_ALIVE_MS = 65_000;
const HEADERS_MS = 30_000;
/** For headers and body of a request. */
const REQUEST_MS = 120_000;

/**
 * Starts the sandbox; resolves when it listens.
 *
 * @throws ProblemError `sandbox.port` if it cannot listen there, `sandbox.log` if the log cannot be opened,
 * `sandbox.state` if the state file cannot be used, `sandbox.key` if the key is not a valid header value
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { key, host = '127.0.0.1', port = 0 } = options;
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new ProblemError({
      code: 'sandbox.key',
      message: 'The key of the sandbox is empty, or has blanks or other characters that a header cannot contain.',
      hint: 'Use letters, digits and hyphens.',
    });
  }
  const { digestOf } = await loadDigests();
  const store = new Store(options);
  const handler = createHandler(options, store, digestOf);
  const server = createServer({ headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS }, handler.handle);
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    store.close();
    throw cannotListen(error, host, port);
  }
  // A server that listens on a port has an address of this shape (node:net, server.address).
  const { address, family, port: actualPort } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${actualPort}`,
    key,
    local: /^(?:(?:::ffff:)?127\.|::1$)/.test(address),
    requests: () => store.requests,
    close: onlyOnce(async () => {
      handler.stop();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
      store.close();
    }),
  };
}

function cannotListen(error: unknown, host: string, port: number): ProblemError {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const why =
    code === 'EADDRINUSE' ? 'another program uses it' : code === 'EACCES' ? 'permission denied' : messageOf(error);
  return new ProblemError({
    code: 'sandbox.port',
    message: `The sandbox cannot listen on ${host}, port ${port}: ${why}.`,
    hint: 'Choose another port from 1024 to 65535, or 0 for any free port.',
  });
}
