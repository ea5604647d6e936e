/**
 * The sandbox's own paths, for whoever wants to see what arrived. They need no key, but a client on this machine.
 *
 * - `GET /`: the page.
 * - `GET /sandbox/records`: every element received as NDJSON, one {@link Entry} a line, in the order of arrival.
 *   Filters: `type`, `status`, `n` (request), `batch` (its id), `family`, `account` (domain or name), `icp=true|false`,
 *   `promoted=true|false`, `text` (anywhere in the line), `last=N`.
 * - `GET /sandbox/batches`: of each batch taken in its number, time, type, id, size and counts as NDJSON. Filter: `type`.
 * - `GET /sandbox/requests`: every {@link LoggedRequest} so far as NDJSON, in the order of arrival. Filter: `type`.
 * - `GET /sandbox/summary`: what the page shows, as JSON.
 * - `POST /sandbox/reset`: forgets all of it. Requests are numbered on, and the log file stays.
 * - `GET /openapi.json`: the interface as an OpenAPI document. Open to any client: nothing in it is anybody's.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { openApi, recordTypes } from '../contract/index.ts';
import type { RecordType } from '../model/record.ts';
import { type Answer, errorAnswer, jsonAnswer, wrongMethod } from './answer.ts';
import type { LoggedRequest } from './logged-request.ts';
import { PAGE } from './page/index.ts';
import type { RecordFilter } from './record-store.ts';
import { send } from './respond.ts';
import type { Store } from './store.ts';

interface Route {
  readonly method: 'GET' | 'POST';
  readonly open?: true;
  /** Whether it shows what became of records, which may have to be worked out first. */
  readonly looks?: true;
  readonly answer: (
    query: URLSearchParams,
    book: Store,
    request: IncomingMessage,
  ) => Answer | Iterable<string | Buffer>;
}

const ROUTES: ReadonlyMap<string, Route> = new Map<string, Route>([
  ['/', { method: 'GET', answer: () => PAGE }],
  ['/openapi.json', { method: 'GET', open: true, answer: (_query, _book, request) => document(request) }],
  ['/sandbox/records', { method: 'GET', looks: true, answer: records }],
  ['/sandbox/batches', { method: 'GET', answer: (query, book) => facts(query, book, batchLine) }],
  ['/sandbox/requests', { method: 'GET', answer: (query, book) => facts(query, book, (fact) => fact) }],
  [
    '/sandbox/summary',
    { method: 'GET', looks: true, answer: (_query, book) => jsonAnswer(200, book.summary()) },
  ],
  ['/sandbox/reset', { method: 'POST', answer: reset }],
]);

/**
 * Whether a request is the sandbox's own business and not one to the service: `/` and `/openapi.json` only where
 * they are read, because a client that posts to them has mistaken the address of the service.
 */
export function isControl(method: string, path: string): boolean {
  return path.startsWith('/sandbox/') || (ROUTES.has(path) && (method === 'GET' || method === 'HEAD'));
}

