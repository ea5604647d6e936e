/** Starts and ends the sandbox: the socket it listens on, its limits in time, its book. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadDigests } from '../lib/digest.ts';
import { ProblemError } from '../model/problem.ts';
import { createHandler, type HandlerOptions } from './handler.ts';
import type { LoggedRequest } from './logged-request.ts';
import { openStore, type StoreOptions } from './store.ts';

export interface SandboxOptions extends HandlerOptions, StoreOptions {
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: any that is free. */
  readonly port?: number;
}

export interface Sandbox {
  /** Base URL without a slash at its end. */
  readonly url: string;
  readonly key: string;
  /** Whether only this machine can reach it. */
  readonly local: boolean;
  /** What arrived so far, in the order of arrival. */
  requests(): readonly LoggedRequest[];
  /** Ends every connection, idle or active, and then the log. Requests that this cuts off are not logged. */
  close(): Promise<void>;
}

/** Longer than clients keep idle connections, so that it is not the sandbox that hangs up. */
const KEEP_ALIVE_MS = 65_000;
const HEADERS_MS = 30_000;
/** For a whole request, headers and body. */
const REQUEST_MS = 120_000;

/**
 * Starts the service; resolves when it listens.
 *
 * @throws ProblemError `sandbox.port` where it cannot listen there, `sandbox.log` where the log cannot be opened,
 * `sandbox.state` where the state cannot be used, `sandbox.key` where the key cannot stand in a header.
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { key, host = '127.0.0.1', port = 0 } = options;
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new ProblemError({
      code: 'sandbox.key',
      message:
        'The key of the sandbox is empty or has blanks or other characters that cannot stand in a header.',
      hint: 'Use letters, digits and hyphens.',
    });
  }
  const { digestOf } = await loadDigests();
  const book = openStore(options);
  const handler = createHandler(options, book, digestOf);
  const server = createServer({ headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS }, handler.handle);
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  try {
    await listen(server, host, port);
  } catch (error) {
    book.close();
    throw error;
  }

  let closed: Promise<void> | undefined;
  return {
    url: urlOf(server),
    key,
    local: isLoopback(server),
    requests: book.facts,
    close: () => {
      closed ??= new Promise((resolve, reject) => {
        handler.stop();
        server.close((error) => {
          book.close();
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
    const refuse = (error: Error): void => reject(cannotListen(error, host, port));
    server.once('error', refuse);
    try {
      server.listen(port, host, () => {
        server.off('error', refuse);
        resolve();
      });
    } catch (error) {
      // A port that is no port is thrown and not emitted.
      if (!(error instanceof RangeError)) throw error;
      refuse(error);
    }
  });
}

function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): ProblemError {
  const why =
    error.code === 'EADDRINUSE'
      ? 'another program uses it'
      : error.code === 'EACCES'
        ? 'this user may not use it'
        : error.message;
  return new ProblemError({
    code: 'sandbox.port',
    message: `The sandbox cannot listen on port ${port} of ${host}: ${why}.`,
    hint: 'Give another port from 1024 to 65535, or 0 for any that is free.',
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
