/**
 * The sandbox: a local mock of the service, built from docs/internals/spec/interface.md by way of `contract/`. It imports `contract`,
 * `model` and `lib` only and shares no code with the uploader, because tests use it to judge the uploader. This file has its socket.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type DigestOf, loadDigests } from '../lib/digest.ts';
import { once as onlyOnce } from '../lib/resources.ts';
import { messageOf } from '../lib/text.ts';
import { ProblemError } from '../model/problem.ts';
import { errorAnswer, sendAnswer } from './answer.ts';
import { control, isControl } from './control.ts';
import { effectOf, respond } from './fault.ts';
import { createService, MAX_BODY, type ServiceOptions, TYPE_BY_PATH } from './service.ts';
import { type LoggedRequest, PATH_LIMIT, Store, type StoreOptions } from './store.ts';

export { createFaults, faultForms, type InjectedFault, parseFault } from './fault.ts';
export { VARIANTS } from './ingest.ts';

export interface SandboxServerOptions extends ServiceOptions, StoreOptions {
  /** Default 0: any free port. */
  readonly port?: number | undefined;
}

export interface Sandbox {
  /** Base URL without a trailing slash. */
  readonly url: string;
  readonly key: string;
  requests(): readonly LoggedRequest[];
  /** Closes every connection, idle or active. Requests that this interrupts are not logged. */
  close(): Promise<void>;
}

/** Only this machine can connect. */
const LOOPBACK = '127.0.0.1';

/** Longer than clients keep idle connections, so that the sandbox does not close them first. */
const KEEP_ALIVE_MS = 65_000;
const HEADERS_MS = 30_000;

const REQUEST_MS = 120_000;

/**
 * Starts the sandbox; resolves when it listens.
 *
 * @throws ProblemError `sandbox.port` if it cannot listen there
 */
export async function startSandbox(options: SandboxServerOptions): Promise<Sandbox> {
  const { key, port = 0 } = options;
  const { digestOf } = await loadDigests();
  const store = new Store(options);
  const server = createServer({ headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS });
  // Once it is closed, nothing is logged or answered: the connections are about to be closed.
  server.on(
    'request',
    createHandler(options, store, digestOf, () => server.listening),
  );
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  try {
    server.listen(port, LOOPBACK);
    await once(server, 'listening');
  } catch (error) {
    throw new ProblemError({
      code: 'sandbox.port',
      message: `The sandbox cannot listen on port ${port}: ${messageOf(error)}.`,
      hint: 'Choose another port from 1024 to 65535, or 0 for any free port.',
    });
  }
  // A server that listens on a port has an address of this shape (node:net, server.address).
  const { port: actualPort } = server.address() as AddressInfo;
  return {
    url: `http://${LOOPBACK}:${actualPort}`,
    key,
    requests: () => store.requests,
    close: onlyOnce(async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    }),
  };
}

function createHandler(
  options: ServiceOptions,
  store: Store,
  digestOf: DigestOf,
  isOpen: () => boolean,
): (request: IncomingMessage, response: ServerResponse) => void {
  const service = createService(options, store);
  let lastNumber = 0;

  const serve = async (
    request: IncomingMessage,
    response: ServerResponse,
    arrival: Pick<LoggedRequest, 'n' | 'time' | 'at' | 'method' | 'path' | 'type'>,
  ): Promise<void> => {
    const { isComplete, body, bytes } = await readBody(request);
    if (!isOpen()) return;
    if (!isComplete) {
      store.add({ ...arrival, status: null, records: 0, bytes, processed: false }, []);
      return;
    }
    const { n, method, type } = arrival;
    const served = service({ n, method, type, headers: request.headers, body });
    const { answer, fault } = served;
    const effect = fault && effectOf(fault);
    const logged: LoggedRequest = {
      ...arrival,
      status: effect?.isAnswered === false ? null : answer.status,
      bytes,
      ...served.logged,
      digest: body && digestOf(body),
      fault: effect?.kind,
    };
    store.add(logged, served.records);
    respond(response, answer, fault);
  };

  return (request, response) => {
    const method = request.method ?? '';
    // RFC 9112, 3.2.2: a server also accepts an absolute URL, which clients send to proxies.
    const target = request.url?.replace(/^https?:\/\/[^/?#]*(?=\/)/i, '') ?? '';
    const [path = ''] = target.split('?', 1);
    const isForSandbox = isControl(path);
    if (isForSandbox) request.resume();
    const handled = isForSandbox
      ? control(request, response, path, store)
      : serve(request, response, {
          n: ++lastNumber,
          time: new Date().toISOString(),
          at: performance.now(),
          method,
          path: path.slice(0, PATH_LIMIT),
          type: TYPE_BY_PATH.get(path),
        });
    handled.catch((error: unknown) => {
      sendAnswer(response, errorAnswer(500, 'internal', `The sandbox failed: ${messageOf(error)}.`));
    });
  };
}

interface ReceivedBody {
  /** Whether the client sent all of it. */
  readonly isComplete: boolean;
  /** Undefined if it is incomplete or larger than the limit. */
  readonly body?: Buffer;
  readonly bytes: number;
}

/** The body of a request, unless it is too large: the rest is read and discarded. Never rejects. */
function readBody(request: IncomingMessage): Promise<ReceivedBody> {
  return new Promise((resolve) => {
    let chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MAX_BODY) chunks.push(chunk);
      else chunks = [];
    });
    request.once('end', () => {
      resolve({ isComplete: true, bytes, ...(bytes <= MAX_BODY && { body: Buffer.concat(chunks) }) });
    });
    // 'close' also follows 'end'; the promise is then resolved already.
    request.once('close', () => resolve({ isComplete: false, bytes }));
  });
}

export { countRequests, type LoggedRequest } from './store.ts';
