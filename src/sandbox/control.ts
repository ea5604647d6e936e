/** The sandbox's own paths, which need no key (docs/sandbox.md, "What arrived"). */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { type Answer, errorAnswer, isAnswer, jsonAnswer, sendAnswer, wrongMethod } from './answer.ts';
import type { Store } from './store.ts';

type Content = Answer | Iterable<string | Buffer>;

const METHODS: ReadonlyMap<string, 'GET' | 'POST'> = new Map([
  ['/sandbox/records', 'GET'],
  ['/sandbox/requests', 'GET'],
  ['/sandbox/reset', 'POST'],
]);

/** Whether a request is for the sandbox itself, not for the service. */
export function isControl(path: string): boolean {
  return path.startsWith('/sandbox/');
}

/** Answers a request for which {@link isControl} holds. Rejects if the answer cannot be computed. */
export async function control(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  store: Store,
): Promise<void> {
  const content = contentOf(request, path, store);
  if (isAnswer(content)) {
    sendAnswer(response, content);
    return;
  }
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  Readable.from(content).pipe(response);
}

function contentOf(request: IncomingMessage, path: string, store: Store): Content {
  const method = METHODS.get(path);
  if (method === undefined) {
    return errorAnswer(404, 'not_found', `Unknown path. The paths are ${[...METHODS.keys()].join(', ')}.`);
  }
  if (!isLocal(request)) return errorAnswer(403, 'forbidden', 'Only clients on this machine have access.');
  if (request.method !== method) return wrongMethod(method);
  if (path === '/sandbox/records') {
    return store.records ?? errorAnswer(404, 'not_kept', 'This sandbox does not keep records.');
  }
  if (path === '/sandbox/requests') return store.requests.map((logged) => `${JSON.stringify(logged)}\n`);
  store.clear();
  return jsonAnswer(200, { success: true });
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?$/i;

/**
 * Records are personal data. The server listens on loopback alone, but web pages can send requests to this machine. A page that reached it by DNS rebinding has its
 * own name in Host, and any other page has its own in Origin.
 */
function isLocal({ headers: { host = '', origin } }: IncomingMessage): boolean {
  return LOOPBACK.test(host) && (origin === undefined || origin === `http://${host}`);
}
