/**
 * The sandbox's own paths, which show what arrived. They need no key but accept clients on this machine only.
 *
 * - `GET /`: the page.
 * - `GET /sandbox/records`: every element received, one {@link StoredRecord} per line of NDJSON, in order of arrival.
 *   Filters: `type`, `status`, `n` (request), `batch` (its id), `family`, `account` (domain or name), `icp=true|false`,
 *   `promoted=true|false`, `text` (anywhere in the line), `last=N`.
 * - `GET /sandbox/batches`: number, time, type, id, size and counts of each processed batch, as NDJSON. Filter: `type`.
 * - `GET /sandbox/requests`: every {@link LoggedRequest} as NDJSON, in order of arrival. Filter: `type`.
 * - `GET /sandbox/summary`: the data of the page, as JSON.
 * - `POST /sandbox/reset`: deletes all of it. Request numbers continue, and the log file keeps its lines.
 * - `GET /openapi.json`: the interface as an OpenAPI document, for any client.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { openApi, recordTypes } from '../contract/index.ts';
import type { RecordType } from '../model/record.ts';
import { type Answer, errorAnswer, isAnswer, jsonAnswer, wrongMethod } from './answer.ts';
import type { LoggedRequest } from './logged-request.ts';
import { PAGE } from './page/index.ts';
import type { RecordFilter } from './record-store.ts';
import { send } from './respond.ts';
import type { Store } from './store.ts';

interface Route {
  readonly method: 'GET' | 'POST';
  /** Available to clients on other machines too. */
  readonly isPublic?: true;
  /** Reads the results of records, whose computation may be deferred. */
  readonly readsRecords?: true;
  readonly answer: (
    query: URLSearchParams,
    store: Store,
    request: IncomingMessage,
  ) => Answer | Iterable<string | Buffer>;
}

const ROUTES: ReadonlyMap<string, Route> = new Map<string, Route>([
  ['/', { method: 'GET', answer: () => PAGE }],
  ['/openapi.json', { method: 'GET', isPublic: true, answer: (_query, _store, request) => document(request) }],
  ['/sandbox/records', { method: 'GET', readsRecords: true, answer: records }],
  ['/sandbox/batches', { method: 'GET', answer: (query, store) => requests(query, store, batchLine) }],
  ['/sandbox/requests', { method: 'GET', answer: (query, store) => requests(query, store, (request) => request) }],
  [
    '/sandbox/summary',
    { method: 'GET', readsRecords: true, answer: (_query, store) => jsonAnswer(200, store.summary()) },
  ],
  ['/sandbox/reset', { method: 'POST', answer: reset }],
]);

/**
 * Whether a request is for the sandbox itself, not for the service. For `/` and `/openapi.json` only reads are: a client that
 * posts to them has a wrong base URL.
 */
export function isControl(method: string, path: string): boolean {
  return path.startsWith('/sandbox/') || (ROUTES.has(path) && (method === 'GET' || method === 'HEAD'));
}

