/** Starts and stops the sandbox: its socket, timeouts and store. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadDigests } from '../lib/digest.ts';
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
    await listen(server, host, port);
  } catch (error) {
    store.close();
    throw error;
  }

  let closed: Promise<void> | undefined;
  return {
    url: urlOf(server),
    key,
    local: isLoopback(server),
    requests: () => store.requests,
    close: () => {
      closed ??= new Promise((resolve, reject) => {
        handler.stop();
        server.close((error) => {
          store.close();
          if (error === undefined) resolve();
          else reject(error);
        });
        server.closeAllConnections();
      });
      return closed;
    },
  };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (error: Error): void => reject(cannotListen(error, host, port));
    server.once('error', onError);
    try {
      server.listen(port, host, () => {
        server.off('error', onError);
        resolve();
      });
    } catch (error) {
      // A number that is not a port is thrown, not emitted.
      if (!(error instanceof RangeError)) throw error;
      onError(error);
    }
  });
}

function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): ProblemError {
  const why =
    error.code === 'EADDRINUSE'
      ? 'another program uses it'
      : error.code === 'EACCES'
        ? 'permission denied'
        : error.message;
  return new ProblemError({
    code: 'sandbox.port',
    message: `The sandbox cannot listen on ${host}, port ${port}: ${why}.`,
    hint: 'Choose another port from 1024 to 65535, or 0 for any free port.',
  });
}

function isLoopback(server: Server): boolean {
  return /^(?:(?:::ffff:)?127\.|::1$)/.test(addressOf(server).address);
}

/** A server that listens on a port has an address of this shape (node:net, server.address). */
function addressOf(server: Server): AddressInfo {
  return server.address() as AddressInfo;
}

function urlOf(server: Server): string {
  const { address, family, port } = addressOf(server);
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
