/** The sandbox's own paths, which need no key (docs/sandbox.md, "What arrived"). */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { type Answer, errorAnswer, isAnswer, jsonAnswer, sendAnswer, wrongMethod } from './answer.ts';
import type { Store } from './store.ts';

type Content = Answer | Iterable<string | Buffer>;

interface Route {
  readonly method: 'GET' | 'POST';
  readonly answer: (store: Store) => Content;
}

const ROUTES: ReadonlyMap<string, Route> = new Map<string, Route>([
  [
    '/sandbox/records',
    {
      method: 'GET',
      answer: ({ records }) => records ?? errorAnswer(404, 'not_kept', 'This sandbox does not keep records.'),
    },
  ],
  [
    '/sandbox/requests',
    { method: 'GET', answer: ({ requests }) => requests.map((request) => `${JSON.stringify(request)}\n`) },
  ],
  ['/sandbox/reset', { method: 'POST', answer: reset }],
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
  const route = ROUTES.get(path);
  if (route === undefined) {
    return errorAnswer(404, 'not_found', `Unknown path. The paths are ${[...ROUTES.keys()].join(', ')}.`);
  }
  if (!isLocal(request)) {
    return errorAnswer(403, 'forbidden', 'Only clients on this machine have access.');
  }
  return request.method === route.method ? route.answer(store) : wrongMethod(route.method);
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?$/i;

/**
 * Records are personal data, and web pages can send requests to this machine. A page that reached it by DNS rebinding has its
 * own name in Host, and any other page has its own in Origin.
 */
function isLocal({ socket, headers }: IncomingMessage): boolean {
  const address = socket.remoteAddress ?? '';
  const { host = '', origin } = headers;
  return (
    /^(?:(?:::ffff:)?127\.|::1$)/.test(address) &&
    LOOPBACK.test(host) &&
    (origin === undefined || origin === `http://${host}`)
  );
}

function reset(store: Store): Answer {
  store.clear();
  return jsonAnswer(200, { success: true });
}