/** Answers a request for which {@link isControl} holds. Rejects where the answer cannot be made. */
export async function control(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  query: URLSearchParams,
  book: Store,
): Promise<void> {
  const route = ROUTES.get(path);
  if (route === undefined) {
    const paths = [...ROUTES.keys()].filter((known) => known.startsWith('/sandbox/')).join(', ');
    send(response, errorAnswer(404, 'not_found', `There is nothing here. There are ${paths}.`));
  } else if (route.open !== true && !isLocal(request)) {
    send(response, errorAnswer(403, 'forbidden', 'Only a client on this machine may do this.'));
  } else if (request.method !== route.method && !(request.method === 'HEAD' && route.method === 'GET')) {
    send(response, wrongMethod([route.method]));
  } else {
    if (route.looks === true) await book.settle();
    const given = route.answer(query, book, request);
    if ('status' in given) {
      send(response, given);
    } else {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      if (request.method === 'HEAD') response.end();
      else Readable.from(given).pipe(response);
    }
  }
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?$/i;

/**
 * Records are personal data, and a web page can send requests to this machine too. So the client must be on this
 * machine and must have meant it: a page that a foreign name leads here has that name in Host (DNS rebinding),
 * and any other page has its own in Origin.
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
  // The address by which the client found it is the address of the service; a strange one is left out.
  return jsonAnswer(200, openApi(/^[\w.:[\]-]{1,255}$/.test(host) ? `http://${host}` : undefined));
}

function reset(_query: URLSearchParams, book: Store): Answer {
  book.forget();
  return jsonAnswer(200, { success: true });
}

function records(query: URLSearchParams, book: Store): Answer | Iterable<string | Buffer> {
  const filter = readFilter(query, book);
  if ('status' in filter && 'body' in filter) return filter;
  return (
    book.memory?.lines(filter) ??
    errorAnswer(404, 'not_kept', 'This sandbox was started without keeping records.')
  );
}

const STATUSES = ['accepted', 'deduplicated', 'rejected'] as const;
const NAMES = ['type', 'status', 'n', 'batch', 'family', 'account', 'icp', 'promoted', 'text', 'last'];

function readFilter(query: URLSearchParams, book: Store): RecordFilter | Answer {
  const wrong = [...query.keys()].find((name) => !NAMES.includes(name));
  if (wrong !== undefined) {
    return errorAnswer(400, 'invalid_filter', `There is no such filter. There are ${NAMES.join(', ')}.`);
  }
  const type = typeOf(query);
  if (type === 'wrong') return wrongType();
  const status = STATUSES.find((known) => known === query.get('status'));
  const [icp, promoted] = [flag(query, 'icp'), flag(query, 'promoted')];
  const [n, last] = [whole(query, 'n'), whole(query, 'last')];
  if (status === undefined && query.has('status')) {
    return errorAnswer(400, 'invalid_filter', `The status must be ${STATUSES.join(', ')}.`);
  }
  if (icp === 'wrong' || promoted === 'wrong') {
    return errorAnswer(400, 'invalid_filter', 'icp and promoted must be true or false.');
  }
  if (n === 'wrong' || last === 'wrong') {
    return errorAnswer(400, 'invalid_filter', 'n and last must be whole numbers.');
  }
  const batch = query.get('batch');
  const numbers = numbersOf(n, batch, book);
  const [family, account, text] = ['family', 'account', 'text'].map((name) => query.get(name) ?? undefined);
  return {
    ...(type === undefined ? {} : { type }),
    ...(status === undefined ? {} : { status }),
    ...(numbers === undefined ? {} : { n: numbers }),
    ...(family === undefined ? {} : { family }),
    ...(account === undefined ? {} : { account: account.toLowerCase() }),
    ...(icp === undefined ? {} : { icp }),
    ...(promoted === undefined ? {} : { promoted }),
    ...(text === undefined ? {} : { text: text.toLowerCase() }),
    ...(last === undefined ? {} : { last }),
  };
}

/** The requests that `n` and `batch` leave: both must hold. */
function numbersOf(
  n: number | undefined,
  batch: string | null,
  book: Store,
): ReadonlySet<number> | undefined {
  if (batch === null) return n === undefined ? undefined : new Set([n]);
  const found = book.facts().flatMap((fact) => (fact.batchId === batch ? [fact.n] : []));
  return new Set(found.filter((number) => n === undefined || number === n));
}

function facts(
  query: URLSearchParams,
  book: Store,
  show: (fact: LoggedRequest) => object | undefined,
): Answer | Iterable<string> {
  const type = typeOf(query);
  if (type === 'wrong') return wrongType();
  const wanted = book.facts().filter((fact) => type === undefined || fact.type === type);
  return ndjson(wanted, show);
}

function batchLine(fact: LoggedRequest): object | undefined {
  if (!fact.processed) return undefined;
  const { n, time, type, batchId, status, records, bytes } = fact;
  const { accepted, deduplicated, rejected, promoted } = fact;
  // JSON leaves out what a type of batch does not have.
  return { n, time, type, batchId, status, records, bytes, accepted, deduplicated, rejected, promoted };
}

function* ndjson<T>(items: readonly T[], show: (item: T) => object | undefined): Generator<string> {
  for (const item of items) {
    const shown = show(item);
    if (shown !== undefined) yield `${JSON.stringify(shown)}\n`;
  }
}

function typeOf(query: URLSearchParams): RecordType | 'wrong' | undefined {
  if (!query.has('type')) return undefined;
  return recordTypes.find((known) => known === query.get('type')) ?? 'wrong';
}

function wrongType(): Answer {
  return errorAnswer(400, 'invalid_type', `The type must be ${recordTypes.join(' or ')}.`);
}

function flag(query: URLSearchParams, name: string): boolean | 'wrong' | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  return text === 'true' ? true : text === 'false' ? false : 'wrong';
}

function whole(query: URLSearchParams, name: string): number | 'wrong' | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  return /^\d{1,15}$/.test(text) ? Number(text) : 'wrong';
}