/** Answers a request for which {@link isControl} holds. Rejects if the answer cannot be computed. */
export async function control(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  query: URLSearchParams,
  store: Store,
): Promise<void> {
  const route = ROUTES.get(path);
  if (route === undefined) {
    const paths = [...ROUTES.keys()].filter((known) => known.startsWith('/sandbox/')).join(', ');
    send(response, errorAnswer(404, 'not_found', `Unknown path. The paths are ${paths}.`));
  } else if (route.isPublic !== true && !isLocal(request)) {
    send(response, errorAnswer(403, 'forbidden', 'Only clients on this machine have access.'));
  } else if (request.method !== route.method && !(request.method === 'HEAD' && route.method === 'GET')) {
    send(response, wrongMethod([route.method]));
  } else {
    if (route.readsRecords === true) await store.settle();
    const content = route.answer(query, store, request);
    if (isAnswer(content)) {
      send(response, content);
    } else {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      if (request.method === 'HEAD') response.end();
      else Readable.from(content).pipe(response);
    }
  }
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

function records(query: URLSearchParams, store: Store): Answer | Iterable<string | Buffer> {
  const filter = readFilter(query, store);
  if (isAnswer(filter)) return filter;
  return store.records?.lines(filter) ?? errorAnswer(404, 'not_kept', 'This sandbox does not keep records.');
}

const STATUSES = ['accepted', 'deduplicated', 'rejected'] as const;
const NAMES = ['type', 'status', 'n', 'batch', 'family', 'account', 'icp', 'promoted', 'text', 'last'];

function readFilter(query: URLSearchParams, store: Store): RecordFilter | Answer {
  if ([...query.keys()].some((name) => !NAMES.includes(name))) {
    return errorAnswer(400, 'invalid_filter', `Unknown filter. The filters are ${NAMES.join(', ')}.`);
  }
  const type = typeOf(query);
  if (type === 'invalid') return invalidType();
  const status = STATUSES.find((known) => known === query.get('status'));
  const [icp, promoted] = [booleanOf(query, 'icp'), booleanOf(query, 'promoted')];
  const [n, last] = [integerOf(query, 'n'), integerOf(query, 'last')];
  if (status === undefined && query.has('status')) {
    return errorAnswer(400, 'invalid_filter', `The status must be ${STATUSES.join(', ')}.`);
  }
  if (icp === 'invalid' || promoted === 'invalid') {
    return errorAnswer(400, 'invalid_filter', 'icp and promoted must be true or false.');
  }
  if (n === 'invalid' || last === 'invalid') {
    return errorAnswer(400, 'invalid_filter', 'n and last must be whole numbers.');
  }
  const text = (name: string): string | undefined => query.get(name) ?? undefined;
  return {
    type,
    status,
    n: numbersOf(n, text('batch'), store),
    family: text('family'),
    account: text('account')?.toLowerCase(),
    icp,
    promoted,
    text: text('text')?.toLowerCase(),
    last,
  };
}

/** The numbers of the requests that match both `n` and `batch`. */
function numbersOf(n: number | undefined, batch: string | undefined, store: Store): ReadonlySet<number> | undefined {
  if (batch === undefined) return n === undefined ? undefined : new Set([n]);
  const found = store.requests().flatMap((request) => (request.batchId === batch ? [request.n] : []));
  return new Set(found.filter((number) => n === undefined || number === n));
}

function requests(
  query: URLSearchParams,
  store: Store,
  show: (request: LoggedRequest) => object | undefined,
): Answer | Iterable<string> {
  const type = typeOf(query);
  if (type === 'invalid') return invalidType();
  const matching = store.requests().filter((request) => type === undefined || request.type === type);
  return ndjson(matching, show);
}

function batchLine(request: LoggedRequest): object | undefined {
  if (!request.processed) return undefined;
  const { n, time, type, batchId, status, records, bytes } = request;
  const { accepted, deduplicated, rejected, promoted } = request;
  return { n, time, type, batchId, status, records, bytes, accepted, deduplicated, rejected, promoted };
}

function* ndjson<T>(items: readonly T[], show: (item: T) => object | undefined): Generator<string> {
  for (const item of items) {
    const shown = show(item);
    if (shown !== undefined) yield `${JSON.stringify(shown)}\n`;
  }
}

function typeOf(query: URLSearchParams): RecordType | 'invalid' | undefined {
  if (!query.has('type')) return undefined;
  return recordTypes.find((known) => known === query.get('type')) ?? 'invalid';
}

function invalidType(): Answer {
  return errorAnswer(400, 'invalid_type', `The type must be ${recordTypes.join(' or ')}.`);
}

function booleanOf(query: URLSearchParams, name: string): boolean | 'invalid' | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  return text === 'true' ? true : text === 'false' ? false : 'invalid';
}

function integerOf(query: URLSearchParams, name: string): number | 'invalid' | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  return /^\d{1,15}$/.test(text) ? Number(text) : 'invalid';
}
