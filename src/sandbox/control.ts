/** The sandbox's own paths, which need no key (docs/sandbox.md, "What arrived"). */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { type Answer, errorAnswer, isAnswer, jsonAnswer, sendAnswer, wrongMethod } from './answer.ts';
import type { Store } from './store.ts';

type Content = Answer | Iterable<string | Buffer>;

type Route = readonly [method: 'GET' | 'POST', answer: (store: Store) => Content];

const ROUTES: ReadonlyMap<string, Route> = new Map<string, Route>([
  ['/sandbox/records', ['GET', ({ records }) => records ?? NO_RECORDS]],
  ['/sandbox/requests', ['GET', ({ requests }) => requests.map((request) => `${JSON.stringify(request)}\n`)]],
  ['/sandbox/reset', ['POST', reset]],
]);

const NO_RECORDS = errorAnswer(404, 'not_kept', 'This sandbox does not keep records.');

function reset(store: Store): Answer {
  store.clear();
  return jsonAnswer(200, { success: true });
}

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
  const route = ROUTES.get(path);
  if (route === undefined) {
    return errorAnswer(404, 'not_found', `Unknown path. The paths are ${[...ROUTES.keys()].join(', ')}.`);
  }
  if (!isLocal(request)) return errorAnswer(403, 'forbidden', 'Only clients on this machine have access.');
  const [method, answer] = route;
  return request.method === method ? answer(store) : wrongMethod(method);
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?$/i;

/**
 * Records are personal data. The server listens on loopback alone, but web pages can send requests to this machine. A page that
 * reached it by DNS rebinding has its own name in Host, and any other page has its own in Origin.
 */
function isLocal({ headers: { host = '', origin } }: IncomingMessage): boolean {
  return LOOPBACK.test(host) && (origin === undefined || origin === `http://${host}`);
}
