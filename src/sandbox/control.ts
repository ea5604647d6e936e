/**
 * The sandbox's own paths, which show what arrived (docs/sandbox.md, "What arrived"), and the page at `/`, which has no script:
 * the browser loads it again. They need no key but accept clients on this machine only.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { openApi, recordTypes } from '../contract/index.ts';
import { PAGE_STYLE, pagePolicy } from '../lib/page.ts';
import { escapeHtml } from '../lib/text.ts';
import type { RecordType } from '../model/record.ts';
import { type Answer, errorAnswer, isAnswer, jsonAnswer, sendAnswer, wrongMethod } from './answer.ts';
import { countRequests, type LoggedRequest, STATUSES, type Store } from './store.ts';

type Content = Answer | Iterable<string | Buffer>;

interface Route {
  readonly method: 'GET' | 'POST';
  /** Available to clients on other machines too. */
  readonly isPublic?: true;
  readonly answer: (query: URLSearchParams, store: Store, request: IncomingMessage) => Content;
}

const ROUTES: ReadonlyMap<string, Route> = new Map<string, Route>([
  ['/', { method: 'GET', answer: (_query, store) => pageOf(store.requests) }],
  ['/openapi.json', { method: 'GET', isPublic: true, answer: (_query, _store, request) => document(request) }],
  ['/sandbox/records', { method: 'GET', answer: records }],
  ['/sandbox/requests', { method: 'GET', answer: (_query, store) => requests(store) }],
  ['/sandbox/reset', { method: 'POST', answer: reset }],
]);

/**
 * Whether a request is for the sandbox itself, not for the service. For `/` and `/openapi.json` only reads are: a client that
 * posts to them has a wrong base URL.
 */
export function isControl(method: string, path: string): boolean {
  return path.startsWith('/sandbox/') || (ROUTES.has(path) && (method === 'GET' || method === 'HEAD'));
}

interface ControlRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly store: Store;
}

/** Answers a request for which {@link isControl} holds. Rejects if the answer cannot be computed. */
export async function control(
  request: IncomingMessage,
  response: ServerResponse,
  target: ControlRequest,
): Promise<void> {
  const content = contentOf(request, target);
  if (isAnswer(content)) {
    sendAnswer(response, content);
    return;
  }
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  if (request.method === 'HEAD') response.end();
  else Readable.from(content).pipe(response);
}

function contentOf(request: IncomingMessage, { path, query, store }: ControlRequest): Content {
  const route = ROUTES.get(path);
  if (route === undefined) {
    const paths = [...ROUTES.keys()].filter((known) => known.startsWith('/sandbox/')).join(', ');
    return errorAnswer(404, 'not_found', `Unknown path. The paths are ${paths}.`);
  }
  if (route.isPublic !== true && !isLocal(request)) {
    return errorAnswer(403, 'forbidden', 'Only clients on this machine have access.');
  }
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  return method === route.method ? route.answer(query, store, request) : wrongMethod(route.method);
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

function document({ headers: { host = '' } }: IncomingMessage): Answer {
  // The client's address of this server is the service's base URL, unless it is malformed.
  return jsonAnswer(200, openApi(/^[\w.:[\]-]{1,255}$/.test(host) ? `http://${host}` : undefined));
}

function reset(_query: URLSearchParams, store: Store): Answer {
  store.clear();
  return jsonAnswer(200, { success: true });
}

const RECORD_FILTERS = z.strictObject({
  type: z.enum(recordTypes).optional(),
  /** Number of the request. */
  n: z
    .string()
    .regex(/^\d{1,15}$/, 'expected a whole number')
    .transform(Number)
    .optional(),
  status: z.enum(STATUSES).optional(),
});

function records(query: URLSearchParams, store: Store): Content {
  const { data, error } = RECORD_FILTERS.safeParse(Object.fromEntries(query));
  if (data === undefined) {
    const why = error.issues.map(({ path, message }) => [...path, message].join(': ')).join('; ');
    const names = Object.keys(RECORD_FILTERS.shape).join(', ');
    return errorAnswer(400, 'invalid_filter', `${why}. The filters of records are ${names}.`);
  }
  return store.recordLines(data) ?? errorAnswer(404, 'not_kept', 'This sandbox does not keep records.');
}

function requests(store: Store): Iterable<string> {
  return store.requests.map((request) => `${JSON.stringify(request)}\n`);
}

const REFRESH_SECONDS = 2;

/** Maximum number of requests that the page shows. */
const MAX_REQUESTS = 25;

/** @param requests in order of arrival */
function pageOf(requests: readonly LoggedRequest[]): Answer {
  const { signals, social, failed } = countRequests(requests);
  const last = requests.slice(-MAX_REQUESTS).toReversed();
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Signals sandbox</title>
<link rel="icon" href="data:,">
<style>${PAGE_STYLE}</style>
</head>
<body>
<header><h1>Signals sandbox</h1></header>
<main>
<section>
<h2>${requests.length === 0 ? 'Nothing has arrived yet' : 'Results'}</h2>
${table(
  ['', 'batches', 'accepted', 'deduplicated', 'rejected or dropped', 'promoted'],
  [
    ['market signals', signals.batches, signals.accepted, signals.deduplicated, signals.rejected, ''],
    ['social events', social.batches, social.accepted, '', social.rejected, social.promoted],
  ],
)}
<p>Failed requests: ${failed}</p>
</section>
<section>
<h2>Last requests</h2>
${table(['request', 'time', 'what', 'answer', 'result'], last.map(requestCells))}
</section>
<section>
<p>All data: <a href="/sandbox/records">records</a>, <a href="/sandbox/requests">requests</a>,
<a href="/openapi.json">OpenAPI</a></p>
</section>
</main>
</body>
</html>
`;
  return {
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `${pagePolicy(PAGE_STYLE)}; frame-ancestors 'none'`,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      refresh: String(REFRESH_SECONDS),
    },
    body,
  };
}

type Cell = string | number;
const NOUNS: Readonly<Record<RecordType, string>> = { signals: 'signals', social: 'events' };
function requestCells(request: LoggedRequest): readonly Cell[] {
  const { n, time, method, path, type, status, records, fault } = request;
  const counts = (['accepted', 'deduplicated', 'rejected', 'promoted'] as const).flatMap((name) =>
    request[name] ? [`${request[name]} ${name}`] : [],
  );
  return [
    n,
    time.slice(11, 19),
    type === undefined ? `${method} ${path}` : `${records} ${NOUNS[type]}`,
    status ?? 'none',
    [...counts, ...(fault === undefined ? [] : [`injected: ${fault}`])].join(', '),
  ];
}

function table(columns: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const head = columns.map((column) => `<th scope="col">${column}</th>`).join('');
  const body = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${escapeHtml(String(cell))}</td>`).join('')}</tr>`);
  return `<div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>${body.join('\n')}</tbody></table></div>`;
}
